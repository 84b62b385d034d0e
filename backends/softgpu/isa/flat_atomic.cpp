// FLAT and GLOBAL atomics. GLC asks for the old value.
#include "backends/softgpu/isa/segment.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <class Op, class T, bool kCompare>
void run(Wave& w, const Inst& i, void (*segment)(Wave&, const Inst&, unsigned, Accessor)) {
  auto access = [&](Addresses& a, unsigned) {
    runAtomic<Op, T>(w, i, a, w.row(i.src[1]), kCompare, i.glc ? w.row(i.dst) : nullptr);
  };
  segment(w, i, sizeof(T), accessor(access));
}

}  // namespace

#define ONE(name, segment, op, type, compare)              \
  RUN(name) {                                              \
    run<atomic::op, type, compare>(w, i, segment##Access); \
  }
#define BOTH(name, op, type, compare)              \
  ONE(flat_atomic_##name, flat, op, type, compare) \
  ONE(global_atomic_##name, global, op, type, compare)
#define INTEGER(name, op, compare) \
  BOTH(name, op, U32, compare)     \
  BOTH(name##_x2, op, U64, compare)

INTEGER_ATOMICS(INTEGER)
#define ADD_F32(segment)                                                                \
  RUN(segment##_atomic_add_f32) {                                                       \
    addsDenormals(w) ? run<atomic::AddFloat, U32, false>(w, i, segment##Access)         \
                     : run<atomic::AddFloatFlushed, U32, false>(w, i, segment##Access); \
  }
ADD_F32(flat)
ADD_F32(global)
BOTH(pk_add_f16, AddPackedHalf, U32, false)
BOTH(pk_add_bf16, AddPackedBfloat, U32, false)
BOTH(add_f64, AddFloat, U64, false)
BOTH(min_f64, MinFloat, U64, false)
BOTH(max_f64, MaxFloat, U64, false)

}  // namespace hipr::softgpu::HIPR_LEVEL
