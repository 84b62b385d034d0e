#include "code_object/kernarg.h"

#include <algorithm>
#include <cstring>

namespace hipr::code {
namespace {

// Keys of the `extra` list, small integers in place of pointers.
enum : std::uintptr_t { kParamBuffer = 1, kParamSize = 2, kParamEnd = 3 };

std::uint64_t hiddenValue(ArgKind kind, const HiddenValues& v) {
  const auto axis = [kind](ArgKind x) { return static_cast<int>(kind) - static_cast<int>(x); };
  switch (kind) {
    case ArgKind::kHiddenGlobalOffsetX:
    case ArgKind::kHiddenGlobalOffsetY:
    case ArgKind::kHiddenGlobalOffsetZ:
      return v.globalOffset[axis(ArgKind::kHiddenGlobalOffsetX)];
    case ArgKind::kHiddenBlockCountX:
    case ArgKind::kHiddenBlockCountY:
    case ArgKind::kHiddenBlockCountZ:
      return v.blockCount[axis(ArgKind::kHiddenBlockCountX)];
    case ArgKind::kHiddenGroupSizeX:
    case ArgKind::kHiddenGroupSizeY:
    case ArgKind::kHiddenGroupSizeZ:
      return v.groupSize[axis(ArgKind::kHiddenGroupSizeX)];
    case ArgKind::kHiddenRemainderX:
    case ArgKind::kHiddenRemainderY:
    case ArgKind::kHiddenRemainderZ:
      return v.remainder[axis(ArgKind::kHiddenRemainderX)];
    case ArgKind::kHiddenGridDims:
      return v.gridDims;
    case ArgKind::kHiddenPrintfBuffer:
      return v.printfBuffer;
    case ArgKind::kHiddenHostcallBuffer:
      return v.hostcallBuffer;
    case ArgKind::kHiddenHeapV1:
      return v.heapV1;
    case ArgKind::kHiddenDefaultQueue:
      return v.defaultQueue;
    case ArgKind::kHiddenCompletionAction:
      return v.completionAction;
    case ArgKind::kHiddenMultigridSyncArg:
      return v.multigridSyncArg;
    case ArgKind::kHiddenQueuePtr:
      return v.queuePtr;
    case ArgKind::kHiddenDynamicLdsSize:
      return v.dynamicLdsSize;
    case ArgKind::kHiddenPrivateBase:
      return v.privateBase;
    case ArgKind::kHiddenSharedBase:
      return v.sharedBase;
    default:
      return 0;
  }
}

Status tooSmall(const KernelMetadata& kernel) {
  return Status::invalid("kernarg buffer is too small for kernel " + kernel.name);
}

// Most arguments are pointers and ints, for which calling memcpy takes longer than copying.
void copyValue(std::byte* to, const void* from, std::size_t size) {
  switch (size) {
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 8:
      std::memcpy(to, from, 8);
      break;
    default:
      std::memcpy(to, from, size);
  }
}

}  // namespace

std::uint32_t explicitSize(const KernelMetadata& kernel) {
  if (kernel.args.empty()) return kernel.kernargSize;
  std::uint32_t end = 0;
  for (const KernelArg& a : kernel.args) {
    if (!a.hidden()) end = std::max(end, a.offset + a.size);
  }
  return end;
}

std::uint32_t explicitCount(const KernelMetadata& kernel) {
  return static_cast<std::uint32_t>(
      std::count_if(kernel.args.begin(), kernel.args.end(), [](const KernelArg& a) { return !a.hidden(); }));
}

Status packParams(const KernelMetadata& kernel, void* const* params, std::span<std::byte> kernarg) {
  std::size_t index = 0;
  for (const KernelArg& a : kernel.args) {
    if (a.hidden()) continue;
    if (kernarg.size() < std::uint64_t{a.offset} + a.size) return tooSmall(kernel);
    const void* value = params ? params[index] : nullptr;
    if (!value) {
      return Status::invalid("argument " + std::to_string(index) + " of kernel " + kernel.name + " is a null pointer");
    }
    copyValue(kernarg.data() + a.offset, value, a.size);
    ++index;
  }
  return {};
}

Status parseExtra(void* const* extra, Bytes& buffer) {
  const void* data = nullptr;
  const std::size_t* size = nullptr;
  for (int i = 0;; i += 2) {
    switch (reinterpret_cast<std::uintptr_t>(extra[i])) {
      case kParamBuffer:
        data = extra[i + 1];
        break;
      case kParamSize:
        size = static_cast<const std::size_t*>(extra[i + 1]);
        break;
      case kParamEnd:
        if (!size || (!data && *size != 0)) return Status::invalid("launch: `extra` lacks a buffer or its size");
        buffer = {static_cast<const std::byte*>(data), *size};
        return {};
      default:
        return Status::invalid("launch: unknown key in `extra`");
    }
  }
}

Status packBuffer(const KernelMetadata& kernel, Bytes buffer, std::span<std::byte> kernarg) {
  const std::uint32_t size = explicitSize(kernel);
  if (kernarg.size() < size) return tooSmall(kernel);
  // Without a list of arguments nothing says how much the kernel really reads, so less than the whole is accepted.
  if (buffer.size() < size && !kernel.args.empty()) {
    return Status::invalid("kernel " + kernel.name + " takes " + std::to_string(size) + " bytes of arguments, " +
                           std::to_string(buffer.size()) + " were passed");
  }
  std::copy_n(buffer.begin(), std::min<std::size_t>(size, buffer.size()), kernarg.begin());
  return {};
}

HiddenValues HiddenValues::forGrid(const std::uint32_t (&workItems)[3], const std::uint32_t (&group)[3]) {
  HiddenValues v;
  for (int i = 0; i < 3; ++i) {
    v.blockCount[i] = workItems[i] / group[i];
    v.groupSize[i] = static_cast<std::uint16_t>(group[i]);
    v.remainder[i] = static_cast<std::uint16_t>(workItems[i] % group[i]);
    if (workItems[i] > 1) v.gridDims = static_cast<std::uint16_t>(i + 1);
  }
  return v;
}

Status fillHidden(const KernelMetadata& kernel, const HiddenValues& values, std::span<std::byte> kernarg) {
  if (kernarg.size() < kernel.kernargSize) return tooSmall(kernel);
  for (const KernelArg& a : kernel.args) {
    if (!a.hidden() || a.kind == ArgKind::kHiddenNone) continue;
    if (a.kind == ArgKind::kHiddenUnknown) {
      return Status::unsupported("kernel " + kernel.name + " wants a hidden argument of an unknown kind");
    }
    if (a.size > sizeof(std::uint64_t))
      return Status::invalid("hidden argument of kernel " + kernel.name + " too large");
    const std::uint64_t value = hiddenValue(a.kind, values);
    std::memcpy(kernarg.data() + a.offset, &value, a.size);
  }
  return {};
}

}  // namespace hipr::code
