// For tests: HIP source to kernels running on an Executor. A minimal loader of its own, so that the interpreter is
// tested without the rest of the project.
#pragma once

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "backends/softgpu/isa/execute.h"
#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {

// Kernel arguments, each at its natural alignment.
class Arguments {
 public:
  template <class T>
  Arguments& add(const T& value) {
    std::size_t at = (bytes_.size() + alignof(T) - 1) / alignof(T) * alignof(T);
    bytes_.resize(at + sizeof(T));
    std::memcpy(&bytes_[at], &value, sizeof(T));
    return *this;
  }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

class TestModule {
 public:
  struct Shape {
    std::array<std::uint32_t, 3> grid{1, 1, 1};  // workgroups
    std::array<std::uint32_t, 3> block{64, 1, 1};
    std::uint32_t dynamicLds = 0;
    bool cooperative = false;
    std::uint32_t watchdogMilliseconds = 60000;
  };

  // clang++-19 and Debian's device libraries and headers.
  static bool haveCompiler();
  // Compiles with them; ok() is false when that fails.
  explicit TestModule(const std::string& source, const std::string& options = "-O3", Gpu gpu = Gpu::kGfx90a);
  // An ELF code object.
  explicit TestModule(std::vector<std::uint8_t> elf, Gpu gpu = Gpu::kGfx90a);
  bool ok() const { return !image_.empty(); }

  KernelCode kernel(const std::string& name) const;
  // Runs the kernel and returns the fault's text, empty if none.
  std::string launch(const std::string& name, const Shape& shape, const Arguments& arguments);
  std::optional<Fault> launch(Dispatch dispatch, std::vector<std::uint8_t> explicitArguments);

 private:
  void load(std::vector<std::uint8_t> elf);
  std::uint64_t symbol(const std::string& name) const;

  Gpu gpu_;
  std::vector<std::uint8_t> elf_;
  std::vector<std::uint8_t> image_;  // the loaded segments, with room to align
  std::uint64_t base_ = 0;
  std::shared_ptr<CodeCache> code_;
  OpenMemory memory_;
};

}  // namespace hipr::softgpu
