// Vector compares. Each relation exists as v_cmp (writes a lane mask) and v_cmpx (also writes EXEC; the row says so).
#include "backends/softgpu/isa/float_rules.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

HIPR_INLINE float number(float x) {
  return x;
}
HIPR_INLINE double number(double x) {
  return x;
}
HIPR_INLINE float number(Half x) {
  return toFloat(x);
}

}  // namespace

#define BOTH(relation, suffix, type, ...)                                \
  LANE(v_cmp_##relation##_##suffix, bool, (type x, type y), __VA_ARGS__) \
  const Impl v_cmpx_##relation##_##suffix = v_cmp_##relation##_##suffix;

// lg is "less or greater", o "ordered", u "unordered"; n-relations are true for NaNs.
#define FLOATS(suffix, type)                                                 \
  BOTH(f, suffix, type, (void(x), void(y), false))                           \
  BOTH(lt, suffix, type, number(x) < number(y))                              \
  BOTH(eq, suffix, type, number(x) == number(y))                             \
  BOTH(le, suffix, type, number(x) <= number(y))                             \
  BOTH(gt, suffix, type, number(x) > number(y))                              \
  BOTH(lg, suffix, type, number(x) < number(y) || number(x) > number(y))     \
  BOTH(ge, suffix, type, number(x) >= number(y))                             \
  BOTH(o, suffix, type, number(x) == number(x) && number(y) == number(y))    \
  BOTH(u, suffix, type, number(x) != number(x) || number(y) != number(y))    \
  BOTH(nge, suffix, type, !(number(x) >= number(y)))                         \
  BOTH(nlg, suffix, type, !(number(x) < number(y) || number(x) > number(y))) \
  BOTH(ngt, suffix, type, !(number(x) > number(y)))                          \
  BOTH(nle, suffix, type, !(number(x) <= number(y)))                         \
  BOTH(neq, suffix, type, !(number(x) == number(y)))                         \
  BOTH(nlt, suffix, type, !(number(x) < number(y)))                          \
  BOTH(tru, suffix, type, (void(x), void(y), true))

#define INTEGERS(suffix, type)                     \
  BOTH(f, suffix, type, (void(x), void(y), false)) \
  BOTH(lt, suffix, type, x < y)                    \
  BOTH(eq, suffix, type, x == y)                   \
  BOTH(le, suffix, type, x <= y)                   \
  BOTH(gt, suffix, type, x > y)                    \
  BOTH(ne, suffix, type, x != y)                   \
  BOTH(ge, suffix, type, x >= y)                   \
  BOTH(t, suffix, type, (void(x), void(y), true))

FLOATS(f16, Half)
FLOATS(f32, float)
FLOATS(f64, double)
INTEGERS(i16, std::int16_t)
INTEGERS(u16, std::uint16_t)
INTEGERS(i32, std::int32_t)
INTEGERS(u32, std::uint32_t)
INTEGERS(i64, std::int64_t)
INTEGERS(u64, std::uint64_t)

#define CLASS(suffix, type, bits, mantissa, width)                                                          \
  LANE(v_cmp_class_##suffix, bool, (type x, std::uint32_t wanted), classOf(bits, mantissa, width) & wanted) \
  const Impl v_cmpx_class_##suffix = v_cmp_class_##suffix;

CLASS(f16, Half, std::uint32_t{x.bits}, 10, 16)
CLASS(f32, float, toBits(x), 23, 32)
CLASS(f64, double, toBits(x), 52, 64)

}  // namespace hipr::softgpu::HIPR_LEVEL
