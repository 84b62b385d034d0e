// Attributes of streams: how to wait, what to cache. They are about speed, so they are checked and kept, no more; the
// priority is the one the stream was created with.
#include "runtime/api.h"
#include "runtime/stream.h"

namespace hipr::api {

namespace {

hipError_t findAttributed(hipStream_t handle, Stream*& out) {
  Process* p;
  HIPR_TRY(process(p));
  return findStream(*p, handle, out) == hipSuccess ? hipSuccess : hipErrorInvalidHandle;
}

bool canBeSet(hipLaunchAttributeID attribute) {
  return attribute == hipLaunchAttributeAccessPolicyWindow || attribute == hipLaunchAttributeSynchronizationPolicy ||
         attribute == hipLaunchAttributeMemSyncDomainMap || attribute == hipLaunchAttributeMemSyncDomain;
}

}  // namespace

hipError_t hipStreamSetAttribute(hipStream_t stream, hipLaunchAttributeID attr, const hipLaunchAttributeValue* value) {
  Stream* s;
  HIPR_TRY(findAttributed(stream, s));
  if (value == nullptr || !canBeSet(attr)) return hipErrorInvalidValue;
  if (attr == hipLaunchAttributeSynchronizationPolicy &&
      (value->syncPolicy < hipSyncPolicyAuto || value->syncPolicy > hipSyncPolicyBlockingSync))
    return hipErrorInvalidValue;
  std::lock_guard lock(s->attributesMutex);
  s->attributes[attr] = *value;
  return hipSuccess;
}

hipError_t hipStreamGetAttribute(hipStream_t stream, hipLaunchAttributeID attr, hipLaunchAttributeValue* value_out) {
  Stream* s;
  HIPR_TRY(findAttributed(stream, s));
  const bool priority = attr == hipLaunchAttributePriority;
  if (value_out == nullptr || (!priority && !canBeSet(attr))) return hipErrorInvalidValue;
  std::lock_guard lock(s->attributesMutex);
  if (const auto set = s->attributes.find(attr); set != s->attributes.end()) {
    *value_out = set->second;
    return hipSuccess;
  }
  *value_out = {};
  if (priority) value_out->priority = s->priority;
  if (attr == hipLaunchAttributeSynchronizationPolicy) value_out->syncPolicy = hipSyncPolicyAuto;
  return hipSuccess;
}

hipError_t hipStreamCopyAttributes(hipStream_t dst, hipStream_t src) {
  Stream *to, *from;
  HIPR_TRY(findAttributed(dst, to));
  HIPR_TRY(findAttributed(src, from));
  if (to == from) return hipSuccess;
  std::scoped_lock lock(to->attributesMutex, from->attributesMutex);
  to->attributes = from->attributes;
  return hipSuccess;
}

}  // namespace hipr::api
