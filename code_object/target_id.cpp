#include "code_object/target_id.h"

#include <algorithm>
#include <array>

namespace hipr::code {
namespace {

constexpr std::size_t kMaxTargetIdLength = 128;

struct Machine {
  std::uint8_t number;
  const char* processor;
};

// EF_AMDGPU_MACH values (LLVM "User Guide for AMDGPU Backend", ELF header e_flags).
constexpr Machine kMachines[] = {
    {0x20, "gfx600"},          {0x21, "gfx601"},        {0x22, "gfx700"},         {0x23, "gfx701"},
    {0x24, "gfx702"},          {0x25, "gfx703"},        {0x26, "gfx704"},         {0x28, "gfx801"},
    {0x29, "gfx802"},          {0x2a, "gfx803"},        {0x2b, "gfx810"},         {0x2c, "gfx900"},
    {0x2d, "gfx902"},          {0x2e, "gfx904"},        {0x2f, "gfx906"},         {0x30, "gfx908"},
    {0x31, "gfx909"},          {0x32, "gfx90c"},        {0x33, "gfx1010"},        {0x34, "gfx1011"},
    {0x35, "gfx1012"},         {0x36, "gfx1030"},       {0x37, "gfx1031"},        {0x38, "gfx1032"},
    {0x39, "gfx1033"},         {0x3a, "gfx602"},        {0x3b, "gfx705"},         {0x3c, "gfx805"},
    {0x3d, "gfx1035"},         {0x3e, "gfx1034"},       {0x3f, "gfx90a"},         {0x40, "gfx940"},
    {0x41, "gfx1100"},         {0x42, "gfx1013"},       {0x43, "gfx1150"},        {0x44, "gfx1103"},
    {0x45, "gfx1036"},         {0x46, "gfx1101"},       {0x47, "gfx1102"},        {0x48, "gfx1200"},
    {0x49, "gfx1250"},         {0x4a, "gfx1151"},       {0x4b, "gfx941"},         {0x4c, "gfx942"},
    {0x4e, "gfx1201"},         {0x4f, "gfx950"},        {0x51, "gfx9-generic"},   {0x52, "gfx10-1-generic"},
    {0x53, "gfx10-3-generic"}, {0x54, "gfx11-generic"}, {0x55, "gfx1152"},        {0x58, "gfx1153"},
    {0x59, "gfx12-generic"},   {0x5a, "gfx1251"},       {0x5f, "gfx9-4-generic"},
};

struct Generic {
  std::string_view name;
  std::array<std::string_view, 8> members;
};

constexpr Generic kGenerics[] = {
    {"gfx9-generic", {"gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"}},
    {"gfx9-4-generic", {"gfx940", "gfx941", "gfx942", "gfx950"}},
    {"gfx10-1-generic", {"gfx1010", "gfx1011", "gfx1012", "gfx1013"}},
    {"gfx10-3-generic", {"gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"}},
    {"gfx11-generic", {"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"}},
    {"gfx12-generic", {"gfx1200", "gfx1201"}},
};

bool genericCovers(std::string_view generic, std::string_view processor) {
  for (const Generic& g : kGenerics) {
    if (g.name == generic) return std::find(g.members.begin(), g.members.end(), processor) != g.members.end();
  }
  return false;
}

bool isProcessorName(std::string_view text) {
  return text.starts_with("gfx") && text.size() > 3 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-';
         });
}

Status badTarget(std::string_view text) {
  return Status::invalid("bad target id \"" + std::string(text.substr(0, kMaxTargetIdLength)) + "\"");
}

// Two bits of e_flags: 0 not supported by the processor, 1 any, 2 off, 3 on.
Feature featureFromBits(std::uint32_t bits) {
  return bits == 2 ? Feature::kOff : bits == 3 ? Feature::kOn : Feature::kAny;
}

}  // namespace

