#include "backends/softgpu/core_testing.h"

#include <cstdlib>
#include <mutex>

#include "code_object/code_object.h"
#include "code_object/test_image.h"
#include "runtime/async_error.h"

#if defined(__SANITIZE_THREAD__)
// Children of these tests start threads after a fork.
extern "C" [[gnu::visibility("default")]] const char* __tsan_default_options() {
  return "die_after_fork=0";
}
#endif

namespace hipr {
namespace {

// Before main, so that every test finds the same devices whichever opens them first.
const bool configured =
    setenv("HIP_REMOTE_SOFTGPU", "gfx90ax2,gfx942", 1) == 0 && setenv("HIP_REMOTE_SOFTGPU_MEMORY", "512", 1) == 0;

std::mutex errorMutex;
softgpu::testing::AsyncError lastError;

}  // namespace

// Stands in for the runtime's.
void raiseAsyncError(Core&, hipError_t error, const std::string& what) {
  const std::lock_guard lock(errorMutex);
  if (lastError.error == hipSuccess) lastError = {error, what};
}

namespace softgpu::testing {

const std::initializer_list<std::uint32_t> kAddKernel = {
    0xc0060080, 0x00000000,  // s_load_dwordx2 s[2:3], s[0:1], 0x0
    0xc0020100, 0x00000008,  // s_load_dword s4, s[0:1], 0x8
    0x7e020280,              // v_mov_b32 v1, 0
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0x7e040204,              // v_mov_b32 v2, s4
    0xdd088000, 0x00020201,  // global_atomic_add v1, v2, s[2:3]
    0xbf8c0f70,              // s_waitcnt vmcnt(0)
    0xbf810000,              // s_endpgm
};
const std::initializer_list<std::uint32_t> kEmptyKernel = {0xbf810000};                // s_endpgm
const std::initializer_list<std::uint32_t> kEndlessKernel = {0xbf82ffff, 0xbf810000};  // s_branch to itself
const std::initializer_list<std::uint32_t> kTrapKernel = {0xbf920002, 0xbf810000};     // s_trap 2
const std::initializer_list<std::uint32_t> kIllegalKernel = {0xffffffff, 0xbf810000};

SoftgpuCore& core() {
  static auto* instance = new SoftgpuCore;
  return *instance;
}

const Platform& platform() {
  static const Platform* opened = [] {
    const Platform* made = nullptr;
    EXPECT_TRUE(configured);
    EXPECT_EQ(core().open(&made), hipSuccess);
    return made;
  }();
  return *opened;
}

AsyncError takeAsyncError() {
  const std::lock_guard lock(errorMutex);
  return std::exchange(lastError, {});
}

TestStream::TestStream(int onDevice, Kind ofKind, unsigned withFlags) {
  platform();
  kind = ofKind;
  device = onDevice;
  flags = withFlags;
  EXPECT_EQ(core().create(*this), hipSuccess);
}

TestStream::~TestStream() {
  if (impl != nullptr) core().destroy(*this);
}

TestEvent::TestEvent(int onDevice) {
  platform();
  device = onDevice;
  EXPECT_EQ(core().create(*this), hipSuccess);
}

TestEvent::~TestEvent() {
  if (impl != nullptr) core().destroy(*this);
}

TestMemory::TestMemory(std::size_t bytes, MemoryKind ofKind, int onDevice) {
  platform();
  kind = ofKind;
  device = onDevice;
  size = bytes;
  EXPECT_EQ(core().allocate(*this), hipSuccess);
}

TestMemory::~TestMemory() {
  if (devicePointer != nullptr) core().release(*this);
}

hipError_t copyBytes(Stream& stream, void* to, const void* from, std::size_t bytes, MemoryKind toKind,
                     MemoryKind fromKind, bool blocking) {
  Copy copy;
  copy.to = {.address = to, .kind = toKind};
  copy.from = {.address = const_cast<void*>(from), .kind = fromKind};
  copy.width = bytes;
  return core().submit(stream, copy, blocking ? Stage::kVisible : Stage::kSent);
}

hipError_t fillWords(Stream& stream, void* to, std::size_t words, std::uint32_t value) {
  return fill({.address = to, .width = words, .value = value, .elementSize = 4}, stream);
}

struct Gate::Shared {
  std::atomic<int> open{0};
};

Gate::Gate(Stream& stream) : shared_(std::make_shared<Shared>()) {
  auto* held = new std::shared_ptr<Shared>(shared_);
  const auto wait = [](void* data) {
    const std::unique_ptr<std::shared_ptr<Shared>> shared(static_cast<std::shared_ptr<Shared>*>(data));
    (*shared)->open.wait(0);
  };
  EXPECT_EQ(hostFunction(stream, wait, held), hipSuccess);
}

void Gate::open() {
  shared_->open = 1;
  shared_->open.notify_all();
}

TestKernel::TestKernel(int device, std::initializer_list<std::uint32_t> words, std::uint32_t argumentBytes) {
  constexpr std::size_t kTextAt = 0x500, kArgumentBytesAt = 0x408;  // where the sample image has its kernel
  platform();
  image_ = code::testing::sampleElf(5, device == 2 ? 0x54c : 0x53f);
  std::memcpy(&image_[kTextAt], words.begin(), words.size() * sizeof(std::uint32_t));
  if (argumentBytes) std::memcpy(&image_[kArgumentBytesAt], &argumentBytes, sizeof argumentBytes);
  auto object = std::make_shared<code::CodeObject>();
  const Status status = code::CodeObject::parse(image_, *object);
  EXPECT_TRUE(status.ok()) << status.message();
  module_.device = device;
  module_.code = object;
  EXPECT_EQ(core().load(module_), hipSuccess);
  function_.module = &module_;
  function_.kernel = object->findKernel("scale");
}

TestKernel::~TestKernel() {
  if (module_.impl != nullptr) core().unload(module_);
}

hipError_t TestKernel::launch(Stream& stream, void* pointer, std::uint32_t number, unsigned groups, unsigned block,
                              Event* start, Event* stop) {
  std::byte arguments[12];
  std::memcpy(arguments, &pointer, 8);
  std::memcpy(arguments + 8, &number, 4);
  Launch launch;
  launch.function = &function_;
  launch.groups = {groups, 1, 1};
  launch.block = {block, 1, 1};
  launch.threads = {groups * block, 1, 1};
  launch.arguments = arguments;
  launch.start = start;
  launch.stop = stop;
  return core().submit(stream, launch, Stage::kSent);
}

}  // namespace softgpu::testing
}  // namespace hipr
