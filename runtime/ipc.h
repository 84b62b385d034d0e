// What an IPC handle says. The program carries its 64 bytes to another process by any means, even to another machine
// that uses the same worker; whoever has them can open what they name.
#pragma once

#include <bit>
#include <cstring>

#include "runtime/process.h"
#include "runtime/shared_memory.h"

namespace hipr {

struct IpcHandle {
  enum Kind : std::uint32_t { kMemory = 0x4d524948, kEvent = 0x45524948, kPoolPointer = 0x50524948 };
  std::uint32_t kind = 0;
  std::uint32_t serial = 0;   // of the allocation: memory that is freed and allocated again has another handle
  std::uint64_t process = 0;  // that made it, and must not open it
  std::uint64_t inside = 0;   // from the beginning of the allocation to the pointer
  SharedPart part{};
};
static_assert(sizeof(IpcHandle) == sizeof(hipIpcMemHandle_t) && sizeof(IpcHandle) == sizeof(hipIpcEventHandle_t));

template <class Theirs>
IpcHandle readHandle(const Theirs& theirs) {
  return std::bit_cast<IpcHandle>(theirs);
}

// Different for every process, whatever machine it is on.
std::uint64_t processNumber();

}  // namespace hipr
