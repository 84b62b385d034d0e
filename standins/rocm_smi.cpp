// librocm_smi64: start and end, which GPUs there are, what they are, how they are connected.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "amdsmi/pci.h"
#include "base/log.h"
#include "standins/rocm_smi_state.h"
#include "telemetry/target.h"

namespace hipr::standins {

State& state() {
  static State* const instance = new State;  // programs call from exit handlers too
  return *instance;
}

namespace {

using telemetry::Gpu;

std::uint32_t text(std::uint32_t device, char* out, std::size_t size, std::string Gpu::* member) {
  return onGpu(device, [&](smi::Live& live, std::size_t index) -> std::uint32_t {
    const std::string& value = live.gpus()[index].*member;
    if (value.empty()) return kNotSupported;
    if (!out || size == 0) return kInvalidArgument;
    const std::size_t kept = std::min(value.size(), size - 1);
    std::memcpy(out, value.data(), kept);
    out[kept] = 0;
    return kept == value.size() ? kSuccess : kInsufficientSize;
  });
}

// body(const Link&) of the way from one device to another.
template <class Body>
std::uint32_t onLink(std::uint32_t from, std::uint32_t to, Body body) {
  return onGpu(from, [&](smi::Live& live, std::size_t source) -> std::uint32_t {
    if (to >= state().gpus.size()) return kInvalidArgument;
    const std::size_t target = state().gpus[to];
    for (const telemetry::Link& link : live.links())
      if (link.from == source && link.to == target) return body(link);
    return kNotSupported;
  });
}

}  // namespace
}  // namespace hipr::standins

using namespace hipr::standins;
using hipr::telemetry::Gpu;
using hipr::telemetry::Link;

RSMI_EXPORT rsmi_init(std::uint64_t) {
  try {
    const std::lock_guard lock(state().mutex);
    if (state().users == 0) {
      hipr::telemetry::SourcePtr source;
      if (const hipr::Status status = hipr::telemetry::openTarget(source); !status.ok()) {
        hipr::logError("rsmi_init: no telemetry: %s", status.message().c_str());
        return kInitError;
      }
      state().gpus = hipr::telemetry::inOrderOfHip(source->gpus());
      state().live.emplace(std::move(source));
    }
    ++state().users;
    return kSuccess;
  } catch (const std::exception&) {
    return kInitError;
  }
}

RSMI_EXPORT rsmi_shut_down() {
  const std::lock_guard lock(state().mutex);
  if (state().users == 0) return kInitError;
  if (--state().users == 0) state().live.reset();
  return kSuccess;
}

RSMI_EXPORT rsmi_num_monitor_devices(std::uint32_t* count) {
  const std::lock_guard lock(state().mutex);
  if (!state().live) return kInitError;
  if (!count) return kInvalidArgument;
  *count = static_cast<std::uint32_t>(state().gpus.size());
  return kSuccess;
}

RSMI_EXPORT rsmi_version_get(Version* version) {
  if (!version) return kInvalidArgument;
  *version = {7, 8, 0, "hip-remote"};
  return kSuccess;
}

RSMI_EXPORT rsmi_status_string(std::uint32_t status, const char** out) {
  if (!out) return kInvalidArgument;
  switch (status) {
    case kSuccess:
      *out = "success";
      return kSuccess;
    case kInvalidArgument:
      *out = "an argument is invalid";
      return kSuccess;
    case kNotSupported:
      *out = "the worker does not tell this of its GPU";
      return kSuccess;
    case kInitError:
      *out = "no connection to a worker";
      return kSuccess;
    case kInsufficientSize:
      *out = "the place for the answer is too small";
      return kSuccess;
    default:
      *out = "not a status that this library returns";
      return kSuccess;
  }
}

