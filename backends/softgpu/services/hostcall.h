// Hostcalls: how a running kernel asks the host for something (printf, assert text, device malloc). The kernel takes a
// packet from a free stack in the buffer, fills one 8-word slot per lane, pushes it on the ready stack, rings a signal
// (s_sendmsg MSG_INTERRUPT) and spins until the host has cleared the packet's ready bit.
//
// The buffer lies in memory that kernels can write, so nothing in it is trusted: the host keeps its own idea of the
// layout, masks every index, and follows a stack no further than there are packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "backends/softgpu/services/host.h"
#include "backends/softgpu/services/hostcall_printf.h"
#include "base/status.h"

namespace hipr::softgpu {

class HostcallBuffer {
 public:
  // The device library never checks whether a packet is free, so `waves` must be at least the number of waves that can
  // be inside kernels at one time, over everything that uses this buffer.
  static std::size_t bytesFor(std::uint32_t waves);

  // Lays the buffer out in `memory`. REQUIRES: kernels may read and write `memory` at this same address; it is aligned
  // to 64 bytes, at least bytesFor(waves) long, and outlives this object, as does `host`.
  HostcallBuffer(std::span<std::byte> memory, std::uint32_t waves, ServiceHost& host);

  HostcallBuffer(const HostcallBuffer&) = delete;
  HostcallBuffer& operator=(const HostcallBuffer&) = delete;

  // For hidden_hostcall_buffer.
  std::uint64_t address() const;

  // Serves every packet that is ready. Thread-safe. An error means a packet asked for something that is not provided;
  // the kernel got zeros as its answer.
  Status service();

 private:
  struct Control;
  struct Signal;
  struct Header;
  struct Layout;
  struct Payload;

  Status serve(Header& header, Payload& payload);
  Status answer(std::uint32_t service, std::span<std::uint64_t, 8> slot);

  std::mutex mutex_;
  ServiceHost& host_;
  std::uint64_t mask_;
  Control* control_;
  Header* headers_;
  Payload* payloads_;
  PrintfMessages messages_;
};

}  // namespace hipr::softgpu
