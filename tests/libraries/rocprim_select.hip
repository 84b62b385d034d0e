// rocPRIM's device-wide filters against std::: select, unique, partition, run lengths, histograms, searches,
// transforms.
#include <rocprim/rocprim.hpp>

#include "support.h"

namespace {

struct Odd {
  __host__ __device__ bool operator()(int x) const { return x & 1; }
};
struct Small {
  __host__ __device__ bool operator()(int x) const { return x < 20; }
};
struct Large {
  __host__ __device__ bool operator()(int x) const { return x >= 70; }
};

std::vector<int> numbersBelow(int limit, std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<int> v(n);
  for (int& x : v) x = random.below(limit);
  return v;
}

template <class Keep>
std::vector<int> kept(const std::vector<int>& from, Keep keep) {
  std::vector<int> to;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (keep(i)) to.push_back(from[i]);
  return to;
}

// What a partition must give: the selected ones in order, then the others from the end backwards.
void expectPartition(const std::vector<int>& got, const std::vector<int>& numbers, std::size_t count,
                     const std::vector<bool>& selected) {
  auto want = kept(numbers, [&](std::size_t i) { return selected[i]; });
  auto others = kept(numbers, [&](std::size_t i) { return !selected[i]; });
  EXPECT_EQ(count, want.size());
  want.insert(want.end(), others.rbegin(), others.rend());
  EXPECT_VEC(got, want);
  check::result(got);
}

}  // namespace

TEST(select_by_flag) {
  const std::size_t n = sized(60000);
  const auto numbers = numbersBelow(1 << 30, n, 1);
  std::vector<unsigned char> flags(n);
  for (std::size_t i = 0; i < n; ++i) flags[i] = numbers[i] % 3 == 0;
  Buffer<int> in(numbers), out(n);
  Buffer<unsigned char> inFlags(flags);
  Buffer<unsigned> count(1);
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::select(storage, bytes, in.get(), inFlags.get(), out.get(), count.get(), n);
  });
  const auto want = kept(numbers, [&](std::size_t i) { return flags[i]; });
  EXPECT_EQ(std::size_t(single(count)), want.size());
  EXPECT_VEC(firstOf(out, want.size()), want);
  check::result(want);
}

TEST(select_by_predicate) {
  const std::size_t n = sized(60000);
  const auto numbers = numbersBelow(1 << 30, n, 2);
  Buffer<int> in(numbers), out(n);
  Buffer<unsigned> count(1);
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::select(storage, bytes, in.get(), out.get(), count.get(), n, Odd());
  });
  const auto want = kept(numbers, [&](std::size_t i) { return Odd()(numbers[i]); });
  EXPECT_EQ(std::size_t(single(count)), want.size());
  EXPECT_VEC(firstOf(out, want.size()), want);
}

TEST(unique) {
  const std::size_t n = sized(60000);
  const auto numbers = numbersBelow(3, n, 3);
  Buffer<int> in(numbers), out(n);
  Buffer<unsigned> count(1);
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::unique(storage, bytes, in.get(), out.get(), count.get(), n);
  });
  auto want = numbers;
  want.erase(std::unique(want.begin(), want.end()), want.end());
  EXPECT_EQ(std::size_t(single(count)), want.size());
  EXPECT_VEC(firstOf(out, want.size()), want);
  check::result(want);
}

TEST(partition_by_predicate) {
  const std::size_t n = sized(40000);
  const auto numbers = numbersBelow(1 << 20, n, 4);
  Buffer<int> in(numbers), out(n);
  Buffer<unsigned> count(1);
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::partition(storage, bytes, in.get(), out.get(), count.get(), n, Odd());
  });
  std::vector<bool> selected(n);
  for (std::size_t i = 0; i < n; ++i) selected[i] = Odd()(numbers[i]);
  expectPartition(out.download(), numbers, single(count), selected);
}

TEST(partition_three_ways) {
  const std::size_t n = sized(40000);
  const auto numbers = numbersBelow(100, n, 5);
  Buffer<int> in(numbers), low(n), high(n), rest(n);
  Buffer<unsigned> counts(2);
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::partition_three_way(storage, bytes, in.get(), low.get(), high.get(), rest.get(), counts.get(), n,
                                        Small(), Large());
  });
  const auto wantLow = kept(numbers, [&](std::size_t i) { return Small()(numbers[i]); });
  const auto wantHigh = kept(numbers, [&](std::size_t i) { return Large()(numbers[i]); });
  const auto wantRest = kept(numbers, [&](std::size_t i) { return !Small()(numbers[i]) && !Large()(numbers[i]); });
  EXPECT_VEC(counts.download(), (std::vector<unsigned>{unsigned(wantLow.size()), unsigned(wantHigh.size())}));
  EXPECT_VEC(firstOf(low, wantLow.size()), wantLow);
  EXPECT_VEC(firstOf(high, wantHigh.size()), wantHigh);
  EXPECT_VEC(firstOf(rest, wantRest.size()), wantRest);
}