std::string TargetId::text() const {
  std::string s = processor;
  if (sramecc != Feature::kAny) s += sramecc == Feature::kOn ? ":sramecc+" : ":sramecc-";
  if (xnack != Feature::kAny) s += xnack == Feature::kOn ? ":xnack+" : ":xnack-";
  return s;
}

Status parseTargetId(std::string_view text, TargetId& out) {
  if (text.size() > kMaxTargetIdLength) return badTarget(text);
  TargetId result;
  std::size_t colon = text.find(':');
  const std::string_view processor = text.substr(0, colon);
  if (!isProcessorName(processor)) return badTarget(text);
  result.processor = processor;
  while (colon != std::string_view::npos) {
    const std::size_t start = colon + 1;
    colon = text.find(':', start);
    std::string_view part = text.substr(start, colon == std::string_view::npos ? colon : colon - start);
    if (part.size() < 2 || (part.back() != '+' && part.back() != '-')) return badTarget(text);
    const Feature value = part.back() == '+' ? Feature::kOn : Feature::kOff;
    part.remove_suffix(1);
    Feature* field = part == "sramecc" ? &result.sramecc : part == "xnack" ? &result.xnack : nullptr;
    if (!field || *field != Feature::kAny) return badTarget(text);
    *field = value;
  }
  out = std::move(result);
  return {};
}

Status parseBundleId(std::string_view text, BundleId& out) {
  const std::size_t dash = text.find('-');
  BundleId result;
  result.kind = text.substr(0, dash);
  if (dash == std::string_view::npos || result.kind.empty()) {
    return Status::invalid("bad bundle entry id \"" + std::string(text.substr(0, kMaxTargetIdLength)) + "\"");
  }
  std::string_view rest = text.substr(dash + 1);
  // The triple has four fields (arch-vendor-os-environment), the last usually empty; the target id follows. Old
  // compilers left the fourth field and its dash out.
  const auto dashAfter = [rest](std::size_t from) {
    return from >= rest.size() ? rest.npos : rest.find('-', from + 1);
  };
  const std::size_t third = dashAfter(dashAfter(rest.find('-')));
  std::size_t end = dashAfter(third);
  if (end == rest.npos && third != rest.npos && rest.substr(third + 1).starts_with("gfx")) end = third;
  result.triple = rest.substr(0, end);
  if (result.triple.starts_with("amdgcn-amd-amdhsa") && end != std::string_view::npos) {
    TargetId target;
    if (Status s = parseTargetId(rest.substr(end + 1), target); !s.ok()) return s;
    result.target = std::move(target);
  }
  out = std::move(result);
  return {};
}

Status targetFromElfFlags(std::uint32_t flags, TargetId& out) {
  for (const Machine& m : kMachines) {
    if (m.number != (flags & 0xff)) continue;
    out = {m.processor, featureFromBits(flags >> 10 & 3), featureFromBits(flags >> 8 & 3)};
    return {};
  }
  return Status::unsupported("code object for an unknown GPU (e_flags machine " + std::to_string(flags & 0xff) + ")");
}

std::optional<int> matchRank(const TargetId& code, const TargetId& device) {
  const bool exact = code.processor == device.processor;
  if (!exact && !genericCovers(code.processor, device.processor)) return std::nullopt;
  int rank = exact ? 3 : 0;
  for (auto feature : {&TargetId::sramecc, &TargetId::xnack}) {
    if (code.*feature == Feature::kAny) continue;
    if (code.*feature != device.*feature) return std::nullopt;
    ++rank;
  }
  return rank;
}

std::optional<std::size_t> bestMatch(std::span<const TargetId> candidates, const TargetId& device) {
  std::optional<std::size_t> best;
  int bestRank = -1;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::optional<int> rank = matchRank(candidates[i], device);
    if (rank && *rank > bestRank) {
      best = i;
      bestRank = *rank;
    }
  }
  return best;
}

}  // namespace hipr::code
