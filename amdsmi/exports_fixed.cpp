// What a GPU is: answered from what was learned at amdsmi_init.
#include <cstdlib>

#include "amdsmi/exports.h"
#include "amdsmi/names.h"
#include "amdsmi/pci.h"

using namespace hipr::smi;
using hipr::telemetry::Gpu;
using hipr::telemetry::Maybe;

namespace {

constexpr std::uint32_t kPassthrough = 4;  // the answer that lets amd-smi on a virtual machine show everything
constexpr double kMicro = 1e6;
constexpr std::uint32_t kUnknownId = 0xFFFFFFFF;

template <class Field>
void setId(Field& out, const Maybe<std::uint32_t>& id) {
  out = fit<Field>(id).value_or(caller::kNoId<Field>);
}

// Templates, because older structures have fewer fields.
template <class Asic>
void fill(Asic& out, const Gpu& gpu) {
  out = {};
  set(out.name, gpu.name);
  setId(out.vendorId, gpu.vendorId);
  set(out.vendor, gpu.vendor == "AMD" ? "Advanced Micro Devices Inc. [AMD/ATI]" : gpu.vendor);
  setId(out.subvendorId, gpu.subsystemVendorId);
  setId(out.deviceId, gpu.deviceId);
  out.revision = gpu.revisionId.value_or(caller::kNoRevision);
  set(out.serial, hexadecimal(gpu.serial));
  set(out.oamId, Maybe<std::uint32_t>());
  if constexpr (requires { out.computeUnits; }) {
    set(out.computeUnits, gpu.computeUnits);
    set(out.target, targetVersion(gpu.target));
    set(out.subsystemId, gpu.subsystemId);
  }
  caller::finish(out);
}

template <class Vram>
void fillMemory(Vram& out, const Gpu& gpu) {
  out = {};
  out.megabytes = gpu.memoryBytes >> 20;
  if constexpr (requires { out.bits; }) {
    out.type = memoryType(gpu.memoryType, MemoryNumbers::Since62);
    set(out.vendor, std::string("UNKNOWN"));
    set(out.bits, gpu.memoryBusBits);
    out.bandwidth = ~std::uint64_t{0};
  } else {
    out.type = memoryType(gpu.memoryType, MemoryNumbers::Before62);
  }
}

}  // namespace

