// One GPU of AMD's library: its description and its readings. A call that fails leaves its values absent and nothing
// else.
#pragma once

#include <vector>

#include "telemetry/amdsmi_library.h"
#include "types/gpu.h"

namespace hipr::telemetry::amdsmi {

// 16000 MT/s are generation 4; absent for a speed no generation has.
Maybe<std::uint32_t> pcieGeneration(std::optional<std::uint64_t> megatransfers);

Gpu describe(const Library& library, Handle handle);

// Keeps what a rate needs of the reading before.
class Reader {
 public:
  Reader(const Library& library, Handle handle) : library_(library), handle_(handle) {}
  Reading read();

 private:
  void takeMetrics(Reading& r);
  void takeFabric(const Answer& metrics, Reading& r);
  void fillPowerAndClocks(Reading& r);
  void fillTemperatures(Reading& r);
  void takeFan(Reading& r);
  void takeMemoryAndLink(Reading& r);

  const Library& library_;
  Handle handle_;
  Answer answer_;
  std::uint64_t fabricTimeNs_ = 0, fabricRead_ = 0, fabricWritten_ = 0;
};

std::vector<Process> processesOf(const Library& library, Handle handle, std::uint32_t index);
Link linkBetween(const Library& library, Handle from, Handle to);

}  // namespace hipr::telemetry::amdsmi
