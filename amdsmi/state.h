// State: what amdsmi_init starts and amdsmi_shut_down ends. Handles are addresses of objects here; any other address is
// recognised as unknown without being followed.
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "amdsmi/live.h"
#include "amdsmi/types.h"

namespace hipr::smi {

using Code = std::uint32_t;  // amdsmi_status_t
inline constexpr Code kSuccess = 0, kInvalid = 1, kNotSupported = 2, kIo = 12, kOutOfResources = 15,
                      kInternalException = 16, kNotFound = 31, kNotInitialized = 32, kNoDriver = 34, kTooSmall = 41;

struct Device;

// One PCI device; partitions of a GPU are several processors of one socket.
struct Socket {
  std::string name;  // "0000:03:00"
  std::vector<Device*> devices;
};

struct Device {
  std::uint32_t index;
  const telemetry::Gpu* gpu;
  Socket* socket;
};

class State {
 public:
  Code start(std::uint64_t flags);
  Code stop();
  bool running() const { return users_ > 0; }

  Code find(Handle handle, const Device*& device) const;
  Code find(Handle handle, const Socket*& socket) const;

  const std::deque<Socket>& sockets() const { return sockets_; }
  const std::deque<Device>& devices() const { return devices_; }
  const std::vector<telemetry::Link>& links() const { return links_; }

  // A forked child shares its parent's connection without knowing; it gets one of its own here.
  Live* live();

  std::mutex mutex;

 private:
  Code connect();

  unsigned users_ = 0;
  std::uint64_t process_ = 0;
  std::optional<Live> live_;
  std::vector<telemetry::Gpu> gpus_;
  std::vector<telemetry::Link> links_;
  std::deque<Socket> sockets_;
  std::deque<Device> devices_;
};

State& state();

}  // namespace hipr::smi
