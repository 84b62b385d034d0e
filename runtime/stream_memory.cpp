// Writing single words in stream order, and waiting for them.
#include "runtime/stream_memory.h"

#include "runtime/api.h"
#include "runtime/stream.h"
#include "runtime/submit.h"

namespace hipr {

namespace api {

namespace {

// A step as the program asks for it; `flags` chooses among the ways to wait or to write.
struct Wish {
  bool waits;
  std::uint8_t bytes;
  void* address;
  std::uint64_t value;
  std::uint64_t mask;
  unsigned flags;
};

hipError_t actionOf(const Wish& wish, WordAction& out) {
  if (wish.waits) {
    if (wish.flags > 3) return hipErrorInvalidValue;
    constexpr WordAction kWays[] = {WordAction::kWaitAtLeast, WordAction::kWaitEqual, WordAction::kWaitAny,
                                    WordAction::kWaitMissing};
    out = kWays[wish.flags];
    return hipSuccess;
  }
  if (wish.flags != 0 && wish.flags != kIncrementFlag && wish.flags != kDecrementFlag) return hipErrorInvalidValue;
  out = wish.flags == 0 ? WordAction::kWrite : wish.flags == kIncrementFlag ? WordAction::kAdd : WordAction::kSubtract;
  return hipSuccess;
}

hipError_t resolve(Process& p, const Wish& wish, WordStep& out) {
  if (wish.address == nullptr || reinterpret_cast<std::uintptr_t>(wish.address) % wish.bytes != 0)
    return hipErrorInvalidValue;
  const auto region = p.allocations.find(wish.address);
  if (!region) return hipErrorInvalidValue;
  const Allocation& memory = region->allocation;
  const std::size_t offset = region->offsetOf(wish.address);
  if (!p.allocations.holds(*region, offset, wish.bytes)) return hipErrorInvalidValue;
  void* base = memory.kind == MemoryKind::kRegistered ? memory.host : memory.devicePointer;
  out = {.bytes = wish.bytes,
         .address = static_cast<std::byte*>(base) + offset,
         .owner = memory.owner,
         .value = wish.value,
         .mask = wish.mask,
         .kind = memory.kind};
  return actionOf(wish, out.action);
}

hipError_t resolveAll(Process& p, std::span<const Wish> wishes, std::vector<WordStep>& out) {
  out.resize(wishes.size());
  for (std::size_t i = 0; i < wishes.size(); ++i) HIPR_TRY(resolve(p, wishes[i], out[i]));
  return hipSuccess;
}

hipError_t readBatch(std::span<const hipStreamBatchMemOpParams> batch, std::vector<Wish>& out) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  for (const hipStreamBatchMemOpParams& one : batch) {
    switch (one.operation) {
      case hipStreamMemOpWaitValue32:
        out.push_back({true, 4, one.waitValue.address, one.waitValue.value, kAll, one.waitValue.flags});
        break;
      case hipStreamMemOpWaitValue64:
        out.push_back({true, 8, one.waitValue.address, one.waitValue.value64, kAll, one.waitValue.flags});
        break;
      case hipStreamMemOpWriteValue32:
        out.push_back({false, 4, one.writeValue.address, one.writeValue.value, 0, one.writeValue.flags});
        break;
      case hipStreamMemOpWriteValue64:
        out.push_back({false, 8, one.writeValue.address, one.writeValue.value64, 0, one.writeValue.flags});
        break;
      default:  // AMD's runtime has no barriers and no remote writes to flush either
        return hipErrorInvalidValue;
    }
  }
  return hipSuccess;
}

hipError_t submitSteps(hipStream_t stream, std::span<const Wish> wishes) {
  Process* p;
  Stream* s;
  HIPR_TRY(process(p));
  for (const Wish& wish : wishes)
    if (wish.address == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(streamForWork(stream, p, s));
  std::vector<WordStep> steps;
  HIPR_TRY(resolveAll(*p, wishes, steps));
  return submit(*p, *s, WordSteps{steps});
}

hipError_t submitStep(hipStream_t stream, const Wish& wish) {
  return submitSteps(stream, {&wish, 1});
}

}  // namespace

hipError_t hipStreamWaitValue32(hipStream_t stream, void* ptr, uint32_t value, unsigned int flags, uint32_t mask) {
  return submitStep(stream, {true, 4, ptr, value, mask, flags});
}

hipError_t hipStreamWaitValue64(hipStream_t stream, void* ptr, uint64_t value, unsigned int flags, uint64_t mask) {
  return submitStep(stream, {true, 8, ptr, value, mask, flags});
}

hipError_t hipStreamWriteValue32(hipStream_t stream, void* ptr, uint32_t value, unsigned int flags) {
  return submitStep(stream, {false, 4, ptr, value, 0, flags});
}

hipError_t hipStreamWriteValue64(hipStream_t stream, void* ptr, uint64_t value, unsigned int flags) {
  return submitStep(stream, {false, 8, ptr, value, 0, flags});
}

hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned int count, hipStreamBatchMemOpParams* paramArray,
                               unsigned int flags) {
  Process* p;
  HIPR_TRY(process(p));
  if (paramArray == nullptr || flags != 0 || count == 0 || count > kMostWordSteps) return hipErrorInvalidValue;
  std::vector<Wish> wishes;
  HIPR_TRY(readBatch({paramArray, count}, wishes));
  return submitSteps(stream, wishes);
}

}  // namespace api

hipError_t makeWordSteps(Process& p, std::span<const hipStreamBatchMemOpParams> batch, std::vector<WordStep>& out) {
  std::vector<api::Wish> wishes;
  HIPR_TRY(api::readBatch(batch, wishes));
  return api::resolveAll(p, wishes, out);
}

}  // namespace hipr
