// Board: the GPUs of this machine as one telemetry source shows them, for many threads. The hypervisor polls twice a
// second from several threads; a reading is therefore shared until it is too old, and while one thread takes a new one
// the others get the last. Thread-safe.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "telemetry/source.h"

namespace hipr::provider {

class Board {
 public:
  using Clock = std::chrono::steady_clock;
  Board(telemetry::SourcePtr source, Clock::duration maxAge);

  const std::vector<telemetry::Gpu>& gpus() const { return gpus_; }
  const std::vector<std::string>& names() const { return names_; }  // see identity.h
  const std::vector<telemetry::Link>& links() const { return links_; }
  const std::string& sourceKind() const { return kind_; }
  int find(const char* name) const;  // index of a GPU, whatever the case; -1

  using Readings = std::vector<telemetry::Reading>;
  using Processes = std::vector<telemetry::Process>;
  std::shared_ptr<const Readings> readings();  // as many as gpus(), never null
  std::shared_ptr<const Processes> processes();

 private:
  template <class T>
  struct Cached {
    std::shared_ptr<const T> value;
    Clock::time_point taken;
  };
  template <class T, class Take>
  std::shared_ptr<const T> recent(Cached<T>& cached, Take&& take);

  std::vector<telemetry::Gpu> gpus_;
  std::vector<std::string> names_;
  std::vector<telemetry::Link> links_;
  std::string kind_;
  const Clock::duration maxAge_;

  std::mutex sourceMutex_;  // held for as long as the source takes
  telemetry::SourcePtr source_;
  std::mutex cacheMutex_;  // held for moments
  Cached<Readings> readings_;
  Cached<Processes> processes_;
};

}  // namespace hipr::provider
