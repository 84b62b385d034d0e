// What the library programs share: the harness of tests/conformance, sizes that grow for a full run, and statistics.
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>

#include "../conformance/support.h"

inline bool fullRun() {
  static const bool full = std::getenv("LIBRARIES_FULL") != nullptr;
  return full;
}
// How many elements a test uses: enough for several workgroups, more when there is time.
inline std::size_t sized(std::size_t n) {
  return fullRun() ? 16 * n + 7 : n;
}

// Runs a primitive the way rocPRIM wants it: asked for its temporary storage first, then for the work.
template <class F>
void withStorage(F&& primitive) {
  std::size_t bytes = 0;
  HIP(primitive(static_cast<void*>(nullptr), bytes));
  Buffer<char> storage(std::max<std::size_t>(bytes, 1));
  HIP(primitive(static_cast<void*>(storage.get()), bytes));
  HIP(hipDeviceSynchronize());
}

template <class T>
T single(const Buffer<T>& b) {
  return b.download()[0];
}

template <class T>
std::vector<T> firstOf(const Buffer<T>& b, std::size_t n) {
  std::vector<T> v = b.download();
  REQUIRE(n <= v.size());
  v.resize(n);
  return v;
}

// Floating point sums taken in another order: equal within a few roundings of the largest terms.
template <class T>
bool closeVectors(const std::vector<T>& got, const std::vector<T>& want, double tolerance, const char* what) {
  if (got.size() != want.size()) {
    check::fail(__FILE__, __LINE__, std::string(what) + ": sizes differ");
    return false;
  }
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double scale = std::max(1.0, std::fabs(static_cast<double>(want[i])));
    if (!(std::fabs(static_cast<double>(got[i]) - static_cast<double>(want[i])) <= tolerance * scale)) {
      check::fail(__FILE__, __LINE__,
                  std::string(what) + "[" + check::show(i) + "]: got " + check::show(static_cast<double>(got[i])) +
                      ", want " + check::show(static_cast<double>(want[i])));
      return false;
    }
  }
  return true;
}
