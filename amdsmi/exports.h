// What every exported function goes through: the lock, the checks of its arguments, and no exception to a C caller.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "amdsmi/fit.h"
#include "amdsmi/state.h"
#include "amdsmi/types_24.h"
#include "amdsmi/types_26.h"
#include "amdsmi/types_27.h"
#include "platform/compiler.h"

#define SMI_EXPORT extern "C" HIPR_EXPORTED hipr::smi::Code

namespace hipr::smi {

// The structures of this soname.
#if HIPR_SMI_ABI == 24
namespace caller = abi24;
#elif HIPR_SMI_ABI == 26
namespace caller = abi26;
#else
namespace caller = abi27;
#endif

template <class Body>
Code guarded(Body body) {
  try {
    const std::lock_guard lock(state().mutex);
    return body();
  } catch (const std::exception&) {
    return kInternalException;
  }
}

// body(const Device&), when the handle is a GPU and `out` somewhere to write to.
template <class Out, class Body>
Code onGpu(Handle handle, Out* out, Body body) {
  return guarded([&]() -> Code {
    const Device* device = nullptr;
    if (const Code code = state().find(handle, device); code != kSuccess) return code;
    return out ? body(*device) : kInvalid;
  });
}

// body(const telemetry::Gpu&, const telemetry::Reading&)
template <class Out, class Body>
Code onReading(Handle handle, Out* out, Body body) {
  return onGpu(handle, out, [&](const Device& device) -> Code {
    Live* live = state().live();
    const auto* readings = live ? live->readings() : nullptr;
    return readings ? body(*device.gpu, (*readings)[device.index]) : kIo;
  });
}

// A value that is there, or "not supported".
template <class Out, class T>
Code give(Out* out, const telemetry::Maybe<T>& value) {
  const auto fitted = fit<Out>(value);
  if (!fitted) return kNotSupported;
  *out = *fitted;
  return kSuccess;
}

// In a structure, "not available" is all ones of the field.
template <class Out, class T>
void set(Out& out, const telemetry::Maybe<T>& value) {
  out = fit<Out>(value).value_or(static_cast<Out>(~Out{0}));
}

// Callers decode text as UTF-8 and stop at the first byte that is none, so only plain characters go out.
inline void copyText(char* out, std::size_t size, const std::string& text) {
  const std::size_t length = std::min(text.size(), size - 1);
  std::transform(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length), out,
                 [](char c) { return c >= ' ' && c <= '~' ? c : '?'; });
  std::memset(out + length, 0, size - length);
}
template <std::size_t kSize>
void set(char (&out)[kSize], const std::string& text) {
  copyText(out, kSize, text);
}

// A name for a caller's buffer: cut to fit, which is an error to the caller.
inline Code giveText(char* out, std::size_t size, const std::string& text) {
  if (!out || size == 0) return kInvalid;
  copyText(out, size, text);
  return text.size() < size ? kSuccess : kTooSmall;
}

}  // namespace hipr::smi