TEST(run_length_encode) {
  const std::size_t n = sized(50000);
  const auto numbers = numbersBelow(2, n, 6);
  Buffer<int> in(numbers), values(n);
  Buffer<unsigned> lengths(n), count(1);
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::run_length_encode(storage, bytes, in.get(), unsigned(n), values.get(), lengths.get(), count.get());
  });
  std::vector<int> wantValues;
  std::vector<unsigned> wantLengths;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || numbers[i] != numbers[i - 1]) wantValues.push_back(numbers[i]), wantLengths.push_back(0);
    ++wantLengths.back();
  }
  EXPECT_EQ(std::size_t(single(count)), wantValues.size());
  EXPECT_VEC(firstOf(values, wantValues.size()), wantValues);
  EXPECT_VEC(firstOf(lengths, wantLengths.size()), wantLengths);
  check::result(wantLengths);
}

TEST(histogram_of_even_bins) {
  const std::size_t n = sized(100000);
  const auto samples = randomVector<float>(n, 7, -10, 110);  // some lie outside
  for (unsigned bins : {10u, 700u}) {
    Buffer<float> in(samples);
    Buffer<unsigned> out(bins);
    withStorage([&](void* storage, std::size_t& bytes) {
      return rocprim::histogram_even(storage, bytes, in.get(), unsigned(n), out.get(), bins + 1, 0.0f, 100.0f);
    });
    std::vector<unsigned> want(bins);
    for (float x : samples)
      if (x >= 0.0f && x < 100.0f) ++want[unsigned(x * (float(bins) / 100.0f))];
    const auto got = out.download();
    // A sample on the edge of a bin may be rounded either way; all are counted once.
    EXPECT_EQ(std::accumulate(got.begin(), got.end(), 0u), std::accumulate(want.begin(), want.end(), 0u));
    unsigned moved = 0;
    for (unsigned i = 0; i < bins; ++i) moved += got[i] > want[i] ? got[i] - want[i] : want[i] - got[i];
    EXPECT(moved <= n / 10000);
    check::result(got);
  }
}

TEST(histogram_of_given_bins) {
  const std::size_t n = sized(50000);
  const auto samples = numbersBelow(1000, n, 8);
  const std::vector<int> levels{0, 1, 10, 100, 333, 334, 900};
  Buffer<int> in(samples), deviceLevels(levels);
  Buffer<unsigned> out(levels.size() - 1);
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::histogram_range(storage, bytes, in.get(), unsigned(n), out.get(), unsigned(levels.size()),
                                    deviceLevels.get());
  });
  std::vector<unsigned> want(levels.size() - 1);
  for (int x : samples) {
    const auto bin = std::upper_bound(levels.begin(), levels.end(), x) - levels.begin();
    if (bin < int(levels.size())) ++want[std::size_t(bin - 1)];
  }
  EXPECT_VEC(out.download(), want);
  check::result(want);
}

TEST(binary_search) {
  const std::size_t n = sized(20000);
  auto haystack = numbersBelow(50000, n, 9);
  std::sort(haystack.begin(), haystack.end());
  const auto needles = numbersBelow(51000, n / 2, 10);
  Buffer<int> in(haystack), wanted(needles);
  Buffer<unsigned> out(needles.size());
  withStorage([&](void* storage, std::size_t& bytes) {
    return rocprim::lower_bound(storage, bytes, in.get(), wanted.get(), out.get(), haystack.size(), needles.size(),
                                rocprim::less<int>());
  });
  std::vector<unsigned> want;
  for (int x : needles)
    want.push_back(unsigned(std::lower_bound(haystack.begin(), haystack.end(), x) - haystack.begin()));
  EXPECT_VEC(out.download(), want);
}

struct Blend {
  __host__ __device__ double operator()(float a, int b) const { return double(a) * b; }
};

TEST(transform_two_ranges) {
  const std::size_t n = sized(30000);
  const auto a = randomVector<float>(n, 11, -10, 10);
  const auto b = numbersBelow(1000, n, 12);
  Buffer<float> first(a);
  Buffer<int> second(b);
  Buffer<double> out(n);
  HIP(rocprim::transform(first.get(), second.get(), out.get(), n, Blend()));
  std::vector<double> want(n);
  for (std::size_t i = 0; i < n; ++i) want[i] = double(a[i]) * b[i];
  EXPECT_VEC(out.download(), want);
}
