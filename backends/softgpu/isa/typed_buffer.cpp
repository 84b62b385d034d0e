// Typed buffer loads and stores: elements of 1 to 4 components in a format that the instruction (tbuffer_*) or the
// descriptor (buffer_*_format_*) names, converted from and to 32-bit or 16-bit registers.
#include "backends/softgpu/isa/buffer.h"
#include "backends/softgpu/isa/format.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

using U32 = std::uint32_t;

bool typedByInst(const Inst& i) {
  return allRows()[i.row].encoding == Encoding::MTBUF;
}

Format formatOf(const Inst& i, const BufferDescriptor& d) {
  unsigned code = typedByInst(i) ? i.ext : d.format;
  return Format(code & 15, static_cast<Number>(code >> 4 & 7));
}

// What a component of the result is made of: the descriptor's selection for formats of its own, else as stored.
unsigned selectorOf(const Wave& w, const Inst& i, unsigned c) {
  return typedByInst(i) ? 4 + c : w.s[i.sdst + 3] >> (3 * c) & 7;
}

void load(Wave& w, const Inst& i, unsigned components, bool halves, bool high) {
  BufferDescriptor d;
  if (!w.exec() || !BufferDescriptor::read(w, i, d)) return;
  if (i.lds && (components > 1 || halves))
    return raise(w, i, FaultKind::kIllegalInstruction, "only one dword of a lane goes to LDS");
  Format f = formatOf(i, d);
  alignas(64) Element raw{}, out{};
  if (!loadElements(w, i, d, f.bytes, raw)) return;
  U32* row = w.row(i.dst);
  for (int l = 0; l < kLanes; ++l) {
    U32 values[4];
    unpack(f, &raw[0][l], kLanes, values);
    for (unsigned c = 0; c < components; ++c) {
      U32 value = selected(f, values, selectorOf(w, i, c));
      if (halves)
        out[c / 2][l] |= narrowed(f, value) << (c % 2 * 16);
      else
        out[c][l] = value;
    }
    if (high) out[0][l] = placePart(out[0][l], Place::kHigh);
  }
  if (i.lds) return storeToLds(w, i, out[0]);
  storeMasked(w, row, out[0], halves ? (components + 1) / 2 : components);
}

void store(Wave& w, const Inst& i, unsigned components, bool halves, bool high) {
  BufferDescriptor d;
  if (!w.exec() || !BufferDescriptor::read(w, i, d)) return;
  Format f = formatOf(i, d);
  alignas(64) Element raw{};
  Rows row = w.row(i.src[1]);
  for (int l = 0; l < kLanes; ++l) {
    U32 values[4];
    for (unsigned c = 0; c < components; ++c) {
      values[c] = row[(halves ? c / 2 : c) * kLanes + l];
      if (halves) values[c] = widened(f, static_cast<std::uint16_t>(values[c] >> (high || c % 2 ? 16 : 0)));
    }
    pack(f, values, components, &raw[0][l], kLanes);
  }
  storeElements(w, i, d, f.bytes, raw);
}

}  // namespace

#define TYPED(prefix, name, components, halves) \
  RUN(prefix##_load_format_##name) {            \
    load(w, i, components, halves, false);      \
  }                                             \
  RUN(prefix##_store_format_##name) {           \
    store(w, i, components, halves, false);     \
  }
#define WIDTHS(prefix)            \
  TYPED(prefix, x, 1, false)      \
  TYPED(prefix, xy, 2, false)     \
  TYPED(prefix, xyz, 3, false)    \
  TYPED(prefix, xyzw, 4, false)   \
  TYPED(prefix, d16_x, 1, true)   \
  TYPED(prefix, d16_xy, 2, true)  \
  TYPED(prefix, d16_xyz, 3, true) \
  TYPED(prefix, d16_xyzw, 4, true)
WIDTHS(buffer)
WIDTHS(tbuffer)

RUN(buffer_load_format_d16_hi_x) {
  load(w, i, 1, true, true);
}
RUN(buffer_store_format_d16_hi_x) {
  store(w, i, 1, true, true);
}

}  // namespace hipr::softgpu::HIPR_LEVEL
