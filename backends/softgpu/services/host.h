// What device-side services ask of the runtime around them. Called under the service's own lock, from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hipr::softgpu {

enum class OutputStream : std::uint8_t { kStdout, kStderr };

class ServiceHost {
 public:
  virtual ~ServiceHost() = default;

  // What a kernel printed. One call per printf, so that lines of different lanes do not mix.
  virtual void write(OutputStream stream, std::string_view text) = 0;

  // Device memory for malloc() in kernels; 0 when there is none. Alignment is a power of two.
  virtual std::uint64_t allocate(std::uint64_t size, std::uint64_t alignment) = 0;
  // REQUIRES of the caller: nothing. An address that allocate() did not give is refused with false.
  virtual bool release(std::uint64_t address) = 0;
};

// Writes to this process's stdout or stderr and flushes: what a kernel printed must be visible when its launch is done.
void writeToProcess(OutputStream stream, std::string_view text);

}  // namespace hipr::softgpu
