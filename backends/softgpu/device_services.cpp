#include "backends/softgpu/device_services.h"

#include <cstring>
#include <map>

#include "backends/softgpu/module.h"
#include "backends/softgpu/services/device_heap.h"
#include "backends/softgpu/services/host.h"
#include "backends/softgpu/services/hostcall.h"
#include "backends/softgpu/services/printf_buffer.h"
#include "backends/softgpu/state.h"
#include "base/log.h"

namespace hipr::softgpu {
namespace {

// Waves that can be inside kernels at once: more than any cooperative launch may hold. Memory is touched as it is used.
constexpr std::uint32_t kWaves = 16384;

// The start of amd_queue_t that kernels read: where LDS and private memory appear to generic pointers.
constexpr std::size_t kSharedApertureAt = 64, kPrivateApertureAt = 68;

}  // namespace

// Device memory for malloc() in kernels, and where printf() goes.
class DeviceServices::Host : public ServiceHost {
 public:
  Host(Device& device, std::atomic<bool>& asserted) : device_(device), asserted_(asserted) {}

  void write(OutputStream stream, std::string_view text) override {
    if (stream == OutputStream::kStderr && text.find("ssertion") != std::string_view::npos) asserted_ = true;
    writeToProcess(stream, text);
  }

  std::uint64_t allocate(std::uint64_t size, std::uint64_t alignment) override {
    if (alignment > kHugePage || size > device_.capacity) return 0;
    Mapping block =
        Mapping::make(alignment > kPage ? std::max<std::uint64_t>(size, alignment) : size, state().discrete.reach());
    if (!block || !device_.charge(block.size())) return 0;
    const std::uint64_t address = block.address();
    if (!state().regions.insert(rangeFor(block))) {
      device_.refund(block.size());
      return 0;
    }
    const std::lock_guard lock(mutex_);
    blocks_.emplace(address, std::move(block));
    return address;
  }

  bool release(std::uint64_t address) override {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(address);
    if (found == blocks_.end()) return false;
    drop(std::move(found->second));
    blocks_.erase(found);
    return true;
  }

  void releaseAll() {
    const std::lock_guard lock(mutex_);
    for (auto& [address, block] : blocks_) drop(std::move(block));
    blocks_.clear();
  }

  MemoryRange rangeFor(const Mapping& mapping) const {
    return {
        mapping.address(), mapping.address() + mapping.size(), std::uint64_t{1} << device_.index, device_.index, false,
        mapping.shift()};
  }

 private:
  void drop(Mapping block) {
    device_.refund(block.size());
    const auto last = std::make_shared<Mapping>(std::move(block));
    state().retire(last->address(), std::make_shared<Task>([last] {}));
  }

  Device& device_;
  std::atomic<bool>& asserted_;
  std::mutex mutex_;
  std::map<std::uint64_t, Mapping> blocks_;
};

struct DeviceServices::Hostcalls {
  Mapping memory;
  std::unique_ptr<HostcallBuffer> buffer;
};

DeviceServices::DeviceServices(Device& device) : device_(device), host_(std::make_unique<Host>(device, asserted_)) {}

DeviceServices::~DeviceServices() = default;

std::uint64_t DeviceServices::makeVisible(Mapping& place, std::size_t size, Reach reach) {
  if (place) return place.address();
  Mapping made = Mapping::make(size, reach);
  if (!made || !state().regions.insert(host_->rangeFor(made))) return 0;
  place = std::move(made);
  return place.address();
}

std::uint64_t DeviceServices::hostcallBuffer() {
  if (const Hostcalls* now = ready_.load(std::memory_order_acquire)) return now->buffer->address();
  const std::lock_guard lock(mutex_);
  if (hostcalls_ == nullptr) {
    auto made = std::make_unique<Hostcalls>();
    if (makeVisible(made->memory, HostcallBuffer::bytesFor(kWaves), Reach::kCpu) == 0) return 0;
    const std::span<std::byte> memory(made->memory.bytes(), made->memory.size());
    made->buffer = std::make_unique<HostcallBuffer>(memory, kWaves, *host_);
    hostcalls_ = std::move(made);
    ready_.store(hostcalls_.get(), std::memory_order_release);
  }
  return hostcalls_->buffer->address();
}

std::uint64_t DeviceServices::heap() {
  const std::lock_guard lock(mutex_);
  return makeVisible(heap_, DeviceHeap::kSize, state().discrete.reach());
}

std::uint64_t DeviceServices::queue() {
  const std::lock_guard lock(mutex_);
  const bool isNew = !queue_;
  const std::uint64_t address = makeVisible(queue_, kPage, Reach::kCpu);
  if (isNew && address != 0) {
    std::memcpy(queue_.bytes() + kSharedApertureAt, &kSharedBase, sizeof kSharedBase);
    std::memcpy(queue_.bytes() + kPrivateApertureAt, &kPrivateBase, sizeof kPrivateBase);
  }
  return address;
}

void DeviceServices::reset() {
  const std::lock_guard lock(mutex_);
  if (heap_) std::memset(heap_.bytes(), 0, heap_.size());
  host_->releaseAll();
  asserted_ = false;
}

std::function<void()> DeviceServices::bufferedPrintf(std::span<std::byte> buffer,
                                                     std::span<const std::string> formats) {
  return [this, printed = PrintfBuffer(buffer), formats]() mutable {
    if (const Status status = printed.drain(PrintfFormats(formats), *host_); !status.ok())
      logError("softgpu: %s", status.message().c_str());
  };
}

void DeviceServices::interrupt() {
  Hostcalls* const now = ready_.load(std::memory_order_acquire);
  if (now == nullptr) return;
  if (const Status status = now->buffer->service(); !status.ok()) logError("softgpu: %s", status.message().c_str());
}

std::optional<Fault> DeviceServices::trap(std::uint8_t id) {
  return defaultServices().trap(id);
}

CodeCache* DeviceServices::codeAround(std::uint64_t address) {
  const LoadedModule* module = device_.modules.find([&](const LoadedModule& m) {
    return address >= m.image.address() && address < m.image.address() + m.image.size();
  });
  return module != nullptr ? module->code.get() : nullptr;
}

std::uint64_t DeviceServices::realtime() {
  return defaultServices().realtime();
}

}  // namespace hipr::softgpu
