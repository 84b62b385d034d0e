#include "runtime/device_resource.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "runtime/api.h"
#include "runtime/execution_context.h"
#include "runtime/stream.h"

namespace hipr {

namespace {

constexpr unsigned kTogether = 2;  // units that AMD's runtime gives out together

hipDevResource unitsOf(const ResourceOrigin& origin, unsigned count, unsigned together, unsigned flags = 0) {
  hipDevResource resource{};
  if (count == 0) return resource;  // hipDevResourceTypeInvalid
  resource.type = hipDevResourceTypeSm;
  static_assert(sizeof(origin) <= sizeof(resource.reserved));
  std::memcpy(resource.reserved, &origin, sizeof(origin));
  resource.sm = {.smCount = count, .minSmPartitionSize = together, .smCoscheduledAlignment = together, .flags = flags};
  return resource;
}

// Hands out a resource from its first unit on.
class Split {
 public:
  explicit Split(const hipDevResource& input) : origin_(originOf(input)), left_(input.sm.smCount) {
    static std::atomic<std::uint32_t> last{0};
    origin_.split = ++last;
  }
  unsigned left() const { return left_; }
  // REQUIRES: count <= left().
  hipDevResource take(unsigned count, unsigned together, unsigned flags = 0) {
    const hipDevResource part = unitsOf(origin_, count, together, flags);
    origin_.first += count;
    left_ -= count;
    return part;
  }

