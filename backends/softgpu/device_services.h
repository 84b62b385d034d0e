// What kernels of one device find around them besides the program's memory: hostcalls (printf, assert), the malloc
// heap, the queue they were launched from. Each is made when the first kernel that needs it is launched.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "backends/softgpu/isa/execute.h"
#include "backends/softgpu/mapping.h"

namespace hipr::softgpu {

class Device;

class DeviceServices : public Services {
 public:
  explicit DeviceServices(Device& device);
  ~DeviceServices() override;

  // Addresses for the kernel's hidden arguments; 0 when there is no memory.
  std::uint64_t hostcallBuffer();
  std::uint64_t heap();
  std::uint64_t queue();

  // Makes `buffer` one that printf() of one launch writes to. The result prints what is in it, when the launch is done.
  // REQUIRES: all of it lives until then.
  std::function<void()> bufferedPrintf(std::span<std::byte> buffer, std::span<const std::string> formats);

  // Forgets everything kernels allocated. REQUIRES: none is running.
  void reset();

  // Whether a kernel printed a failed assertion since the last question.
  bool takeAssertion() { return asserted_.exchange(false); }

  void interrupt() override;
  std::optional<Fault> trap(std::uint8_t id) override;
  CodeCache* codeAround(std::uint64_t address) override;
  std::uint64_t realtime() override;

 private:
  class Host;
  struct Hostcalls;

  std::uint64_t makeVisible(Mapping& place, std::size_t size, Reach reach);  // REQUIRES: mutex_ is held

  Device& device_;
  std::mutex mutex_;
  std::unique_ptr<Host> host_;
  std::unique_ptr<Hostcalls> hostcalls_;
  std::atomic<Hostcalls*> ready_{nullptr};
  Mapping heap_, queue_;
  std::atomic<bool> asserted_{false};
};

}  // namespace hipr::softgpu
