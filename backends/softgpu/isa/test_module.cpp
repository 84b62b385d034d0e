#include "backends/softgpu/isa/test_module.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace hipr::softgpu {
namespace {

constexpr const char* kBitcode = HIPR_DEVICE_LIBRARIES;

std::vector<std::uint8_t> readFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

bool TestModule::haveCompiler() {
  return std::system("command -v clang++-19 >/dev/null") == 0 && std::filesystem::exists(kBitcode) &&
         std::filesystem::exists("/usr/include/hip/hip_runtime.h");
}

TestModule::TestModule(const std::string& source, const std::string& options, Gpu gpu) : gpu_(gpu) {
  static int serial = 0;
  std::string base = "/tmp/softgpu_hip_" + std::to_string(getpid()) + "_" + std::to_string(serial++);
  std::string input = base + ".hip", output = base + ".hsaco";
  std::ofstream(input) << "#include <hip/hip_runtime.h>\n" << source;
  std::string command = std::string("clang++-19 -w -x hip --offload-arch=") +
                        (gpu == Gpu::kGfx90a ? "gfx90a" : "gfx942") +
                        " --rocm-path=/usr --rocm-device-lib-path=" + kBitcode + " " + options +
                        " --cuda-device-only --no-gpu-bundle-output " + input + " -o " + output;
  if (std::system(command.c_str()) == 0) load(readFile(output));
  std::remove(input.c_str());
  std::remove(output.c_str());
}

TestModule::TestModule(std::vector<std::uint8_t> elf, Gpu gpu) : gpu_(gpu) {
  load(std::move(elf));
}

void TestModule::load(std::vector<std::uint8_t> elf) {
  elf_ = std::move(elf);
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(elf_.data());
  const auto* segments = reinterpret_cast<const Elf64_Phdr*>(elf_.data() + header->e_phoff);
  std::uint64_t size = 0;
  for (int k = 0; k < header->e_phnum; ++k)
    if (segments[k].p_type == PT_LOAD) size = std::max(size, segments[k].p_vaddr + segments[k].p_memsz);
  image_.resize(size + 8192);
  base_ = (reinterpret_cast<std::uint64_t>(image_.data()) + 4095) & ~4095ull;
  for (int k = 0; k < header->e_phnum; ++k)
    if (segments[k].p_type == PT_LOAD)
      std::memcpy(reinterpret_cast<void*>(base_ + segments[k].p_vaddr), elf_.data() + segments[k].p_offset,
                  segments[k].p_filesz);
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(elf_.data() + header->e_shoff);
  for (int k = 0; k < header->e_shnum; ++k) {
    if (sections[k].sh_type != SHT_RELA) continue;
    const auto* relocations = reinterpret_cast<const Elf64_Rela*>(elf_.data() + sections[k].sh_offset);
    for (std::uint64_t r = 0; r < sections[k].sh_size / sizeof(Elf64_Rela); ++r) {
      std::uint64_t value = base_ + static_cast<std::uint64_t>(relocations[r].r_addend);  // R_AMDGPU_RELATIVE64 only
      std::memcpy(reinterpret_cast<void*>(base_ + relocations[r].r_offset), &value, 8);
    }
  }
  code_ = makeCodeCache({base_, base_ + size}, gpu_);
}

std::uint64_t TestModule::symbol(const std::string& name) const {
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(elf_.data());
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(elf_.data() + header->e_shoff);
  for (int k = 0; k < header->e_shnum; ++k) {
    if (sections[k].sh_type != SHT_DYNSYM) continue;
    const auto* names = reinterpret_cast<const char*>(elf_.data() + sections[sections[k].sh_link].sh_offset);
    const auto* symbols = reinterpret_cast<const Elf64_Sym*>(elf_.data() + sections[k].sh_offset);
    for (std::uint64_t s = 0; s < sections[k].sh_size / sizeof(Elf64_Sym); ++s)
      if (name == names + symbols[s].st_name) return base_ + symbols[s].st_value;
  }
  return 0;
}

KernelCode TestModule::kernel(const std::string& name) const {
  KernelCode kernel;
  kernel.name = name;
  std::uint64_t descriptor = symbol(name + ".kd");
  if (!descriptor) return kernel;
  kernel.descriptor =
      KernelDescriptor::parse(std::span<const std::byte, 64>(reinterpret_cast<const std::byte*>(descriptor), 64));
  kernel.entry = descriptor + static_cast<std::uint64_t>(kernel.descriptor.entryOffset);
  kernel.code = code_;
  return kernel;
}

std::string TestModule::launch(const std::string& name, const Shape& shape, const Arguments& arguments) {
  Dispatch d;
  d.kernel = kernel(name);
  d.groupSize = shape.block;
  for (int k = 0; k < 3; ++k) d.gridSize[k] = shape.grid[k] * shape.block[k];
  d.dynamicLdsBytes = shape.dynamicLds;
  d.cooperative = shape.cooperative;
  d.watchdogMilliseconds = shape.watchdogMilliseconds;
  d.privateBytes = d.kernel.descriptor.privateSegmentBytes + 65536;  // room for recursion
  std::optional<Fault> fault = launch(d, arguments.bytes());
  return fault ? fault->text : "";
}

std::optional<Fault> TestModule::launch(Dispatch d, std::vector<std::uint8_t> bytes) {
  // Hidden arguments of code object v5 follow the explicit ones: group counts, then group sizes.
  std::size_t hidden = (bytes.size() + 7) & ~7ull;
  bytes.resize(hidden + 256);
  for (int k = 0; k < 3; ++k) {
    std::uint32_t groups = d.gridSize[k] / d.groupSize[k];
    auto size = static_cast<std::uint16_t>(d.groupSize[k]);
    std::memcpy(&bytes[hidden + 4 * k], &groups, 4);
    std::memcpy(&bytes[hidden + 12 + 2 * k], &size, 2);
  }
  d.kernarg = reinterpret_cast<std::uint64_t>(bytes.data());
  std::uint8_t packet[64] = {};
  for (int k = 0; k < 3; ++k) {
    auto size = static_cast<std::uint16_t>(d.groupSize[k]);
    std::memcpy(packet + 4 + 2 * k, &size, 2);
    std::memcpy(packet + 12 + 4 * k, &d.gridSize[k], 4);
  }
  d.dispatchPacket = reinterpret_cast<std::uint64_t>(packet);
  std::mutex mutex;
  std::condition_variable wake;
  bool finished = false;
  std::optional<Fault> result;
  Executor executor(memory_, defaultServices(), {});
  executor.submit(std::move(d), [&](std::optional<Fault> fault) {
    std::lock_guard lock(mutex);
    result = std::move(fault);
    finished = true;
    wake.notify_all();
  });
  std::unique_lock lock(mutex);
  wake.wait(lock, [&] { return finished; });
  return result;
}

}  // namespace hipr::softgpu
