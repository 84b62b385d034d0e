// Memory that several clients of a worker have. The one that shares it gets a secret; who sends that secret gets the
// same memory, as physical memory to be mapped wherever it likes.
#include <functional>

#include "types/platform.h"
#include "wire/platform_codec.h"
#include "worker/session.h"
#include "worker/smi/station.h"

namespace hipr::worker {

// softgpu has to move the bytes to where other processes reach them, so nothing may use them meanwhile: no kernel, and
// no copy by CPU, of which there are none once they are lent. A GPU's runtime need not be waited for.
std::optional<wire::ShareMemoryReply> Session::share(wire::Opcode opcode, const Lent& lent, std::uint64_t begin) {
  wire::ShareMemoryReply answer;
  answer.begin = begin;
  answer.size = lent.size;
  answer.status = hipErrorInvalidValue;
  if (options_.shared == nullptr || lent.handle == nullptr) return answer;
  Platform platform;
  if (!wire::decodePlatform(options_.platform, platform) || !isSoftgpu(platform)) {
    answer.status = exportMemory(lent, answer.secret);
    return answer;
  }
  std::vector<StreamPtr> busy;
  for (const StreamPtr& stream : order_.streams(-1))
    if (!order_.isDone(*stream)) busy.push_back(stream);
  const Meter::Share place = meter_.take(Quota::kWaits, busy.size() + 1);
  answer.status = place ? hipSuccess : hipErrorOutOfMemory;
  if (!place) return answer;
  const std::function<void()> finish = [this, opcode, lent, answer, place, request = request_]() mutable {
    answer.status = exportMemory(lent, answer.secret);
    reply(outbox_, opcode, request, answer);
  };
  if (busy.empty()) crew_.add(std::make_shared<Series>(), finish);
  const auto left = std::make_shared<std::atomic<std::size_t>>(busy.size());
  for (const StreamPtr& stream : busy)
    order_.whenDone(stream, [left, finish](hipError_t) {
      if (--*left == 0) finish();
    });
  return std::nullopt;
}

hipError_t Session::exportMemory(const Lent& lent, wire::Secret& secret) {
  const std::lock_guard lock(sharesMutex_);
  if (const auto found = shares_.find(lent.handle); found != shares_.end()) {
    secret = found->second;
    return hipSuccess;
  }
  int native = -1;
  const hipError_t error =
      backend_.hip.hipMemExportToShareableHandle(&native, lent.handle, hipMemHandleTypePosixFileDescriptor, 0);
  if (error != hipSuccess) return error;
  const Descriptor descriptor(native);
  if (!options_.shared->keep(lent.size, descriptor.number(), secret)) return hipErrorOutOfMemory;
  shares_.emplace(lent.handle, secret);
  return hipSuccess;
}

// The memory goes: nobody else can have it from now on.
void Session::unshare(hipMemGenericAllocationHandle_t handle) {
  const std::lock_guard lock(sharesMutex_);
  const auto node = shares_.extract(handle);
  if (!node.empty()) options_.shared->drop(node.mapped());
}

std::optional<wire::ShareMemoryReply> Session::onShareMemory(const wire::ShareMemory& m) {
  std::uint64_t begin = 0;
  const Lent lent = memory_.lend(m.address, begin);
  return share(wire::Opcode::kShareMemory, lent, begin);
}

std::optional<wire::ShareMemoryReply> Session::onSharePhysical(const wire::SharePhysical& m) {
  return share(wire::Opcode::kSharePhysical, virtualMemory_.lend(m.number), 0);
}

Session::Answer Session::onOpenPhysical(const wire::OpenPhysical& m) {
  if (!hasDevice(m.device)) return hipErrorInvalidDevice;
  if (!m.number || virtualMemory_.has(m.number)) {
    refuse("physical memory " + std::to_string(m.number) + " cannot be made");
    return hipErrorInvalidValue;
  }
  if (options_.shared == nullptr) return hipErrorNotSupported;
  std::uint64_t size = 0;
  const Descriptor descriptor = options_.shared->fetch(m.secret, size);
  if (descriptor.number() < 0 || size != m.size) return hipErrorInvalidDevicePointer;
  if (!obtainCredit(m.device, size)) return hipErrorOutOfMemory;
  return virtualMemory_.adopt(m.number, m.device, size, descriptor.number());
}

}  // namespace hipr::worker
