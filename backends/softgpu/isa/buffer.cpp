#include "backends/softgpu/isa/buffer.h"

#include "backends/softgpu/isa/span.h"

namespace hipr::softgpu::HIPR_LEVEL {

namespace {

constexpr std::uint64_t kElement = 4;  // bytes of one lane that stay together under swizzling

// Offsets into private memory are added up in 32 bits: compilers for these GPUs give a negative register and a constant
// that makes it positive, to count a loop up to zero. In any other buffer a negative register is past the end.
std::uint64_t offsetMask(const BufferDescriptor& d) {
  return d.swizzle && d.addLane ? 0xffffffff : ~0ull;
}

template <bool kStore>
bool moveElements(Wave& w, const Inst& i, const BufferDescriptor& d, unsigned bytes, Element& values) {
  Addresses whole, part;
  if (!bufferAddresses(w, i, d, 0, bytes, whole)) return false;
  unsigned piece = straddles(d, whole, bytes) || bytes < kElement ? 1 : kElement;
  for (unsigned at = 0; at < bytes && whole.active; at += piece) {
    if (!bufferAddresses(w, i, d, at, piece, part)) return false;
    part.active &= whole.active;
    if (!part.active) continue;
    repeatActive(part);
    if (!checkAll(w, i, part, piece)) return false;
    for (std::uint64_t left = part.active; left; left &= left - 1) {
      int l = std::countr_zero(left);
      auto* memory = reinterpret_cast<char*>(part.at[l]);
      auto* value = reinterpret_cast<char*>(&values[at / 4][l]) + at % 4;
      std::memcpy(kStore ? memory : value, kStore ? value : memory, piece);
    }
  }
  return true;
}

// Lanes that are active have an offset each, and that is all there is to their addresses but what they share.
bool plainOffsets(const Wave& w, const Inst& i, const BufferDescriptor& d) {
  return w.exec() && i.offen && !i.idxen && !d.swizzle && !d.addLane;
}
std::uint64_t commonOffset(const Wave& w, const Inst& i) {
  return std::uint64_t{i.literal} + src32(w, i, 2);
}

}  // namespace

bool BufferDescriptor::read(Wave& w, const Inst& i, BufferDescriptor& d) {
  if (i.sdst > 124) {
    raise(w, i, FaultKind::kIllegalInstruction, "buffer descriptor out of the registers");
    return false;
  }
  const std::uint32_t* word = &w.s[i.sdst];
  d.base = word[0] | std::uint64_t{word[1] & 0xffff} << 32;
  d.stride = word[1] >> 16 & 0x3fff;
  d.swizzle = word[1] >> 31;
  d.records = word[2];
  d.indexStride = 8u << (word[3] >> 21 & 3);
  d.addLane = word[3] >> 23 & 1;
  d.format = static_cast<std::uint8_t>((word[3] >> 15 & 15) | (word[3] >> 12 & 7) << 4);
  if (d.addLane) d.stride |= (word[3] >> 15 & 15) << 14;  // the data format's place has more stride bits then
  return true;
}

bool bufferAddresses(Wave& w, const Inst& i, const BufferDescriptor& d, unsigned extra, unsigned bytes, Addresses& a) {
  Rows first = w.row(i.src[0]);
  Rows offsets = i.offen ? first + (i.idxen ? kLanes : 0) : nullptr;
  std::uint64_t scalar = src32(w, i, 2);
  bool structured = i.idxen && d.stride != 0;
  std::uint64_t wrap = offsetMask(d);
  std::uint64_t inside = 0;
  for (int l = 0; l < kLanes; ++l) {
    std::uint64_t index = std::uint64_t{i.idxen ? first[l] : 0} + (d.addLane ? static_cast<unsigned>(l) : 0);
    std::uint64_t offset = (std::uint64_t{offsets ? offsets[l] : 0} + i.literal + extra) & wrap;
    bool in = structured ? index < d.records : offset + scalar + bytes <= d.records;
    inside |= std::uint64_t{in} << l;
    std::uint64_t place = d.swizzle
                              ? (index / d.indexStride * d.stride + offset / kElement * kElement) * d.indexStride +
                                    index % d.indexStride * kElement + offset % kElement
                              : index * d.stride + offset;
    a.at[l] = d.base + scalar + place;
  }
  a.active = w.exec() & inside;
  if (!a.active) return true;
  repeatActive(a);
  // The scratch buffer has no end of its own, so running off the stack is noticed here.
  if (!d.addLane || d.base != w.scratch.begin) return true;
  std::uint64_t highest = 0;
  for (int l = 0; l < kLanes; ++l) highest = a.at[l] > highest ? a.at[l] : highest;
  if (highest < w.scratch.end && bytes <= w.scratch.end - highest) return true;
  raise(w, i, FaultKind::kMemory, "private memory access out of range (stack overflow?)", -1, highest);
  return false;
}

std::uint64_t bufferSpan(Wave& w, const Inst& i, const BufferDescriptor& d, unsigned dwords) {
  if (!plainOffsets(w, i, d)) return 0;
  Rows offsets = w.row(i.src[0]);
  LaneRange range(w.exec());
  if (!inOrder(w, range, offsets, 4 * dwords)) return 0;
  std::uint64_t bytes = range.count * 4 * dwords, first = offsets[range.first] + commonOffset(w, i);
  const Region* region = first + bytes <= d.records ? reachable(w, d.base + first, bytes) : nullptr;
  return region ? d.base + first + region->shift : 0;
}

bool bufferWindow(Wave& w, const Inst& i, const BufferDescriptor& d, unsigned dwords, Window& window) {
  if (!plainOffsets(w, i, d)) return false;
  takeOffsets(w, w.row(i.src[0]), window);
  window.base = d.base + commonOffset(w, i);
  return window.high + commonOffset(w, i) + 4 * dwords <= d.records && placeWindow(w, 4 * dwords, window);
}

// The stack as compilers for gfx90a address it: lanes interleaved over the whole wave, their number added.
std::uint64_t stackSpan(Wave& w, const Inst& i, const BufferDescriptor& d, unsigned dwords) {
  if (i.idxen || !d.swizzle || !d.addLane || d.stride || d.indexStride != kLanes || d.base != w.scratch.begin) return 0;
  std::uint32_t offset = 0;
  if (i.offen && !uniform(w, w.row(i.src[0]), offset)) return 0;
  std::uint64_t scalar = src32(w, i, 2), own = (std::uint64_t{offset} + i.literal) & offsetMask(d);
  if (scalar % (4 * kLanes) || own + scalar + 4 * dwords > d.records) return 0;
  return privateSpan(w, own + scalar / kLanes, dwords);
}

bool straddles(const BufferDescriptor& d, const Addresses& a, unsigned bytes) {
  bool any = false;
  for (int l = 0; l < kLanes; ++l) any |= a.at[l] % kElement + (bytes < kElement ? bytes : kElement) > kElement;
  return d.swizzle && any;
}

bool loadElements(Wave& w, const Inst& i, const BufferDescriptor& d, unsigned bytes, Element& to) {
  return moveElements<false>(w, i, d, bytes, to);
}
bool storeElements(Wave& w, const Inst& i, const BufferDescriptor& d, unsigned bytes, Element& from) {
  return moveElements<true>(w, i, d, bytes, from);
}

void zeroOutside(Wave& w, std::uint64_t inside, std::uint32_t* row, unsigned rows) {
  for (std::uint64_t left = w.exec() & ~inside; left; left &= left - 1) {
    int l = std::countr_zero(left);
    for (unsigned r = 0; r < rows; ++r) row[r * kLanes + l] = 0;
  }
}

}  // namespace hipr::softgpu::HIPR_LEVEL
