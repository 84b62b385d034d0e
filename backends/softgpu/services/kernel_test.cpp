// The services against the real device library: kernels that print, assert and allocate, compiled by both compilers and
// run on the interpreter. A missing compiler is a failure.
#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <sstream>

#include "backends/softgpu/isa/execute.h"
#include "backends/softgpu/services/device_heap.h"
#include "backends/softgpu/services/hostcall.h"
#include "code_object/code_object.h"
#include "code_object/kernarg.h"
#include "code_object/select.h"

namespace hipr::softgpu {
namespace {

constexpr const char* kSource = R"(
#include <hip/hip_runtime.h>
#include <cassert>
extern "C" __global__ void print(int n, const char* text, double real) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) printf("%d: %s %8.3f %#x %c %lld %p|%-6d|%%\n", -i, text, real + i, i, 'a' + i % 26, 1ll << 40, (void*)0x1234, i);
}
extern "C" __global__ void checked(int limit) { assert(threadIdx.x < limit); }
extern "C" __global__ void allocate(int* failures, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    int count = 1 + (i * 7 + r * 13) % 200;
    int* block = (int*)malloc(count * sizeof(int));
    if (!block) { atomicAdd(failures, 1); continue; }
    for (int k = 0; k < count; ++k) block[k] = i * 1000 + k;
    for (int k = 0; k < count; ++k) if (block[k] != i * 1000 + k) atomicAdd(failures, 1);
    free(block);
  }
}
extern "C" __global__ void large(int* failures) {
  char* block = (char*)malloc(100000);
  if (!block) { atomicAdd(failures, 1); return; }
  block[99999] = threadIdx.x;
  if (block[99999] != (char)threadIdx.x) atomicAdd(failures, 1);
  free(block);
}
)";

class OpenMemory : public AddressSpace {
 public:
  Region find(std::uint64_t) const override { return {4096, std::uint64_t{1} << 47}; }
};

// Serves hostcalls where the kernel interrupts, and keeps what it printed.
class Machine : public Services, public ServiceHost {
 public:
  void interrupt() override {
    const Status s = buffer_.service();
    if (!s.ok()) ADD_FAILURE() << s.message();
  }
  std::optional<Fault> trap(std::uint8_t id) override { return defaultServices().trap(id); }
  std::uint64_t realtime() override { return defaultServices().realtime(); }

  void write(OutputStream stream, std::string_view text) override { output[static_cast<int>(stream)].append(text); }
  std::uint64_t allocate(std::uint64_t size, std::uint64_t alignment) override {
    void* p = std::aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
    if (p) live.insert(reinterpret_cast<std::uintptr_t>(p));
    return reinterpret_cast<std::uintptr_t>(p);
  }
  bool release(std::uint64_t address) override {
    if (live.erase(address) == 0) return false;
    std::free(reinterpret_cast<void*>(address));
    return true;
  }
  ~Machine() override {
    for (std::uint64_t address : live) std::free(reinterpret_cast<void*>(address));
  }

  std::uint64_t hostcallBuffer() const { return buffer_.address(); }
  std::uint64_t heap() const { return reinterpret_cast<std::uintptr_t>(heap_.get()); }

  std::string output[2];
  std::set<std::uint64_t> live;

 private:
  static constexpr std::uint32_t kWaves = 1024;
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  using Block = std::unique_ptr<std::byte, Free>;
  static Block zeroed(std::size_t size) {
    std::byte* p = static_cast<std::byte*>(std::aligned_alloc(4096, (size + 4095) & ~std::size_t{4095}));
    std::fill_n(p, size, std::byte{0});
    return Block(p);
  }

  Block memory_ = zeroed(HostcallBuffer::bytesFor(kWaves));
  Block heap_ = zeroed(DeviceHeap::kSize);
  HostcallBuffer buffer_{{memory_.get(), HostcallBuffer::bytesFor(kWaves)}, kWaves, *this};
};

