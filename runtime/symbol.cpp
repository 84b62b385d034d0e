#include "runtime/symbol.h"

#include "runtime/api.h"
#include "runtime/async_error.h"
#include "runtime/memcpy.h"
#include "runtime/registry.h"

namespace hipr {

hipError_t symbolPart(Process& p, Device& device, const void* symbol, std::size_t offset, std::size_t size,
                      void*& address) {
  if (symbol == nullptr) return hipErrorInvalidSymbol;
  std::size_t length = 0;
  HIPR_TRY(registeredVariable(p, device, symbol, address, length));
  if (offset > length || size > length - offset) return hipErrorInvalidValue;
  address = static_cast<std::byte*>(address) + offset;
  return hipSuccess;
}

namespace api {

namespace {

hipError_t toSymbol(const void* symbol, const void* src, std::size_t size, std::size_t offset, hipMemcpyKind kind,
                    hipStream_t stream, Stage asked) {
  Process* p;
  Stream* s;
  HIPR_TRY(streamForWork(stream, p, s));
  if (asked != Stage::kSent) HIPR_TRY(p->captures.blockingCallAllowed());
  if (kind != hipMemcpyHostToDevice && kind != hipMemcpyDeviceToDevice && kind != hipMemcpyDeviceToDeviceNoCU)
    return hipErrorInvalidMemcpyDirection;
  void* address = nullptr;
  HIPR_TRY(symbolPart(*p, *s->owner, symbol, offset, size, address));
  return copyMemory(*p, *s, linear(address, src, size, kind), asked);
}

hipError_t fromSymbol(void* dst, const void* symbol, std::size_t size, std::size_t offset, hipMemcpyKind kind,
                      hipStream_t stream, Stage asked) {
  Process* p;
  Stream* s;
  HIPR_TRY(streamForWork(stream, p, s));
  if (asked != Stage::kSent) HIPR_TRY(p->captures.blockingCallAllowed());
  if (kind != hipMemcpyDeviceToHost && kind != hipMemcpyDeviceToDevice && kind != hipMemcpyDeviceToDeviceNoCU)
    return hipErrorInvalidMemcpyDirection;
  void* address = nullptr;
  HIPR_TRY(symbolPart(*p, *s->owner, symbol, offset, size, address));
  return copyMemory(*p, *s, linear(dst, address, size, kind), asked);
}

}  // namespace

hipError_t hipGetSymbolAddress(void** devPtr, const void* symbol) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  if (devPtr == nullptr) return hipErrorInvalidValue;
  std::size_t size = 0;
  return registeredVariable(*p, *device, symbol, *devPtr, size);
}

hipError_t hipGetSymbolSize(size_t* size, const void* symbol) {
  Process* p;
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  if (size == nullptr) return hipErrorInvalidValue;
  void* address = nullptr;
  return registeredVariable(*p, *device, symbol, address, *size);
}

hipError_t hipMemcpyToSymbol(const void* symbol, const void* src, size_t sizeBytes, size_t offset, hipMemcpyKind kind) {
  return toSymbol(symbol, src, sizeBytes, offset, kind, nullptr, Stage::kVisible);
}

hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* src, size_t sizeBytes, size_t offset,
                                  hipMemcpyKind kind, hipStream_t stream) {
  return toSymbol(symbol, src, sizeBytes, offset, kind, stream, Stage::kSent);
}

hipError_t hipMemcpyFromSymbol(void* dst, const void* symbol, size_t sizeBytes, size_t offset, hipMemcpyKind kind) {
  return fromSymbol(dst, symbol, sizeBytes, offset, kind, nullptr, Stage::kVisible);
}

hipError_t hipMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t sizeBytes, size_t offset, hipMemcpyKind kind,
                                    hipStream_t stream) {
  return fromSymbol(dst, symbol, sizeBytes, offset, kind, stream, Stage::kSent);
}

}  // namespace api
}  // namespace hipr
