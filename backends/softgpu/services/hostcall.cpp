#include "backends/softgpu/services/hostcall.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "backends/softgpu/services/device_heap.h"

namespace hipr::softgpu {

// The structures of the ROCm device library; a packet "pointer" is its index in the low bits (mask_) and a tag above,
// which grows with every reuse; 0 is the end of a stack.
struct HostcallBuffer::Control {
  std::uint64_t headers, payloads, signal, freeStack, readyStack, indexMask;
};
struct HostcallBuffer::Signal {  // amd_signal_t
  std::uint64_t kind, value, mailbox;
  std::uint32_t eventId, reserved;
  std::uint64_t times[2], queue, padding;
};
struct HostcallBuffer::Header {
  std::uint64_t next, activeLanes;
  std::uint32_t service, control;
};
struct HostcallBuffer::Payload {
  std::uint64_t slots[64][8];
};

namespace {

enum ServiceId : std::uint32_t { kFunctionCall = 1, kPrintf = 2, kDeviceMemory = 3, kSanitizer = 4 };
constexpr std::uint32_t kReady = 1;
constexpr std::uint64_t kUserSignal = 1;
constexpr std::size_t kLine = 64;

std::uint64_t address(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

std::uint64_t packetCount(std::uint32_t waves) {
  return std::bit_ceil(std::max<std::uint64_t>(waves, 1));
}

}  // namespace

struct HostcallBuffer::Layout {
  static constexpr std::size_t kSignal = kLine, kMailbox = 2 * kLine, kHeaders = 3 * kLine;
  explicit Layout(std::uint64_t packets)
      : payloads((kHeaders + packets * sizeof(Header) + kLine - 1) & ~(kLine - 1)),
        size(payloads + packets * sizeof(Payload)) {}
  std::size_t payloads, size;
};

std::size_t HostcallBuffer::bytesFor(std::uint32_t waves) {
  return Layout(packetCount(waves)).size;
}

HostcallBuffer::HostcallBuffer(std::span<std::byte> memory, std::uint32_t waves, ServiceHost& host) : host_(host) {
  static_assert(sizeof(Control) == 48 && sizeof(Signal) == 64 && sizeof(Header) == 24 && sizeof(Payload) == 4096);
  const std::uint64_t packets = packetCount(waves);
  const Layout layout(packets);
  mask_ = packets - 1;
  std::memset(memory.data(), 0, layout.payloads);
  control_ = reinterpret_cast<Control*>(memory.data());
  headers_ = reinterpret_cast<Header*>(memory.data() + Layout::kHeaders);
  payloads_ = reinterpret_cast<Payload*>(memory.data() + layout.payloads);
  for (std::uint64_t i = 1; i < packets; ++i) headers_[i].next = packets + i - 1;  // tag 1, index i - 1
  Signal* signal = reinterpret_cast<Signal*>(memory.data() + Layout::kSignal);
  // Without a mailbox the kernel would not send the interrupt message.
  signal->kind = kUserSignal;
  signal->mailbox = softgpu::address(memory.data() + Layout::kMailbox);
  *control_ = {softgpu::address(headers_),
               softgpu::address(payloads_),
               softgpu::address(signal),
               packets + packets - 1,
               0,
               mask_};
}

std::uint64_t HostcallBuffer::address() const {
  return softgpu::address(control_);
}

Status HostcallBuffer::service() {
  const std::lock_guard lock(mutex_);
  std::uint64_t packet = std::atomic_ref(control_->readyStack).exchange(0, std::memory_order_acquire);
  std::vector<std::uint64_t> ready;
  while (packet != 0 && ready.size() <= mask_) {
    ready.push_back(packet & mask_);
    packet = std::atomic_ref(headers_[ready.back()].next).load(std::memory_order_relaxed);
  }
  Status status;
  // The stack holds the latest packet first; serving the earliest first keeps output in the order it was made.
  for (auto index = ready.rbegin(); index != ready.rend(); ++index) {
    Status one = serve(headers_[*index], payloads_[*index]);
    if (status.ok()) status = std::move(one);
  }
  return status;
}

Status HostcallBuffer::serve(Header& header, Payload& payload) {
  std::atomic_ref control(header.control);
  if (!(control.load(std::memory_order_acquire) & kReady)) return Status::invalid("hostcall packet is not ready");
  const std::uint32_t service = header.service;
  Status status;
  for (std::uint64_t lanes = header.activeLanes; lanes != 0; lanes &= lanes - 1) {
    std::uint64_t(&slot)[8] = payload.slots[std::countr_zero(lanes)];
    std::uint64_t words[8];
    std::memcpy(words, slot, sizeof words);
    Status one = answer(service, words);
    std::memcpy(slot, words, 2 * sizeof words[0]);  // kernels read two words back
    if (status.ok()) status = std::move(one);
  }
  control.fetch_and(~kReady, std::memory_order_release);
  return status;
}

// Replaces the first two words of `slot` by the answer.
Status HostcallBuffer::answer(std::uint32_t service, std::span<std::uint64_t, 8> slot) {
  std::uint64_t result = 0;
  Status status;
  switch (service) {
    case kPrintf:
      result = messages_.handle(slot, host_);
      break;
    case kDeviceMemory:
      if (slot[0] == 0) {
        result = host_.allocate(slot[1], DeviceHeap::alignmentFor(slot[1]));
      } else if (!host_.release(slot[0])) {
        status = Status::invalid("kernel frees memory that was not allocated");
      }
      break;
    case kFunctionCall:
      // The kernel names a function of the host by address. Calling whatever address device code made up is no service.
      status = Status::unsupported("kernel calls a host function (hostcall service 1)");
      break;
    case kSanitizer:
      status = Status::unsupported("kernel reports an address sanitizer error (hostcall service 4)");
      break;
    default:
      status = Status::unsupported("hostcall service " + std::to_string(service));
  }
  slot[0] = result;
  slot[1] = 0;
  return status;
}

}  // namespace hipr::softgpu