class ServiceKernel : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "hipr-services-XXXXXX").string();
    ASSERT_TRUE(mkdtemp(pattern.data()));
    const std::string source = pattern + "/k.hip", out = pattern + "/k.co";
    std::ofstream(source) << kSource;
    const std::string compiler = GetParam() == 4 ? "hipcc --genco"
                                                 : "clang++-19 -x hip --rocm-path=/usr --cuda-device-only "
                                                   "--rocm-device-lib-path=" HIPR_DEVICE_LIBRARIES;
    ASSERT_EQ(std::system((compiler + " --offload-arch=gfx90a -O2 -w " + source + " -o " + out).c_str()), 0);
    std::ifstream file(out, std::ios::binary);
    text_.assign(std::istreambuf_iterator<char>(file), {});
    std::filesystem::remove_all(pattern);
    code::TargetId device;
    ASSERT_TRUE(code::parseTargetId("gfx90a:sramecc+:xnack-", device).ok());
    ASSERT_TRUE(code::selectCodeObject(std::as_bytes(std::span(text_)), device, chosen_).ok());
    ASSERT_TRUE(code::CodeObject::parse(chosen_.bytes, object_).ok());
    ASSERT_EQ(object_.version(), GetParam());
    storage_.resize(object_.loadSize() + object_.loadAlignment());
    void* base = storage_.data();
    std::size_t space = storage_.size();
    ASSERT_TRUE(std::align(object_.loadAlignment(), object_.loadSize(), base, space));
    base_ = reinterpret_cast<std::uintptr_t>(base);
    ASSERT_TRUE(object_.load({static_cast<std::byte*>(base), object_.loadSize()}, base_).ok());
    cache_ = makeCodeCache({base_, base_ + object_.loadSize()}, Gpu::kGfx90a);
  }

  std::optional<Fault> launch(const char* name, std::uint32_t groups, std::uint32_t groupSize,
                              std::vector<void*> params) {
    const code::Kernel* k = object_.findKernel(name);
    EXPECT_TRUE(k) << name;
    std::vector<std::uint64_t> kernarg(k->metadata.kernargSize / 8 + 8);
    const auto bytes = std::as_writable_bytes(std::span(kernarg));
    EXPECT_TRUE(code::packParams(k->metadata, params.data(), bytes).ok());
    code::HiddenValues hidden = code::HiddenValues::forGrid({groups * groupSize, 1, 1}, {groupSize, 1, 1});
    hidden.hostcallBuffer = machine_.hostcallBuffer();
    hidden.heapV1 = machine_.heap();
    EXPECT_TRUE(code::fillHidden(k->metadata, hidden, bytes).ok());

    Dispatch d;
    d.kernel.name = name;
    d.kernel.entry = base_ + k->entryAddress;
    d.kernel.descriptor = KernelDescriptor::parse(
        std::span<const std::byte, 64>(reinterpret_cast<const std::byte*>(base_ + k->descriptorAddress), 64));
    d.kernel.code = cache_;
    d.groupSize = {groupSize, 1, 1};
    d.gridSize = {groups * groupSize, 1, 1};
    d.privateBytes = 16384;
    d.kernarg = reinterpret_cast<std::uintptr_t>(kernarg.data());
    std::uint16_t packet[32] = {};
    packet[2] = static_cast<std::uint16_t>(groupSize), packet[3] = packet[4] = 1;
    const std::uint32_t grid[3] = {groups * groupSize, 1, 1};
    std::memcpy(packet + 6, grid, sizeof grid);
    d.dispatchPacket = reinterpret_cast<std::uintptr_t>(packet);
    d.watchdogMilliseconds = 60000;

    std::mutex mutex;
    std::condition_variable wake;
    bool finished = false;
    std::optional<Fault> result;
    Executor executor(memory_, machine_, {});
    executor.submit(std::move(d), [&](std::optional<Fault> fault) {
      const std::lock_guard lock(mutex);
      result = std::move(fault);
      finished = true;
      wake.notify_all();
    });
    std::unique_lock lock(mutex);
    wake.wait(lock, [&] { return finished; });
    return result;
  }

  std::vector<char> text_;
  code::Selection chosen_;
  code::CodeObject object_;
  std::vector<std::byte> storage_;
  std::uint64_t base_ = 0;
  std::shared_ptr<CodeCache> cache_;
  OpenMemory memory_;
  Machine machine_;
};

TEST_P(ServiceKernel, PrintfPrintsWhatTheHostWouldPrint) {
  int n = 150;
  const char* text = "a string that needs several words";
  double real = 0.125;
  const auto fault = launch("print", 4, 64, {&n, &text, &real});
  ASSERT_FALSE(fault) << fault->text;
  std::multiset<std::string> expected, lines;
  for (int i = 0; i < n; ++i) {
    char line[256];
    std::snprintf(line, sizeof line, "%d: %s %8.3f %#x %c %lld %p|%-6d|%%", -i, text, real + i, i, 'a' + i % 26,
                  1ll << 40, reinterpret_cast<void*>(0x1234), i);
    expected.insert(line);
  }
  std::istringstream out(machine_.output[0]);
  for (std::string line; std::getline(out, line);) lines.insert(line);
  EXPECT_EQ(lines, expected);
  EXPECT_EQ(machine_.output[1], "");
}

TEST_P(ServiceKernel, AssertPrintsAndEndsTheDispatch) {
  int limit = 3;
  const auto fault = launch("checked", 1, 4, {&limit});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::kTrap) << fault->text;
  EXPECT_NE(machine_.output[1].find("Device-side assertion `threadIdx.x < limit' failed."), std::string::npos)
      << machine_.output[1];
  limit = 4;
  EXPECT_FALSE(launch("checked", 1, 4, {&limit}));
}

TEST_P(ServiceKernel, MallocAndFree) {
  int failures = 0, rounds = 5;
  int* pointer = &failures;
  auto fault = launch("allocate", 8, 128, {&pointer, &rounds});
  ASSERT_FALSE(fault) << fault->text;
  EXPECT_EQ(failures, 0);
  EXPECT_FALSE(machine_.live.empty());  // slabs stay with the heap
  const std::size_t slabs = machine_.live.size();
  fault = launch("large", 2, 64, {&pointer});
  ASSERT_FALSE(fault) << fault->text;
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(machine_.live.size(), slabs);  // large blocks go back
}

INSTANTIATE_TEST_SUITE_P(CodeObjectVersions, ServiceKernel, ::testing::Values(4, 5));

}  // namespace
}  // namespace hipr::softgpu
