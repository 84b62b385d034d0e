// rocPRIM's device-wide reductions and scans against std::: over the whole range, by key, by segment; several types and
// operators. Integer results are equal; floating point sums are taken in another order and so are close.
#include <rocprim/rocprim.hpp>

#include "support.h"

namespace {

template <class T>
std::vector<T> smallNumbers(std::size_t n, std::uint64_t seed, int below = 100) {
  Random random(seed);
  std::vector<T> v(n);
  for (T& x : v) x = static_cast<T>(random.below(below) - below / 3);
  return v;
}

// Ranges of every length: empty, tiny, about a block, many blocks.
std::vector<unsigned> segmentOffsets(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<unsigned> offsets{0};
  const int lengths[] = {1, 30, 300, 9000};
  while (offsets.back() < n) {
    const unsigned length = static_cast<unsigned>(random.below(lengths[random.below(4)]));
    offsets.push_back(std::min(static_cast<unsigned>(n), offsets.back() + length));
  }
  return offsets;
}

// Runs of equal keys, for the operations by key.
std::vector<int> runs(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<int> keys;
  for (int key = 0; keys.size() < n; ++key)
    keys.insert(keys.end(), std::size_t(1 + (random.below(9) ? random.below(12) : random.below(3000))), key % 7);
  keys.resize(n);
  return keys;
}

struct MinMax {
  float low, high;
};
struct JoinMinMax {
  __host__ __device__ MinMax operator()(const MinMax& a, const MinMax& b) const {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
};

}  // namespace

TEST(reduce_sums_of_integers) {
  for (std::size_t n : {std::size_t{1}, std::size_t{255}, std::size_t{5000}, sized(200001)}) {
    const auto numbers = smallNumbers<int>(n, n);
    Buffer<int> in(numbers), out(1);
    withStorage([&](void* storage, std::size_t& bytes) {
      return rocprim::reduce(storage, bytes, in.get(), out.get(), 1000, n);
    });
    EXPECT_EQ(single(out), std::accumulate(numbers.begin(), numbers.end(), 1000));
  }
}

TEST(reduce_sum_of_doubles) {
  const std::size_t n = sized(50000);
  const auto numbers = randomVector<double>(n, 4, -1, 1);
  Buffer<double> in(numbers), out(1);
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::reduce(storage, bytes, in.get(), out.get(), n, rocprim::plus<double>());
  });
  EXPECT_NEAR(single(out), std::accumulate(numbers.begin(), numbers.end(), 0.0), 1e-9);
  check::result(single(out));
}

TEST(reduce_structures_with_my_operator) {
  const std::size_t n = sized(70000);
  const auto numbers = randomVector<float>(n, 5, -1000, 1000);
  std::vector<MinMax> pairs(n);
  for (std::size_t i = 0; i < n; ++i) pairs[i] = {numbers[i], numbers[i]};
  Buffer<MinMax> in(pairs), out(1);
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::reduce(storage, bytes, in.get(), out.get(), pairs[0], n, JoinMinMax());
  });
  EXPECT_EQ(single(out).low, *std::min_element(numbers.begin(), numbers.end()));
  EXPECT_EQ(single(out).high, *std::max_element(numbers.begin(), numbers.end()));
}

TEST(scan_inclusive) {
  for (std::size_t n : {std::size_t{1}, std::size_t{777}, sized(150000)}) {
    const auto numbers = smallNumbers<int>(n, n);
    Buffer<int> in(numbers), out(n);
    withStorage([&](void* storage, std::size_t& bytes) {
      return rocprim::inclusive_scan(storage, bytes, in.get(), out.get(), n, rocprim::plus<int>());
    });
    std::vector<int> want(n);
    std::partial_sum(numbers.begin(), numbers.end(), want.begin());
    EXPECT_VEC(out.download(), want);
  }
}