RSMI_EXPORT rsmi_dev_id_get(std::uint32_t device, std::uint16_t* out) {
  return ofGpu(device, out, [](const Gpu& gpu) { return gpu.deviceId; });
}
RSMI_EXPORT rsmi_dev_vendor_id_get(std::uint32_t device, std::uint16_t* out) {
  return ofGpu(device, out, [](const Gpu& gpu) { return gpu.vendorId; });
}
RSMI_EXPORT rsmi_dev_subsystem_id_get(std::uint32_t device, std::uint16_t* out) {
  return ofGpu(device, out, [](const Gpu& gpu) { return gpu.subsystemId; });
}
RSMI_EXPORT rsmi_dev_subsystem_vendor_id_get(std::uint32_t device, std::uint16_t* out) {
  return ofGpu(device, out, [](const Gpu& gpu) { return gpu.subsystemVendorId; });
}
RSMI_EXPORT rsmi_dev_revision_get(std::uint32_t device, std::uint16_t* out) {
  return ofGpu(device, out, [](const Gpu& gpu) { return gpu.revisionId; });
}
RSMI_EXPORT rsmi_dev_pci_id_get(std::uint32_t device, std::uint64_t* out) {
  return ofGpu(device, out, [](const Gpu& gpu) { return hipr::smi::bdfId(gpu.bdf); });
}
RSMI_EXPORT rsmi_dev_unique_id_get(std::uint32_t device, std::uint64_t* out) {
  return ofGpu(device, out, [](const Gpu& gpu) -> std::optional<std::uint64_t> {
    if (gpu.serial.empty() || gpu.serial.size() > 16) return std::nullopt;
    return std::strtoull(gpu.serial.c_str(), nullptr, 16);
  });
}
RSMI_EXPORT rsmi_topo_numa_affinity_get(std::uint32_t device, std::int32_t* out) {
  return ofGpu(device, out, [](const Gpu& gpu) { return gpu.numaNode; });
}
RSMI_EXPORT rsmi_topo_get_numa_node_number(std::uint32_t device, std::uint32_t* out) {
  return ofGpu(device, out, [](const Gpu& gpu) { return gpu.numaNode; });
}

RSMI_EXPORT rsmi_dev_name_get(std::uint32_t device, char* out, std::size_t size) {
  return text(device, out, size, &Gpu::name);
}
RSMI_EXPORT rsmi_dev_market_name_get(std::uint32_t device, char* out, std::uint32_t size) {
  return text(device, out, size, &Gpu::name);
}
RSMI_EXPORT rsmi_dev_vendor_name_get(std::uint32_t device, char* out, std::size_t size) {
  return text(device, out, size, &Gpu::vendor);
}
RSMI_EXPORT rsmi_dev_serial_number_get(std::uint32_t device, char* out, std::uint32_t size) {
  return text(device, out, size, &Gpu::serial);
}
RSMI_EXPORT rsmi_dev_vbios_version_get(std::uint32_t device, char* out, std::uint32_t size) {
  return text(device, out, size, &Gpu::firmwareVersion);
}

RSMI_EXPORT rsmi_topo_get_link_type(std::uint32_t from, std::uint32_t to, std::uint64_t* hops, LinkType* type) {
  return onLink(from, to, [&](const Link& link) -> std::uint32_t {
    if (!hops || !type) return kInvalidArgument;
    if (!link.hops || link.kind == hipr::telemetry::LinkKind::Unknown) return kNotSupported;
    *hops = *link.hops;
    *type = link.kind == hipr::telemetry::LinkKind::Pcie ? LinkType::kPcie : LinkType::kXgmi;
    return kSuccess;
  });
}
RSMI_EXPORT rsmi_topo_get_link_weight(std::uint32_t from, std::uint32_t to, std::uint64_t* weight) {
  return onLink(from, to, [&](const Link& link) -> std::uint32_t {
    if (!weight) return kInvalidArgument;
    if (!link.weight) return kNotSupported;
    *weight = *link.weight;
    return kSuccess;
  });
}
RSMI_EXPORT rsmi_is_P2P_accessible(std::uint32_t from, std::uint32_t to, bool* accessible) {
  return onLink(from, to, [&](const Link& link) -> std::uint32_t {
    if (!accessible) return kInvalidArgument;
    if (!link.accessible) return kNotSupported;
    *accessible = *link.accessible;
    return kSuccess;
  });
}