 private:
  ResourceOrigin origin_;
  unsigned left_;
};

hipError_t checkInput(const hipDevResource* input) {
  Process* p;
  HIPR_TRY(process(p));
  if (input == nullptr) return hipErrorInvalidValue;
  return input->type == hipDevResourceTypeSm ? hipSuccess : hipErrorInvalidResourceType;
}

// The sizes of the groups a program asks for; 0 in a group means as many as are left.
hipError_t chooseSizes(const hipDevResource& input, hipDevSmResourceGroupParams* groups, unsigned count) {
  unsigned taken = 0;
  for (unsigned i = 0; i < count; ++i) {
    hipDevSmResourceGroupParams& g = groups[i];
    if (g.coscheduledSmCount == 0) g.coscheduledSmCount = input.sm.smCoscheduledAlignment;
    if (g.coscheduledSmCount == 0) return hipErrorInvalidResourceConfiguration;
    if (g.preferredCoscheduledSmCount == 0) g.preferredCoscheduledSmCount = g.coscheduledSmCount;
    if (g.smCount != 0 && (g.smCount < 2 || g.smCount > input.sm.smCount)) return hipErrorInvalidResourceConfiguration;
  }
  for (unsigned i = 0; i < count; ++i) {
    hipDevSmResourceGroupParams& g = groups[i];
    const bool anySize = (g.flags & hipDevSmResourceGroupBackfill) != 0;
    const unsigned left = input.sm.smCount - taken;
    if (g.smCount == 0) g.smCount = anySize ? left : left / g.coscheduledSmCount * g.coscheduledSmCount;
    if (g.smCount > left) return hipErrorInvalidResourceConfiguration;
    if (g.smCount < g.coscheduledSmCount) return hipErrorInvalidResourceConfiguration;
    if (g.smCount % g.coscheduledSmCount != 0 && !anySize) return hipErrorInvalidResourceConfiguration;
    taken += g.smCount;
  }
  return hipSuccess;
}

}  // namespace

ResourceOrigin originOf(const hipDevResource& resource) {
  ResourceOrigin origin;
  std::memcpy(&origin, resource.reserved, sizeof(origin));
  return origin;
}

hipDevResource wholeDevice(int ordinal, unsigned units) {
  return unitsOf({.device = ordinal}, units, kTogether);
}

namespace api {
namespace {

hipError_t unitsWanted(const hipDevResource* resource, hipDevResourceType type, Process*& p) {
  HIPR_TRY(process(p));
  if (resource == nullptr) return hipErrorInvalidValue;
  return type == hipDevResourceTypeSm ? hipSuccess : hipErrorInvalidResourceType;
}

}  // namespace

hipError_t hipDeviceGetDevResource(hipDevice_t device, hipDevResource* resource, hipDevResourceType type) {
  Process* p;
  Device* d;
  HIPR_TRY(unitsWanted(resource, type, p));
  HIPR_TRY(findDevice(*p, device, d));
  *resource = wholeDevice(d->ordinal, d->info->props.multiProcessorCount);
  return hipSuccess;
}

hipError_t hipStreamGetDevResource(hipStream_t hStream, hipDevResource* resource, hipDevResourceType type) {
  Process* p;
  Stream* s;
  HIPR_TRY(unitsWanted(resource, type, p));
  if (findStream(*p, hStream, s) != hipSuccess) return hipErrorInvalidHandle;
  unsigned units = 0;
  for (const std::uint32_t word : s->cuMask) units += static_cast<unsigned>(__builtin_popcount(word));
  if (s->cuMask.empty()) units = s->owner->info->props.multiProcessorCount;
  *resource = wholeDevice(s->owner->ordinal, units);
  return hipSuccess;
}

hipError_t hipDevSmResourceSplitByCount(hipDevResource* result, unsigned int* nbGroups, const hipDevResource* input,
                                        hipDevResource* remainder, unsigned int flags, unsigned int minCount) {
  if (nbGroups == nullptr) input = nullptr;
  HIPR_TRY(checkInput(input));
  const bool alone = (flags & hipDevSmResourceSplitIgnoreSmCoscheduling) != 0;
  const unsigned together = alone ? 1 : std::max(1u, input->sm.smCoscheduledAlignment);
  if (minCount > input->sm.smCount) minCount = input->sm.smCount + 1;  // none, and no overflow below
  const unsigned each = std::max(together, (minCount + together - 1) / together * together);
  const unsigned possible = input->sm.smCount / each;
  if (result == nullptr) {
    *nbGroups = possible;
    return hipSuccess;
  }
  *nbGroups = std::min(*nbGroups, possible);
  Split split(*input);
  for (unsigned i = 0; i < *nbGroups; ++i) result[i] = split.take(each, together);
  if (remainder != nullptr) *remainder = split.take(split.left(), together);
  return hipSuccess;
}

hipError_t hipDevSmResourceSplit(hipDevResource* result, unsigned int nbGroups, const hipDevResource* input,
                                 hipDevResource* remainder, unsigned int flags,
                                 hipDevSmResourceGroupParams* groupParams) {
  if (groupParams == nullptr) input = nullptr;
  HIPR_TRY(checkInput(input));
  if (flags != 0) return hipErrorInvalidValue;
  HIPR_TRY(chooseSizes(*input, groupParams, nbGroups));
  Split split(*input);
  for (unsigned i = 0; i < nbGroups; ++i) {
    const hipDevSmResourceGroupParams& group = groupParams[i];
    const hipDevResource part = split.take(group.smCount, group.coscheduledSmCount, group.flags);
    if (result != nullptr) result[i] = part;
  }
  if (remainder != nullptr) *remainder = split.take(split.left(), input->sm.smCoscheduledAlignment);
  return hipSuccess;
}

// Parts that go together: of one device and, where they come from a split, of the same one.
hipError_t hipDevResourceGenerateDesc(hipDevResourceDesc_t* phDesc, hipDevResource* resources,
                                      unsigned int nbResources) {
  Process* p;
  HIPR_TRY(process(p));
  if (phDesc == nullptr || resources == nullptr || nbResources == 0) return hipErrorInvalidValue;
  std::uint32_t split = 0;
  for (unsigned i = 0; i < nbResources; ++i) {
    const hipDevResource& r = resources[i];
    if (r.type != hipDevResourceTypeSm) return hipErrorInvalidResourceType;
    const ResourceOrigin origin = originOf(r);
    if (split == 0) split = origin.split;
    const bool fits = r.sm.smCount != 0 && r.sm.smCoscheduledAlignment == resources[0].sm.smCoscheduledAlignment &&
                      origin.device == originOf(resources[0]).device && (origin.split == 0 || origin.split == split);
    if (!fits) return hipErrorInvalidResourceConfiguration;
  }
  ResourceDescription* description = p->resourceDescriptions.create();
  if (description == nullptr) return hipErrorOutOfMemory;
  description->resources.assign(resources, resources + nbResources);
  *phDesc = reinterpret_cast<hipDevResourceDesc_t>(description);
  return hipSuccess;
}

}  // namespace api
}  // namespace hipr