SMI_EXPORT amdsmi_get_gpu_asic_info(Handle handle, caller::Asic* out) {
  return onGpu(handle, out, [&](const Device& device) {
    fill(*out, *device.gpu);
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_gpu_board_info(Handle handle, caller::Board* out) {
  return onGpu(handle, out, [&](const Device& device) {
    *out = {};
    set(out->model, device.gpu->boardModel);
    set(out->product, device.gpu->boardName);
    set(out->manufacturer, device.gpu->manufacturer);
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_gpu_driver_info(Handle handle, caller::Driver* out) {
  return onGpu(handle, out, [&](const Device& device) {
    *out = {};
    set(out->version, device.gpu->driverVersion);
    set(out->name, device.gpu->driverName);
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_gpu_vbios_info(Handle handle, caller::Vbios* out) {
  return onGpu(handle, out, [&](const Device& device) -> Code {
    if (device.gpu->firmwareVersion.empty()) return kNotSupported;
    *out = {};
    set(out->version, device.gpu->firmwareVersion);
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_gpu_vram_info(Handle handle, caller::Vram* out) {
  return onGpu(handle, out, [&](const Device& device) {
    fillMemory(*out, *device.gpu);
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_gpu_memory_total(Handle handle, std::uint32_t type, std::uint64_t* bytes) {
  return onGpu(handle, bytes, [&](const Device& device) -> Code {
    if (type > 1) return kNotSupported;  // 0: all of it, 1: what the CPU can reach, which is all of it to a client
    *bytes = device.gpu->memoryBytes;
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_gpu_device_bdf(Handle handle, std::uint64_t* bdf) {
  return onGpu(handle, bdf, [&](const Device& device) { return give(bdf, packedBdf(device.gpu->bdf)); });
}

SMI_EXPORT amdsmi_get_gpu_bdf_id(Handle handle, std::uint64_t* id) {
  return onGpu(handle, id, [&](const Device& device) { return give(id, bdfId(device.gpu->bdf)); });
}

SMI_EXPORT amdsmi_get_gpu_id(Handle handle, std::uint16_t* id) {
  return onGpu(handle, id, [&](const Device& device) { return give(id, device.gpu->deviceId); });
}

SMI_EXPORT amdsmi_get_gpu_revision(Handle handle, std::uint16_t* revision) {
  return onGpu(handle, revision, [&](const Device& device) { return give(revision, device.gpu->revisionId); });
}

SMI_EXPORT amdsmi_get_gpu_subsystem_id(Handle handle, std::uint16_t* id) {
  return onGpu(handle, id, [&](const Device& device) { return give(id, device.gpu->subsystemId); });
}

SMI_EXPORT amdsmi_get_gpu_vendor_name(Handle handle, char* name, std::size_t size) {
  return onGpu(handle, name, [&](const Device& device) { return giveText(name, size, device.gpu->vendor); });
}

SMI_EXPORT amdsmi_get_gpu_device_uuid(Handle handle, unsigned* size, char* uuid) {
  return onGpu(handle, uuid, [&](const Device& device) -> Code {
    if (!size || *size < kUuidRoom) return kInvalid;
    const Code code = giveText(uuid, *size, uuidText(device.gpu->uuid));
    *size = kUuidRoom;
    return code;
  });
}

#if HIPR_SMI_ABI >= 26  // older callers have no such structure
namespace {

Maybe<std::uint32_t> renderMinor(const std::string& path) {
  const std::size_t at = path.find("renderD");
  if (at == std::string::npos) return std::nullopt;
  return static_cast<std::uint32_t>(std::strtoul(path.c_str() + at + 7, nullptr, 10));
}

}  // namespace

SMI_EXPORT amdsmi_get_gpu_enumeration_info(Handle handle, caller::Enumeration* out) {
  return onGpu(handle, out, [&](const Device& device) {
    set(out->renderNode, renderMinor(device.gpu->renderNode));
    out->card = out->hsa = kUnknownId;
    out->hip = device.index;
    set(out->uuid, "GPU-" + (device.gpu->serial.empty() ? uuidText(device.gpu->uuid) : device.gpu->serial));
    caller::finish(*out);
    return kSuccess;
  });
}
#endif

SMI_EXPORT amdsmi_get_gpu_kfd_info(Handle handle, Kfd* out) {
  return onGpu(handle, out, [&](const Device&) {
    *out = {};
    out->id = ~std::uint64_t{0};
    out->node = kUnknownId;
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_power_cap_info(Handle handle, std::uint32_t sensor, PowerCap* out) {
  return onGpu(handle, out, [&](const Device& device) -> Code {
    const auto& gpu = *device.gpu;
    const auto cap = fit<std::uint64_t>(gpu.powerCapWatts, kMicro);
    if (sensor != 0 || (!cap && !caller::kCapMayBeZero)) return kNotSupported;
    *out = {};
    out->cap = cap.value_or(0);
    out->most = out->standard = fit<std::uint64_t>(gpu.maxPowerCapWatts, kMicro).value_or(out->cap);
    out->least = fit<std::uint64_t>(gpu.minPowerCapWatts, kMicro).value_or(0);
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_supported_power_cap(Handle handle, std::uint32_t* count, std::uint32_t* sensors,
                                          std::uint32_t* types) {
  return onGpu(handle, count, [&](const Device& device) -> Code {
    if (!device.gpu->powerCapWatts) return kNotSupported;
    if (sensors && types && *count > 0) sensors[0] = types[0] = 0;
    *count = 1;
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_gpu_topo_numa_affinity(Handle handle, std::int32_t* node) {
  return onGpu(handle, node, [&](const Device& device) { return give(node, device.gpu->numaNode); });
}

SMI_EXPORT amdsmi_topo_get_numa_node_number(Handle handle, std::uint32_t* node) {
  return onGpu(handle, node, [&](const Device& device) { return give(node, device.gpu->numaNode); });
}

SMI_EXPORT amdsmi_get_gpu_virtualization_mode(Handle handle, std::uint32_t* mode) {
  return onGpu(handle, mode, [&](const Device&) {
    *mode = kPassthrough;
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_gpu_metrics_header_info(Handle handle, MetricsHeader* header) {
  return onGpu(handle, header, [&](const Device&) {
    *header = {sizeof(caller::Metrics), 1, 3};
    return kSuccess;
  });
}
