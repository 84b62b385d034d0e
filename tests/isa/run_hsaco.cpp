// run_hsaco FILE KERNEL LANES: runs one workgroup of a kernel whose only argument is a pointer to LANES dwords, on the
// interpreter, and prints them one per line. A fault goes to stderr, with exit status 1.
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <vector>

#include "backends/softgpu/isa/execute.h"
#include "backends/softgpu/isa/packet.h"
#include "code_object/code_object.h"

namespace hipr::softgpu {
namespace {

constexpr std::uint32_t kStackBytes = 64 << 10;  // of a lane: csmith programs keep everything there
constexpr std::uint32_t kLimitMilliseconds = 120000;

// The image, the output and what a kernel starts with, and nothing else.
class Memory final : public AddressSpace {
 public:
  std::vector<std::byte> image, output, arguments, packet;
  Region find(std::uint64_t address) const override {
    for (const std::vector<std::byte>* part : {&image, &output, &arguments, &packet}) {
      auto begin = reinterpret_cast<std::uint64_t>(part->data());
      if (address >= begin && address < begin + part->size()) return {begin, begin + part->size()};
    }
    return {};
  }
};

std::optional<Fault> runToEnd(Executor& executor, Dispatch dispatch) {
  std::mutex mutex;
  std::condition_variable wake;
  bool finished = false;
  std::optional<Fault> result;
  executor.submit(std::move(dispatch), [&](std::optional<Fault> fault) {
    std::lock_guard lock(mutex);
    result = std::move(fault);
    finished = true;
    wake.notify_all();
  });
  std::unique_lock lock(mutex);
  wake.wait(lock, [&] { return finished; });
  return result;
}

int run(const char* path, const char* name, std::uint32_t lanes) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  code::CodeObject object;
  Status parsed = code::CodeObject::parse(std::as_bytes(std::span(bytes)), object);
  const code::Kernel* kernel = parsed.ok() ? object.findKernel(name) : nullptr;
  if (!kernel) {
    std::fprintf(stderr, "%s: no kernel %s (%s)\n", path, name, parsed.message().c_str());
    return 1;
  }
  Memory memory;
  memory.image.resize(object.loadSize() + object.loadAlignment());
  auto start = reinterpret_cast<std::uint64_t>(memory.image.data());
  std::uint64_t base = (start + object.loadAlignment() - 1) / object.loadAlignment() * object.loadAlignment();
  std::span<std::byte> image(memory.image.data() + (base - start), object.loadSize());
  if (Status loaded = object.load(image, base); !loaded.ok()) {
    std::fprintf(stderr, "%s: %s\n", path, loaded.message().c_str());
    return 1;
  }
  memory.output.resize(lanes * 4);
  memory.arguments.resize(512);  // with room for hidden arguments
  auto output = reinterpret_cast<std::uint64_t>(memory.output.data());
  std::memcpy(memory.arguments.data(), &output, sizeof output);

  Dispatch d;
  Gpu gpu = object.target().processor == "gfx942" ? Gpu::kGfx942 : Gpu::kGfx90a;
  d.kernel.name = name;
  d.kernel.entry = base + kernel->entryAddress;
  d.kernel.descriptor = KernelDescriptor::parse(image.subspan(kernel->descriptorAddress).first<64>());
  d.kernel.code = makeCodeCache({base, base + object.loadSize()}, gpu);
  d.groupSize = d.gridSize = {lanes, 1, 1};
  d.privateBytes = d.kernel.descriptor.privateSegmentBytes + kStackBytes;
  d.kernarg = reinterpret_cast<std::uint64_t>(memory.arguments.data());
  // Arrays that clang moves to LDS are placed by the packet's group size.
  DispatchPacket packet;
  packet.groupSize[0] = static_cast<std::uint16_t>(lanes);
  packet.groupSize[1] = packet.groupSize[2] = 1;
  std::copy(d.gridSize.begin(), d.gridSize.end(), packet.gridSize);
  packet.privateBytes = d.privateBytes;
  packet.groupBytes = d.kernel.descriptor.groupSegmentBytes;
  packet.kernelObject = base + kernel->descriptorAddress;
  packet.kernarg = d.kernarg;
  memory.packet.resize(sizeof packet);
  std::memcpy(memory.packet.data(), &packet, sizeof packet);
  d.dispatchPacket = reinterpret_cast<std::uint64_t>(memory.packet.data());
  d.watchdogMilliseconds = kLimitMilliseconds;
  Executor executor(memory, defaultServices(), {1});
  if (std::optional<Fault> fault = runToEnd(executor, std::move(d))) {
    std::fprintf(stderr, "%s: %s\n", path, fault->text.c_str());
    return 1;
  }
  for (std::uint32_t l = 0; l < lanes; ++l) {
    std::uint32_t word;
    std::memcpy(&word, memory.output.data() + l * 4, 4);
    std::printf("%08x\n", word);
  }
  return 0;
}

}  // namespace
}  // namespace hipr::softgpu

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: run_hsaco FILE KERNEL LANES\n");
    return 2;
  }
  return hipr::softgpu::run(argv[1], argv[2], static_cast<std::uint32_t>(std::atoi(argv[3])));
}
