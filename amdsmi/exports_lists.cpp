// Processes, and how one GPU reaches another.
#include <algorithm>

#include "amdsmi/exports.h"

using namespace hipr::smi;
using hipr::telemetry::Link;
using hipr::telemetry::LinkKind;

namespace {

constexpr std::uint32_t kPcieLink = 1, kFabricLink = 2;  // amdsmi_link_type_t

std::uint32_t linkType(LinkKind kind) {
  return kind == LinkKind::Pcie ? kPcieLink : kind == LinkKind::Fabric ? kFabricLink : caller::kUnknownLink;
}

// What the driver gives such a link, when the worker did not say: callers only compare weights.
hipr::telemetry::Maybe<std::uint32_t> usualWeight(const Link& link) {
  if (link.kind == LinkKind::Pcie) return 40;
  if (link.kind == LinkKind::Fabric) return 15 * link.hops.value_or(1);
  return std::nullopt;
}

// body(const Link&) for two different GPUs that have one.
template <class Out, class Body>
Code onLink(Handle from, Handle to, Out* out, Body body) {
  return onGpu(from, out, [&](const Device& source) -> Code {
    const Device* target = nullptr;
    if (const Code code = state().find(to, target); code != kSuccess) return code;
    if (target == &source) return kInvalid;
    for (const Link& link : state().links())
      if (link.from == source.index && link.to == target->index) return body(link);
    return kNotSupported;
  });
}

template <class Process>
void fill(Process& out, const hipr::telemetry::Process& process) {
  out = {};
  set(out.name, process.name);
  out.pid = static_cast<std::uint32_t>(process.pid);
  out.memory = out.vram = process.memoryBytes;
  set(out.container, process.client);
  if constexpr (requires { out.computeUnits; }) set(out.computeUnits, process.computeUnits);
}

}  // namespace

// A short array is filled as far as it goes; the count then tells how long it has to be.
SMI_EXPORT amdsmi_get_gpu_process_list(Handle handle, std::uint32_t* count, caller::Process* list) {
  return onGpu(handle, count, [&](const Device& device) -> Code {
    Live* live = state().live();
    const auto* all = live ? live->processes() : nullptr;
    if (!all) return kIo;
    const auto here = [&](const auto& process) { return process.gpu == device.index; };
    const auto found = static_cast<std::uint32_t>(std::ranges::count_if(*all, here));
    const std::uint32_t room = *count;
    *count = found;
    if (!list || room == 0) return kSuccess;
    for (std::uint32_t filled = 0; const auto& process : *all) {
      if (!here(process)) continue;
      if (filled == room) return kOutOfResources;
      fill(list[filled++], process);
    }
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_is_P2P_accessible(Handle from, Handle to, bool* accessible) {
  if (from && from == to) {
    return onGpu(from, accessible, [&](const Device&) {
      *accessible = false;
      return kSuccess;
    });
  }
  return onLink(from, to, accessible, [&](const Link& link) {
    *accessible = link.accessible.value_or(false);
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_topo_get_link_type(Handle from, Handle to, std::uint64_t* hops, std::uint32_t* type) {
  return onLink(from, to, hops, [&](const Link& link) -> Code {
    if (!type) return kInvalid;
    *hops = link.hops.value_or(1);
    *type = linkType(link.kind);
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_topo_get_link_weight(Handle from, Handle to, std::uint64_t* weight) {
  return onLink(from, to, weight,
                [&](const Link& link) { return give(weight, link.weight ? link.weight : usualWeight(link)); });
}

SMI_EXPORT amdsmi_get_minmax_bandwidth_between_processors(Handle from, Handle to, std::uint64_t* least,
                                                          std::uint64_t* most) {
  return onLink(from, to, most, [&](const Link& link) -> Code {
    if (!link.bytesPerSecond || !least) return link.bytesPerSecond ? kInvalid : kNotSupported;
    *least = *most = *link.bytesPerSecond / 1'000'000;
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_topo_get_p2p_status(Handle from, Handle to, std::uint32_t* type, PeerAbilities* abilities) {
  return onLink(from, to, type, [&](const Link& link) -> Code {
    if (!abilities) return kInvalid;
    *type = linkType(link.kind);
    std::memset(abilities, 0xFF, sizeof *abilities);
    return kSuccess;
  });
}
