// Integer arithmetic of every width: 64-bit multiplication, division, remainder and shifts, high products, bit
// operations.
#include "../support.h"

// One list of expressions, evaluated on both sides. Divisors are never zero and signed results never overflow.
template <class T>
__host__ __device__ T expression(int e, T a, T b) {
  using U = std::make_unsigned_t<T>;
  const T divisor = b == 0 ? T(7) : b == T(-1) ? T(3) : b;
  const int shift = int(U(b) % (8 * sizeof(T)));
  switch (e) {
    case 0:
      return T(U(a) + U(b));
    case 1:
      return T(U(a) - U(b));
    case 2:
      return T(std::uint64_t(U(a)) * U(b));
    case 3:
      return T(a / divisor);
    case 4:
      return T(a % divisor);
    case 5:
      return T(U(a) << shift);
    case 6:
      return T(a >> shift);
    case 7:
      return T(U(a) >> shift);
    case 8:
      return T((a & b) | (T(~a) & T(b >> 1)));
    case 9:
      return T(a ^ T(~b));
    case 10:
      return a < b ? a : b;
    case 11:
      return a > b ? a : b;
    case 12:
      return T(a == b ? 1 : a < b ? 2 : 3);
    case 13:
      return T(U(a) / 10u);
    case 14:
      return T(U(a) % 1000u);
    case 15:
      return T(a / 7);
    case 16:
      return T(U(a) << shift | U(U(a) >> 1) >> (8 * sizeof(T) - 1 - shift));  // rotate
    case 17:
      return T(a < 0 ? U(0) - U(a) : U(a));
    default:
      return T(std::uint64_t(U(a)) * U(a) + std::uint64_t(U(b)) * U(b) + 5);
  }
}
constexpr int kExpressions = 19;

template <class T>
__global__ void evaluate(const T* a, const T* b, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int e = 0; e < kExpressions; ++e) out[e * n + i] = expression(e, a[i], b[i]);
}

template <class T>
static void checkIntegers() {
  const int n = 700;
  Random r(141);
  std::vector<T> a(n), b(n), want(n * kExpressions);
  const T edges[] = {T(0),  T(1), T(-1), T(2), std::numeric_limits<T>::max(), std::numeric_limits<T>::min(),
                     T(10), T(-7)};
  for (int i = 0; i < n; ++i) {
    a[i] = T(r.next() >> r.below(8 * sizeof(T)));
    b[i] = T(r.next() >> r.below(8 * sizeof(T)));
    if (i < 64) a[i] = edges[i / 8], b[i] = edges[i % 8];
  }
  for (int e = 0; e < kExpressions; ++e)
    for (int i = 0; i < n; ++i) want[e * n + i] = expression(e, a[i], b[i]);
  Buffer<T> da(a), db(b), out(want.size());
  evaluate<T><<<blocksFor(n, 128), 128>>>(da, db, out, n);
  KERNEL_OK();
  const auto got = out.download();
  for (std::size_t k = 0; k < want.size(); ++k)
    if (got[k] != want[k])
      check::fail(__FILE__, __LINE__,
                  "expression " + check::show(k / n) + " of " + check::show(a[k % n]) + ", " + check::show(b[k % n]) +
                      ": got " + check::show(got[k]) + ", want " + check::show(want[k]));
  check::result(got);
}

TEST(integers_8_bit) {
  checkIntegers<signed char>();
  checkIntegers<unsigned char>();
}
TEST(integers_16_bit) {
  checkIntegers<short>();
  checkIntegers<unsigned short>();
}
TEST(integers_32_bit) {
  checkIntegers<int>();
  checkIntegers<unsigned>();
}
TEST(integers_64_bit) {
  checkIntegers<long long>();
  checkIntegers<unsigned long long>();
}

__global__ void bits(const unsigned long long* in, unsigned long long* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned long long v = in[i];
  const unsigned w = unsigned(v);
  const int s = int(w), t = int(v >> 32);
  int k = 0;
  auto put = [&](unsigned long long r) { out[k++ * n + i] = r; };
  put(__popc(w));
  put(__popcll(v));
  put(__clz(s));
  put(__clzll((long long)v));
  put(__ffs(s));
  put(__ffsll((long long)v));
  put(__brev(w));
  put(__brevll(v));
  put(unsigned(__mulhi(s, t)));
  put(__umulhi(w, unsigned(t)));
  put(__umul64hi(v, v * 0x9e3779b97f4a7c15ull));
  put((unsigned long long)__mul64hi((long long)v, (long long)(v * 0x9e3779b97f4a7c15ull)));
  put(unsigned(__mul24(s & 0x7fffff, t & 0xff)));
  put(unsigned(__umul24(w & 0xffffff, unsigned(t) & 0xff)));
  put(unsigned(__sad(s >> 2, t >> 2, 5u)));
  put(__uhadd(w >> 1, unsigned(t) >> 1));
  put(__byte_perm(w, unsigned(t), 0x5140));
  put(__funnelshift_l(w, unsigned(t), w & 31));
  put(__funnelshift_r(w, unsigned(t), w & 31));
}

