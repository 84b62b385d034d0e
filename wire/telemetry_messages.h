// Messages about what GPUs are doing, on a connection of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "types/gpu.h"
#include "wire/stream.h"

namespace hipr::wire {

struct SmiOpen {
  std::uint64_t process = 0;
  std::string hostName, program;
  static auto fields(auto& m) { return std::tie(m.process, m.hostName, m.program); }
};
struct SmiOpenReply {
  std::int32_t status = 0;  // hipError_t; on failure only `text` means anything
  std::string text;
  std::string hostName, workerVersion;
  std::string source, libraryVersion;    // telemetry/source.h
  std::uint32_t sampleMilliseconds = 0;  // how far apart the worker's samples are, at least
  std::vector<telemetry::Gpu> gpus{};
  std::vector<telemetry::Link> links{};
  static auto fields(auto& m) {
    return std::tie(m.status, m.text, m.hostName, m.workerVersion, m.source, m.libraryVersion, m.sampleMilliseconds,
                    m.gpus, m.links);
  }
};

enum SmiParts : std::uint32_t { kSmiReadings = 1, kSmiProcesses = 2 };
struct SmiRead {
  std::uint32_t parts = kSmiReadings | kSmiProcesses;
  static auto fields(auto& m) { return std::tie(m.parts); }
};
struct SmiReadReply {
  std::int32_t status = 0;
  std::string text;
  std::vector<telemetry::Reading> readings{};  // of every GPU, in the order of SmiOpenReply::gpus
  std::vector<telemetry::Process> processes{};
  static auto fields(auto& m) { return std::tie(m.status, m.text, m.readings, m.processes); }
};

}  // namespace hipr::wire
