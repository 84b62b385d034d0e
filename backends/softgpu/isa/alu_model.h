// For tests: what MODE and the modifiers do around an exact operation, written from the manual's chapter on floating
// point and independent of the handlers.
#pragma once

#include "backends/softgpu/isa/edge.h"

namespace hipr::softgpu {

class AluModel {
 public:
  using U64 = std::uint64_t;
  AluModel(Type type, std::uint32_t mode) : f(formatOf(type)), mode_(mode), type_(type) {}

  const FloatFormat f;

  Rounding rounding() const { return static_cast<Rounding>((type_ == Type::kFloat ? mode_ : mode_ >> 2) & 3); }
  bool ieee() const { return mode_ & kIeeeMode; }

  // Sources and results where MODE says that denormals are zero.
  U64 in(U64 x) const { return denormals() & 1 ? x : flush(x); }
  U64 out(U64 x) const { return denormals() & 2 ? x : flush(x); }
  U64 flush(U64 x) const { return f.isDenormal(x) ? x & f.sign() : x; }

  U64 add(U64 a, U64 b) const { return out(exactSum(f, in(a), in(b), rounding())); }
  U64 subtract(U64 a, U64 b) const { return add(a, b ^ f.sign()); }
  U64 multiply(U64 a, U64 b) const { return out(exactProduct(f, in(a), in(b), rounding())); }
  U64 fma(U64 a, U64 b, U64 c) const { return out(exactFma(f, in(a), in(b), in(c), rounding())); }

  // Product and sum round one after the other; denormals are zero everywhere, whatever MODE says.
  U64 mad(U64 a, U64 b, U64 c, bool legacy = false) const {
    a = flush(a), b = flush(b);
    U64 product = legacy && (f.magnitude(a) == 0 || f.magnitude(b) == 0) ? 0 : exactProduct(f, a, b, rounding());
    return flush(exactSum(f, flush(product), flush(c), rounding()));
  }

  U64 min(U64 a, U64 b) const { return out(choose(in(a), in(b), -1)); }
  U64 max(U64 a, U64 b) const { return out(choose(in(a), in(b), 1)); }
  // Any NaN makes it the smallest of the others; else the largest is put aside and the larger of the rest is it.
  U64 med3(U64 a, U64 b, U64 c) const {
    a = in(a), b = in(b), c = in(c);
    if (f.isNan(a) || f.isNan(b) || f.isNan(c)) return out(choose(choose(a, b, -1), c, -1));
    U64 high = choose(choose(a, b, 1), c, 1);
    if (exactCompare(f, high, a) == 0) return out(choose(b, c, 1));
    return out(exactCompare(f, high, b) == 0 ? choose(a, c, 1) : choose(a, b, 1));
  }

  // To [0, 1]. Without DX10_CLAMP a NaN stays.
  U64 clamp(U64 x) const {
    if (f.isNan(x)) return mode_ & kDx10ClampMode ? 0 : x;
    if (f.isNegative(x)) return 0;
    return exactCompare(f, x, f.one()) > 0 ? f.one() : x;
  }
  // Output multipliers exist where results have no denormals and IEEE is off; they leave no -0.
  U64 times(U64 x, int powerOfTwo) const {
    if (ieee() || (denormals() & 2)) return x;
    U64 r = exactScale(f, x, powerOfTwo, rounding());
    return f.magnitude(r) == 0 ? 0 : out(r);
  }

 private:
  unsigned denormals() const { return (type_ == Type::kFloat ? mode_ >> 4 : mode_ >> 6) & 3; }
  U64 choose(U64 a, U64 b, int wanted) const {
    if (ieee() && f.isSignaling(a)) return a | f.quietBit();
    if (ieee() && f.isSignaling(b)) return b | f.quietBit();
    if (f.isNan(a)) return b;
    if (f.isNan(b)) return a;
    int order = exactCompare(f, a, b);
    if (order == 0) order = f.isNegative(a) == f.isNegative(b) ? 0 : f.isNegative(a) ? -1 : 1;
    return order == wanted ? a : b;
  }

  std::uint32_t mode_;
  Type type_;
};

}  // namespace hipr::softgpu
