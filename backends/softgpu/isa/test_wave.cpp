#include "backends/softgpu/isa/test_wave.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace hipr::softgpu {

bool haveAssembler() {
  static const bool have = std::system("command -v llvm-mc-19 llvm-objcopy-19 >/dev/null") == 0;
  return have;
}

std::vector<std::uint32_t> assemble(const std::string& source, const std::string& cpu) {
  std::string base = "/tmp/softgpu_asm_" + std::to_string(getpid());
  std::string input = base + ".s", object = base + ".o", text = base + ".bin";
  std::ofstream(input) << source << "\ns_endpgm\n";
  std::string command = "llvm-mc-19 -triple=amdgcn-amd-amdhsa -mcpu=" + cpu + " -filetype=obj " + input + " -o " +
                        object + " && llvm-objcopy-19 -O binary --only-section=.text " + object + " " + text;
  std::vector<std::uint32_t> words;
  const bool accepted = std::system(command.c_str()) == 0;
  if (accepted) {
    std::ifstream file(text, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), {});
    words.resize(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), words.size() * 4);
  }
  for (const std::string& path : {input, object, text}) std::remove(path.c_str());
  if (!accepted) throw std::runtime_error("llvm-mc-19 does not assemble: " + source);
  return words;
}

TestWave::TestWave(std::vector<std::uint32_t> code, Gpu gpu, unsigned ldsBytes, Memory memory)
    : code_(std::move(code)),
      registers_(kMaxRows * kLanes + 16),
      scratch_(64 * 256),
      buffer_(memory == Memory::kClosed ? 8192 : 0),
      closed_({buffer(), buffer() + buffer_.size()}),
      shifted_(memory == Memory::kShiftedPages),
      cache_(
          {reinterpret_cast<std::uint64_t>(code_.data()), reinterpret_cast<std::uint64_t>(code_.data() + code_.size())},
          gpu) {
  auto aligned = (reinterpret_cast<std::uint64_t>(registers_.data()) + 63) & ~63ull;
  wave_.v = reinterpret_cast<std::uint32_t*>(aligned);
  if (memory == Memory::kClosed) {
    shared_.memory = &closed_;
  } else if (memory != Memory::kOpen) {
    shared_.memory = &shifted_;
  } else {
    shared_.memory = &open_;
  }
  shared_.services = &defaultServices();
  shared_.gpu = gpu;
  shared_.dispatch.kernel.name = "test";
  shared_.dispatch.kernel.entry = cache_.region().begin;
  group_.shared = &shared_;
  group_.lds.resize(ldsBytes);
  group_.waves = 1;
  wave_.group = &group_;
  wave_.shared = &shared_;
  wave_.code = &cache_;
  wave_.accumOffset = 256;
  wave_.scratch = {reinterpret_cast<std::uint64_t>(scratch_.data()),
                   reinterpret_cast<std::uint64_t>(scratch_.data() + scratch_.size())};
  wave_.scratchBytes = 256;
  wave_.lds = {reinterpret_cast<std::uint64_t>(group_.lds.data()),
               reinterpret_cast<std::uint64_t>(group_.lds.data() + group_.lds.size())};
  fillConstants(wave_);
  wave_.setPair(kExecLo, ~0ull);
  setMode(wave_, 0x3f0);  // all denormals, round to nearest, DX10_CLAMP, IEEE
  wave_.ip = cache_.at(cache_.region().begin);
}

std::string TestWave::run(int budget) {
  wave_.budget = budget;
  wave_.state = WaveState::kReady;
  if (!wave_.ip) return "no code";
  runWave(wave_);
  return shared_.fault ? shared_.fault->text : "";
}

}  // namespace hipr::softgpu
