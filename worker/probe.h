// Probe: what a runtime has to offer, found out by a child process, so that the supervisor itself never loads a GPU
// library and every session starts from a clean process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "worker/runtime_choice.h"

namespace hipr::worker {

struct ProbeResult {
  std::string path;                     // of the runtime to load
  std::vector<std::string> passedOver;  // runtimes that were found but have no device, and why
  std::int32_t status = 0;              // hipErrorNoDevice: it works, but has no device
  std::string statusName;
  std::vector<std::byte> platform;    // wire/platform_codec.h
  std::vector<std::int32_t> devices;  // the runtime's numbers, in the client's order
  std::vector<std::uint64_t> freeMemory;
};

// `firstDevice`: which device clients see as number 0; -1 keeps the runtime's order.
// Fails when no candidate can be loaded, or the child dies; the message names everything tried.
Status probe(const std::vector<RuntimeCandidate>& candidates, int firstDevice, ProbeResult& out);

}  // namespace hipr::worker
