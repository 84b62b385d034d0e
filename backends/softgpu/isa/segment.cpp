#include "backends/softgpu/isa/segment.h"

#include "backends/softgpu/isa/lds.h"
#include "backends/softgpu/isa/span.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

// Private accesses that are not dword-aligned straddle the interleaving: they go through a contiguous copy of each
// lane's bytes, read before and written back after.
void unalignedPrivate(Wave& w, const std::uint64_t* offsets, std::uint64_t lanes, unsigned bytes, Accessor access) {
  alignas(64) std::uint8_t copy[kLanes][16];
  Addresses a;
  a.active = lanes;
  auto each = [&](auto&& move) {
    for (std::uint64_t left = lanes; left; left &= left - 1) {
      int l = std::countr_zero(left);
      for (unsigned b = 0; b < bytes; ++b) {
        std::uint64_t o = offsets[l] + b;
        move(&copy[l][b], reinterpret_cast<std::uint8_t*>(w.scratch.begin + o / 4 * kPrivateStride + 4 * l + o % 4));
      }
    }
  };
  for (int l = 0; l < kLanes; ++l) a.at[l] = reinterpret_cast<std::uint64_t>(copy[l]);
  repeatActive(a);
  each([](std::uint8_t* mine, const std::uint8_t* theirs) { *mine = *theirs; });
  w.bounce = {reinterpret_cast<std::uint64_t>(copy), reinterpret_cast<std::uint64_t>(copy) + sizeof copy};
  access.call(access.context, a, 4);
  w.bounce = {};
  each([](const std::uint8_t* mine, std::uint8_t* theirs) { *theirs = *mine; });
}

void privateAccess(Wave& w, const Inst& i, const std::uint64_t* offsets, std::uint64_t lanes, unsigned bytes,
                   Accessor access) {
  Addresses a;
  a.active = lanes;
  bool aligned = true;
  for (std::uint64_t left = lanes; left; left &= left - 1) {
    int l = std::countr_zero(left);
    std::uint64_t o = offsets[l];
    if (o >= w.scratchBytes || bytes > w.scratchBytes - o)
      return raise(w, i, FaultKind::kMemory, "private memory access out of range", l, o);
    a.at[l] = w.scratch.begin + o / 4 * kPrivateStride + 4 * static_cast<unsigned>(l) + o % 4;
    aligned &= bytes < 4 ? o % 4 + bytes <= 4 : o % 4 == 0;
  }
  ExecScope scope(w, lanes);
  if (!aligned) return unalignedPrivate(w, offsets, lanes, bytes, access);
  repeatActive(a);
  access.call(access.context, a, kPrivateStride);
}

void sharedAccess(Wave& w, const std::uint64_t* flat, std::uint64_t lanes, unsigned bytes, Accessor access) {
  Addresses a;
  a.active = lanes;
  for (int l = 0; l < kLanes; ++l) a.at[l] = flat[l] & 0xffffffff;
  placeInLds(w, bytes, a);
  ExecScope scope(w, lanes);
  access.call(access.context, a, 4);
}

void wideAddresses(const Wave& w, const Inst& i, Addresses& a) {
  Rows low = w.row(i.src[0]);
  auto offset = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(i.literal)});
  for (int l = 0; l < kLanes; ++l) a.at[l] = (low[l] | std::uint64_t{low[l + kLanes]} << 32) + offset;
}

// gfx942 says with the LDS bit (there: SVE) that the VGPR counts; before, it counts when there is no SGPR.
bool hasVectorOffset(const Wave& w, const Inst& i) {
  return w.shared->gpu == Gpu::kGfx942 ? i.lds : i.sdst == kNoOperand;
}

}  // namespace

void globalAccess(Wave& w, const Inst& i, unsigned, Accessor access) {
  Addresses a;
  a.active = w.exec();
  if (!a.active) return;
  if (i.sdst == kNoOperand) {
    wideAddresses(w, i, a);
  } else {
    Rows offsets = w.row(i.src[0]);
    std::uint64_t base =
        w.pair(i.sdst) + static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(i.literal)});
    for (int l = 0; l < kLanes; ++l) a.at[l] = base + offsets[l];
  }
  repeatActive(a);
  access.call(access.context, a, 4);
}

std::uint64_t scratchSpan(Wave& w, const Inst& i, unsigned bytes) {
  std::uint32_t offset = 0;
  if (!w.exec() || (hasVectorOffset(w, i) && !uniform(w, w.row(i.src[0]), offset))) return 0;
  offset += i.literal + (i.sdst == kNoOperand ? 0 : w.s[i.sdst]);
  return privateSpan(w, offset, bytes / 4);
}

void scratchAccess(Wave& w, const Inst& i, unsigned bytes, Accessor access) {
  if (!w.exec()) return;
  bool vector = hasVectorOffset(w, i);
  std::uint32_t base = i.literal + (i.sdst == kNoOperand ? 0 : w.s[i.sdst]);
  Rows row = w.row(i.src[0]);
  std::uint64_t offsets[kLanes];
  for (int l = 0; l < kLanes; ++l) offsets[l] = base + (vector ? row[l] : 0);
  for (int l = 0; l < kLanes; ++l) offsets[l] &= 0xffffffff;
  privateAccess(w, i, offsets, w.exec(), bytes, access);
}

void flatAccess(Wave& w, const Inst& i, unsigned bytes, Accessor access) {
  Addresses a;
  a.active = w.exec();
  if (!a.active) return;
  wideAddresses(w, i, a);
  std::uint64_t shared = 0, priv = 0;
  for (int l = 0; l < kLanes; ++l) {
    auto high = static_cast<std::uint32_t>(a.at[l] >> 32);
    shared |= std::uint64_t{high == kSharedBase} << l;
    priv |= std::uint64_t{high == kPrivateBase} << l;
  }
  shared &= a.active;
  priv &= a.active;
  std::uint64_t global = a.active & ~shared & ~priv;
  if (shared) sharedAccess(w, a.at, shared, bytes, access);
  if (priv) {
    std::uint64_t offsets[kLanes];
    for (int l = 0; l < kLanes; ++l) offsets[l] = a.at[l] & 0xffffffff;
    privateAccess(w, i, offsets, priv, bytes, access);
  }
  if (!global) return;
  a.active = global;
  repeatActive(a);
  if (global == w.exec()) return access.call(access.context, a, 4);
  ExecScope scope(w, global);
  access.call(access.context, a, 4);
}

}  // namespace hipr::softgpu::HIPR_LEVEL
