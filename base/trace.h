// A trace of this process for people: its HIP calls, its waits for the worker, bytes on the wire, kernels and how long
// they queued, on one clock (monotonicNs). Written as Chrome's trace events (Perfetto, chrome://tracing), with a
// summary.
//
// Off, it costs nothing where nothing waits: calls and kernels are recorded by the profiler's hooks
// (runtime/profiler.h), and a wait looks at one variable. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace hipr::trace {

inline constinit std::atomic<bool> on{false};

inline bool enabled() {
  return on.load(std::memory_order_relaxed);
}

// The file is opened by the first event: a program that never calls HIP leaves none. "%p" becomes the process's number.
void start(const std::string& file, std::uint64_t process);
void finish();  // writes what is left, and the summary to stderr
void forget();  // in a forked child: the file is its parent's

// The HIP call that this thread is in; null outside of them.
const char* currentCall();
void enterCall(const char* name);  // null: it is over

struct Span {
  const char* name;          // is copied
  std::uint64_t begin, end;  // nanoseconds
  std::uint64_t thread;
};
void call(const Span& span);

// A function of the program's own that a stream called (hipLaunchHostFunc): what programs do instead of waiting.
void hostFunction(const Span& span);

// A wait for an answer of the worker. `module` is the file that made the call; how many bytes have gone
// and come by its end shows as a curve.
void wait(const Span& span, const std::string& module, std::uint64_t bytesSent, std::uint64_t bytesReceived);

struct Kernel {
  const char* name;
  int device;
  std::uint64_t queue;                 // the stream
  std::uint64_t launched, begin, end;  // handed over here; on the GPU, by this clock
};
void kernel(const Kernel& kernel);

// How well the GPU's clock is known by ours: half the shortest round trip.
void clockKnownWithin(std::uint64_t nanoseconds);

}  // namespace hipr::trace
