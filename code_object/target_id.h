// Target ids: which GPU a piece of code is for ("gfx90a:sramecc+:xnack-"), and which piece suits a device best.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace hipr::code {

// kAny: the code runs with the feature on or off (also: the processor has no such feature).
enum class Feature : std::uint8_t { kAny, kOff, kOn };

struct TargetId {
  std::string processor;  // "gfx90a", "gfx11-generic"
  Feature sramecc = Feature::kAny;
  Feature xnack = Feature::kAny;

  std::string text() const;  // canonical: features in alphabetical order
  bool operator==(const TargetId&) const = default;
};

Status parseTargetId(std::string_view text, TargetId& out);

// An entry id of an offload bundle: "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-" or "host-x86_64-unknown-linux--".
// `target` is empty for host entries and for devices that are not AMD GPUs (for example SPIR-V).
struct BundleId {
  std::string kind;  // "host", "hip", "hipv4", "openmp"
  std::string triple;
  std::optional<TargetId> target;
};
Status parseBundleId(std::string_view text, BundleId& out);

// The target stated by e_flags of a code object of version 4 or later.
Status targetFromElfFlags(std::uint32_t flags, TargetId& out);

// How well code for `code` suits `device`: nullopt when it must not run there, else larger is better. A feature the
// code states must be equal on the device; one it does not state may be anything. Exact processors beat generic ones.
std::optional<int> matchRank(const TargetId& code, const TargetId& device);

// The index of the best match, or nullopt. The first of equals wins.
std::optional<std::size_t> bestMatch(std::span<const TargetId> candidates, const TargetId& device);

}  // namespace hipr::code
