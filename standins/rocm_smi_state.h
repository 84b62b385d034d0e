// What rsmi_init starts and rsmi_shut_down ends, and how its functions get at a GPU. Devices are numbered as HIP
// numbers them.
#pragma once

#include <exception>
#include <mutex>
#include <optional>
#include <vector>

#include "amdsmi/fit.h"
#include "amdsmi/live.h"
#include "platform/compiler.h"
#include "standins/rocm_smi_codes.h"

#define RSMI_EXPORT extern "C" HIPR_EXPORTED std::uint32_t

namespace hipr::standins {

struct State {
  std::mutex mutex;
  unsigned users = 0;
  std::optional<smi::Live> live;
  std::vector<std::size_t> gpus;  // by HIP's number: which of live->gpus()
};
State& state();

// body(Live&, index into gpus()) of a device.
template <class Body>
std::uint32_t onGpu(std::uint32_t device, Body body) {
  try {
    const std::lock_guard lock(state().mutex);
    if (!state().live) return kInitError;
    if (device >= state().gpus.size()) return kInvalidArgument;
    return body(*state().live, state().gpus[device]);
  } catch (const std::exception&) {
    return kInitError;
  }
}

// Stores what body(const Gpu&) knows; a null place to store asks whether there is anything.
template <class Out, class Body>
std::uint32_t ofGpu(std::uint32_t device, Out* out, Body body) {
  return onGpu(device, [&](smi::Live& live, std::size_t index) -> std::uint32_t {
    const auto value = smi::fit<Out>(body(live.gpus()[index]));
    if (!value) return kNotSupported;
    if (!out) return kInvalidArgument;
    *out = *value;
    return kSuccess;
  });
}

// The same of body(const Reading&), times `scale`.
template <class Out, class Body>
std::uint32_t ofReading(std::uint32_t device, Out* out, double scale, Body body) {
  return onGpu(device, [&](smi::Live& live, std::size_t index) -> std::uint32_t {
    const auto* readings = live.readings();
    if (!readings) return kNotSupported;
    const auto known = body((*readings)[index]);
    const std::optional<double> number = known ? std::optional<double>(static_cast<double>(*known)) : std::nullopt;
    const auto value = smi::fit<Out>(number, scale);
    if (!value) return kNotSupported;
    if (!out) return kInvalidArgument;
    *out = *value;
    return kSuccess;
  });
}

}  // namespace hipr::standins