TEST(scan_exclusive_of_64_bit_integers) {
  const std::size_t n = sized(60000);
  const auto numbers = smallNumbers<long long>(n, 6, 1 << 30);
  Buffer<long long> in(numbers), out(n);
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::exclusive_scan(storage, bytes, in.get(), out.get(), 1ll << 40, n, rocprim::plus<long long>());
  });
  std::vector<long long> want(n);
  long long sum = 1ll << 40;
  for (std::size_t i = 0; i < n; ++i) want[i] = sum, sum += numbers[i];
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

TEST(scan_maximum_of_floats) {
  const std::size_t n = sized(60000);
  const auto numbers = randomVector<float>(n, 7, -1000, 1000);
  Buffer<float> in(numbers), out(n);
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::inclusive_scan(storage, bytes, in.get(), out.get(), n, rocprim::maximum<float>());
  });
  std::vector<float> want(n);
  std::partial_sum(numbers.begin(), numbers.end(), want.begin(), [](float a, float b) { return std::max(a, b); });
  EXPECT_VEC(out.download(), want);
}

TEST(scan_by_key) {
  const std::size_t n = sized(50000);
  const auto keys = runs(n, 8), numbers = smallNumbers<int>(n, 9);
  Buffer<int> inKeys(keys), in(numbers), out(n);
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::inclusive_scan_by_key(storage, bytes, inKeys.get(), in.get(), out.get(), n);
  });
  auto want = numbers;
  for (std::size_t i = 1; i < n; ++i)
    if (keys[i] == keys[i - 1]) want[i] += want[i - 1];
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

TEST(reduce_by_key) {
  const std::size_t n = sized(50000);
  const auto keys = runs(n, 10), numbers = smallNumbers<int>(n, 11);
  Buffer<int> inKeys(keys), in(numbers), outKeys(n), out(n);
  Buffer<unsigned> count(1);
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::reduce_by_key(storage, bytes, inKeys.get(), in.get(), unsigned(n), outKeys.get(), out.get(),
                                  count.get());
  });
  std::vector<int> wantKeys, want;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || keys[i] != keys[i - 1]) wantKeys.push_back(keys[i]), want.push_back(0);
    want.back() += numbers[i];
  }
  EXPECT_EQ(std::size_t(single(count)), want.size());
  EXPECT_VEC(firstOf(outKeys, want.size()), wantKeys);
  EXPECT_VEC(firstOf(out, want.size()), want);
  check::result(want);
}

TEST(segmented_reduce) {
  const std::size_t n = sized(60000);
  const auto numbers = smallNumbers<int>(n, 12);
  const auto offsets = segmentOffsets(n, 13);
  const unsigned segments = unsigned(offsets.size() - 1);
  Buffer<int> in(numbers), out(segments);
  Buffer<unsigned> at(offsets);
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::segmented_reduce(storage, bytes, in.get(), out.get(), segments, at.get(), at.get() + 1,
                                     rocprim::minimum<int>(), 12345);
  });
  std::vector<int> want;
  for (unsigned s = 0; s < segments; ++s) {
    want.push_back(12345);
    for (unsigned i = offsets[s]; i < offsets[s + 1]; ++i) want.back() = std::min(want.back(), numbers[i]);
  }
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

TEST(segmented_scan) {
  const std::size_t n = sized(40000);
  const auto numbers = smallNumbers<int>(n, 14);
  const auto offsets = segmentOffsets(n, 15);
  const unsigned segments = unsigned(offsets.size() - 1);
  Buffer<int> in(numbers), out(n);
  Buffer<unsigned> at(offsets);
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::segmented_exclusive_scan(storage, bytes, in.get(), out.get(), segments, at.get(), at.get() + 1, 3);
  });
  std::vector<int> want(n);
  for (unsigned s = 0; s < segments; ++s) {
    int sum = 3;
    for (unsigned i = offsets[s]; i < offsets[s + 1]; ++i) want[i] = sum, sum += numbers[i];
  }
  EXPECT_VEC(out.download(), want);
  check::result(want);
}
