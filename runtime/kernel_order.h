// Kernels of a stream run one after the other, and must be shown in that way although their times are rounded: HIP
// gives times as floats of milliseconds, and each new measurement of the GPU's clock (activity.cpp) is off by another
// amount.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

namespace hipr {

// How far a time of so many milliseconds since an event can be from another one that is the same, in nanoseconds.
inline std::uint64_t roundedBy(float milliseconds) {
  constexpr double kNanoseconds = 1e6;
  const double apart = std::fabs(milliseconds) * std::numeric_limits<float>::epsilon();
  return static_cast<std::uint64_t>(apart * kNanoseconds) + 2;  // nanoseconds are cut off, too
}

// For one thread.
class KernelOrder {
 public:
  // When the kernel is to be shown to begin: `begin`, or when the one before it ended, if that is not more than
  // `unsure` later. More would be a kernel that is reported after one that it ran before, which threads that share a
  // stream do.
  std::uint64_t place(int device, std::uint64_t queue, std::uint64_t begin, std::uint64_t duration,
                      std::uint64_t unsure) {
    std::uint64_t& ended = ended_[{device, queue}];
    if (begin < ended && ended - begin <= unsure) begin = ended;
    ended = std::max(ended, begin + duration);
    return begin;
  }

 private:
  std::map<std::pair<int, std::uint64_t>, std::uint64_t> ended_;
};

}  // namespace hipr
