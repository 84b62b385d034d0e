// ProgressLine: one line at the bottom of the terminal about work that takes so long that somebody may wonder. It comes
// after a moment, is written anew while the work goes on, and is gone afterwards. Where stderr is no terminal, there is
// none, and no thread either: a log has nothing of it.
//
// One at a time is shown; of several it is the one that was there first.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace hipr::platform {

// Somebody looks at what is written to stderr, and HIP_REMOTE_PROGRESS does not say that it disturbs. Found out once.
bool progressIsSeen();

class ProgressLine {
 public:
  // How far it is, asked now and then on a thread of the line's own; it has been going on for so many seconds.
  using Text = std::function<std::string(double seconds)>;

  ProgressLine();  // no line
  explicit ProgressLine(Text text);
  explicit ProgressLine(const std::string& what);  // "what (12 s)"
  ~ProgressLine();
  ProgressLine(ProgressLine&&) noexcept;
  ProgressLine& operator=(ProgressLine&&) noexcept;

 private:
  class Clerk;
  std::unique_ptr<Clerk> clerk_;
};

// "what: 120 of 512 MiB, 48.0 MiB/s, 8 s left"; without its second half where `total` is 0, for unknown.
std::string amountMoved(const std::string& what, std::uint64_t moved, std::uint64_t total, double seconds);

}  // namespace hipr::platform
