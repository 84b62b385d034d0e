// What several of these programs make: memory, streams, nodes that allocate, and code loaded from the modules/ folder
// beside them.
#pragma once
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "hip_abi.h"

struct Allocation {  // hipMemAllocNodeParams
  int type, handles, location[2];
  void* security;
  std::size_t most;
  unsigned char reserved[56];
  const void* access;
  std::size_t accessCount, bytes;
  void* memory;
};
static_assert(sizeof(Allocation) == 120);

struct Memory {  // of the current device, zero at first
  void* at = nullptr;
  explicit Memory(std::size_t bytes = 4096) {
    OK(hipMalloc(&at, bytes));
    OK(hipMemset(at, 0, bytes));
  }
  Memory(const Memory&) = delete;
  ~Memory() { (void)hipFree(at); }
  template <class T = std::uint32_t>
  std::vector<T> read(std::size_t count) const {
    std::vector<T> out(count);
    OK(hipMemcpy(out.data(), at, count * sizeof(T), 2));
    return out;
  }
};

struct Stream {
  void* handle = nullptr;
  Stream() { OK(hipStreamCreate(&handle)); }
  Stream(const Stream&) = delete;
  ~Stream() { (void)hipStreamDestroy(handle); }
};

inline std::string modulePath(const char* name) {
  char self[4096];
  const ssize_t n = readlink("/proc/self/exe", self, sizeof self);
  const std::string mine(self, n > 0 ? static_cast<std::size_t>(n) : 0);
  return mine.substr(0, mine.rfind('/')) + "/modules/" + name;
}

inline std::vector<char> moduleBytes(const char* name = "scale.bundle") {
  std::ifstream in(modulePath(name), std::ios::binary);
  REQUIRE(in.good());
  return std::vector<char>(std::istreambuf_iterator<char>(in), {});
}

struct Module {
  void* handle = nullptr;
  Module() { OK(hipModuleLoadData(&handle, moduleBytes().data())); }
  Module(const Module&) = delete;
  ~Module() { (void)hipModuleUnload(handle); }
  void* function(const char* name) const {
    void* f = nullptr;
    OK(hipModuleGetFunction(&f, handle, name));
    return f;
  }
};

// Code registered as a compiler's start-up code does it; the address of `scale` then stands for the kernel.
struct Registered {
  char scale = 0;
  Registered() {
    wrapper_.binary = code_.data();
    handle_ = __hipRegisterFatBinary(&wrapper_);
    REQUIRE(handle_ != nullptr);
    char name[] = "scale";
    __hipRegisterFunction(handle_, &scale, name, name, ~0u, nullptr, nullptr, nullptr, nullptr, nullptr);
  }
  Registered(const Registered&) = delete;
  ~Registered() { __hipUnregisterFatBinary(handle_); }

 private:
  const std::vector<char> code_ = moduleBytes();
  struct {
    std::uint32_t magic = 0x48495046, version = 1;
    const void* binary = nullptr;
    void* unused = nullptr;
  } wrapper_;
  void** handle_ = nullptr;
};

// The arguments of `scale`, which multiplies element i by `by` and by i % 4 + 1.
struct ScaleArguments {
  void* data;
  float by;
  int count;
  void* list[3] = {&data, &by, &count};
  ScaleArguments(void* memory, float factor, int elements) : data(memory), by(factor), count(elements) {}
  ScaleArguments(const ScaleArguments&) = delete;
  std::vector<float> expected() const {  // of 0, 1, 2, ...
    std::vector<float> out(count);
    for (int i = 0; i < count; ++i) out[i] = float(i) * (by * float(i % 4 + 1));
    return out;
  }
  void upload() const {  // 0, 1, 2, ...
    std::vector<float> in(count);
    for (int i = 0; i < count; ++i) in[i] = float(i);
    OK(hipMemcpy(data, in.data(), count * sizeof(float), 1));
  }
};