TEST(bit_operations) {
  const int n = 400, operations = 19;
  Random r(142);
  std::vector<unsigned long long> in(n), want(n * operations);
  for (int i = 0; i < n; ++i) in[i] = i < 2 ? i : r.next() >> r.below(64);
  for (int i = 0; i < n; ++i) {
    const unsigned long long v = in[i], x = v * 0x9e3779b97f4a7c15ull;
    const unsigned w = unsigned(v), h = unsigned(v >> 32), q = w & 31;
    const int s = int(w), t = int(h);
    unsigned long long reversed = 0;
    for (int b = 0; b < 64; ++b) reversed |= (v >> b & 1) << (63 - b);
    const long long a = s >> 2, b = t >> 2;
    const unsigned long long all[operations] = {
        (unsigned long long)__builtin_popcount(w),
        (unsigned long long)__builtin_popcountll(v),
        w ? __builtin_clz(w) : 32ull,
        v ? __builtin_clzll(v) : 64ull,
        (unsigned long long)__builtin_ffs(s),
        (unsigned long long)__builtin_ffsll((long long)v),
        w ? reversed >> 32 : 0,
        reversed,
        unsigned((long long)s * t >> 32),
        (unsigned long long)w * h >> 32,
        (unsigned long long)((unsigned __int128)v * x >> 64),
        (unsigned long long)((__int128)(long long)v * (long long)x >> 64),
        unsigned((s & 0x7fffff) * (t & 0xff)),
        (w & 0xffffff) * (h & 0xff),
        unsigned((a > b ? a - b : b - a) + 5),
        ((w >> 1) + (h >> 1)) >> 1,
        (unsigned long long)((w & 0xff) | (h & 0xff) << 8 | (w >> 8 & 0xff) << 16 | (h >> 8 & 0xff) << 24),
        q ? unsigned(h << q | w >> (32 - q)) : h,
        q ? unsigned(w >> q | h << (32 - q)) : w};
    for (int k = 0; k < operations; ++k) want[k * n + i] = all[k];
  }
  Buffer<unsigned long long> din(in), out(want.size());
  bits<<<blocksFor(n, 64), 64>>>(din, out, n);
  KERNEL_OK();
  const auto got = out.download();
  for (std::size_t k = 0; k < want.size(); ++k)
    if (got[k] != want[k])
      check::fail(__FILE__, __LINE__,
                  "bit operation " + check::show(k / n) + " of " + check::show(in[k % n]) + ": got " +
                      check::show(got[k]) + ", want " + check::show(want[k]));
  check::result(got);
}

__global__ void wide(const unsigned long long* a, unsigned long long* out,
                     int n) {  // 128-bit: carries through four words
  const int i = threadIdx.x;
  const unsigned __int128 x = (unsigned __int128)a[i] << 64 | a[(i + 1) % n],
                          y = (unsigned __int128)a[(i + 2) % n] << 64 | a[(i + 3) % n];
  const unsigned __int128 r = (x + y) * 3 - (x >> 13) + (y << 77);
  out[2 * i] = (unsigned long long)r;
  out[2 * i + 1] = (unsigned long long)(r >> 64);
}

TEST(integers_128_bit) {
  const int n = 64;
  Random r(143);
  std::vector<unsigned long long> a(n), want(2 * n);
  for (auto& v : a) v = r.next();
  for (int i = 0; i < n; ++i) {
    const unsigned __int128 x = (unsigned __int128)a[i] << 64 | a[(i + 1) % n],
                            y = (unsigned __int128)a[(i + 2) % n] << 64 | a[(i + 3) % n];
    const unsigned __int128 v = (x + y) * 3 - (x >> 13) + (y << 77);
    want[2 * i] = (unsigned long long)v;
    want[2 * i + 1] = (unsigned long long)(v >> 64);
  }
  Buffer<unsigned long long> da(a), out(2 * n);
  wide<<<1, n>>>(da, out, n);
  KERNEL_OK();
  EXPECT_VEC(out.download(), want);
  check::result(want);
}
