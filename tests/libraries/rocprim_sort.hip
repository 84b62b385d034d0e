// rocPRIM's device-wide sorts against std::stable_sort: each of its three strategies (one block, merging, radix
// passes), keys of several types, both directions, pairs, parts of the bits, segments, comparison sorts.
#include <rocprim/rocprim.hpp>

#include "support.h"

namespace {

// Any bit pattern is a key; what has no place in an order is left out.
template <class Key>
std::vector<Key> randomKeys(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<Key> keys(n);
  for (Key& key : keys) {
    if constexpr (std::is_floating_point<Key>::value)
      key = static_cast<Key>((random.unit() - 0.5) * std::ldexp(1.0, random.below(60) - 30));
    else
      key = static_cast<Key>(random.next());
  }
  return keys;
}

// How std:: sorts: the order of positions, so that it serves for keys and for pairs.
template <class Key, class Less>
std::vector<unsigned> sortedOrder(const std::vector<Key>& keys, Less less) {
  std::vector<unsigned> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return less(keys[a], keys[b]); });
  return order;
}
template <class T>
std::vector<T> inOrder(const std::vector<T>& from, const std::vector<unsigned>& order) {
  std::vector<T> to(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) to[i] = from[order[i]];
  return to;
}

// Few blocks may be merged, so that the radix passes run at a size that is quick to emulate.
using RadixPasses = rocprim::radix_sort_config<7, 6, rocprim::kernel_config<256, 2>, rocprim::kernel_config<256, 8>,
                                               rocprim::kernel_config<256, 4>, rocprim::kernel_config<256, 1>, 1>;

template <class Config, class Key>
void sortKeys(std::size_t n, bool descending = false) {
  const auto keys = randomKeys<Key>(n, n);
  Buffer<Key> in(keys), out(n);
  withStorage([&](void* storage, std::size_t& bytes) {
    return descending ? rocprim::radix_sort_keys_desc<Config>(storage, bytes, in.get(), out.get(), n)
                      : rocprim::radix_sort_keys<Config>(storage, bytes, in.get(), out.get(), n);
  });
  const auto order = descending ? sortedOrder(keys, std::greater<Key>()) : sortedOrder(keys, std::less<Key>());
  EXPECT_VEC(out.download(), inOrder(keys, order));
  EXPECT_VEC(in.download(), keys);
  check::result(out.download());
}

}  // namespace

TEST(keys_in_one_block) {
  sortKeys<rocprim::default_config, unsigned>(1000);
}
TEST(keys_by_merging) {
  sortKeys<rocprim::default_config, unsigned>(sized(20000));
}
TEST(keys_by_merging_descending) {
  sortKeys<rocprim::default_config, unsigned>(sized(20000), true);
}
TEST(keys_by_radix_passes) {
  sortKeys<RadixPasses, unsigned>(sized(40000));
}
TEST(keys_by_radix_passes_descending) {
  sortKeys<RadixPasses, unsigned>(sized(20000), true);
}
TEST(float_keys) {
  sortKeys<RadixPasses, float>(sized(20000));
}
TEST(double_keys_descending) {
  sortKeys<RadixPasses, double>(sized(10000), true);
}
TEST(signed_64_bit_keys) {
  sortKeys<RadixPasses, long long>(sized(10000));
}
TEST(byte_keys) {
  sortKeys<RadixPasses, signed char>(sized(30000));
}

TEST(pairs_keep_the_order_of_equal_keys) {
  const std::size_t n = sized(30000);
  auto keys = randomKeys<unsigned short>(n, 5);
  for (auto& key : keys) key %= 300;
  std::vector<unsigned> values(n);
  std::iota(values.begin(), values.end(), 0u);
  Buffer<unsigned short> keysIn(keys), keysOut(n);
  Buffer<unsigned> valuesIn(values), valuesOut(n);
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::radix_sort_pairs<RadixPasses>(storage, bytes, keysIn.get(), keysOut.get(), valuesIn.get(),
                                                  valuesOut.get(), n);
  });
  const auto order = sortedOrder(keys, std::less<unsigned short>());
  EXPECT_VEC(keysOut.download(), inOrder(keys, order));
  EXPECT_VEC(valuesOut.download(), order);
  check::result(valuesOut.download());
}

TEST(only_some_bits_of_the_keys) {
  const std::size_t n = sized(20000);
  const auto keys = randomKeys<unsigned>(n, 6);
  Buffer<unsigned> a(keys), b(n);
  rocprim::double_buffer<unsigned> buffers(a.get(), b.get());
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::radix_sort_keys<RadixPasses>(storage, bytes, buffers, n, 5, 19);
  });
  const auto bits = [](unsigned key) { return key >> 5 & 0x3fff; };
  const auto order = sortedOrder(keys, [&](unsigned x, unsigned y) { return bits(x) < bits(y); });
  EXPECT_VEC(buffers.current() == a.get() ? a.download() : b.download(), inOrder(keys, order));
}

TEST(segments) {
  const std::size_t n = sized(40000);
  const auto keys = randomKeys<unsigned>(n, 7);
  std::vector<unsigned> offsets{0};
  Random random(8);
  while (offsets.back() < n) {  // empty, tiny, and larger than a block
    const int kind = random.below(4);
    const unsigned length = kind == 0   ? 0
                            : kind == 1 ? random.below(30)
                            : kind == 2 ? random.below(600)
                                        : random.below(9000);
    offsets.push_back(std::min<unsigned>(unsigned(n), offsets.back() + length));
  }
  const unsigned segments = unsigned(offsets.size() - 1);
  Buffer<unsigned> in(keys), out(n), deviceOffsets(offsets);
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::segmented_radix_sort_keys(storage, bytes, in.get(), out.get(), unsigned(n), segments,
                                              deviceOffsets.get(), deviceOffsets.get() + 1);
  });
  auto want = keys;
  for (unsigned s = 0; s < segments; ++s) std::sort(want.begin() + offsets[s], want.begin() + offsets[s + 1]);
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

struct Point {
  int x, y;
};
struct Further {
  __host__ __device__ bool operator()(const Point& a, const Point& b) const {
    return a.x * a.x + a.y * a.y > b.x * b.x + b.y * b.y;
  }
};

TEST(structures_by_comparison) {
  const std::size_t n = sized(10000);
  Random random(9);
  std::vector<Point> points(n);
  for (Point& p : points) p = {random.below(200) - 100, random.below(200) - 100};
  Buffer<Point> in(points), out(n);
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::merge_sort(storage, bytes, in.get(), out.get(), n, Further());
  });
  auto want = points;
  std::stable_sort(want.begin(), want.end(), Further());
  const auto got = out.download();
  EXPECT(std::memcmp(got.data(), want.data(), n * sizeof(Point)) == 0);
  check::result(got);
}

TEST(merge_two_sorted_ranges) {
  const std::size_t n = sized(15000);
  auto a = randomKeys<int>(n, 10), b = randomKeys<int>(n / 3, 11);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  Buffer<int> first(a), second(b), out(a.size() + b.size());
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::merge(storage, bytes, first.get(), second.get(), out.get(), a.size(), b.size());
  });
  std::vector<int> want(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
  EXPECT_VEC(out.download(), want);
  check::result(want);
}
