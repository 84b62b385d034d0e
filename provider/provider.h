// Provider: the calls of the interface, whoever makes them. It opens its telemetry when first needed, so that a call
// after a shutdown works too; init and shutdown may come any number of times, in any order. Thread-safe; nothing
// throws.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "provider/accelerator.h"
#include "provider/board.h"

namespace hipr::provider {

class Provider {
 public:
  using Open = std::function<Status(telemetry::SourcePtr&)>;
  explicit Provider(Open open) : open_(std::move(open)) {}

  AccelResult init();
  AccelResult shutdown();

  AccelResult deviceCount(std::size_t* count);
  template <class Info>  // the ExtendedDeviceInfo of any generation
  AccelResult devices(Info* out, std::size_t max, std::size_t* count);
  template <class Table>  // any layout of the topology
  AccelResult topology(Table* out);
  AccelResult metrics(const char** uuids, std::size_t count, DeviceMetrics* out);
  AccelResult processes(ProcessInformation* out, std::size_t max, std::size_t* count);

  std::shared_ptr<Board> board();  // null, after a line in the log, when telemetry cannot be had

 private:
  void close(Board* board);

  const Open open_;
  std::mutex mutex_;
  std::condition_variable closed_;
  std::shared_ptr<Board> board_;
  bool alive_ = false;  // a board exists, if only because a call is still using it
};

// AMD's library; the software GPU where there is no AMD GPU and HIP_REMOTE_SOFTGPU asks for one.
Status openAmdSource(telemetry::SourcePtr& source);

// The folders of ROCm that worker containers get to see. NOT_FOUND ("no mounts") where there is no ROCm.
AccelResult vendorMounts(MountPath* out, std::size_t max, std::size_t* count);

}  // namespace hipr::provider
