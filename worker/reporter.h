// Reporter: tells the client what it does not ask for: how far streams are, what kernels wrote into its memory, what
// they printed, what went wrong. Thread-safe.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "worker/backend.h"
#include "worker/deliveries.h"
#include "worker/host_memory.h"
#include "worker/outbox.h"
#include "worker/output.h"
#include "worker/stream.h"

namespace hipr::worker {

class Reporter {
 public:
  Reporter(const Backend& backend, Outbox& outbox, HostMemory& hostMemory, OutputRelay* output)
      : backend_(backend), outbox_(outbox), hostMemory_(hostMemory), output_(output) {}

  Deliveries& deliveries() { return deliveries_; }

  // What has been done includes something for the client that it has not got: copies, host memory that kernels wrote,
  // what they printed.
  bool owes(const Stream& stream) const;
  void mayPrint() { printing_ = true; }  // a kernel that can has been launched
  // Before the client learns that this position is done: sends what was copied, written and printed. May wait for the
  // socket.
  void show(Stream& stream, std::uint64_t position);
  void told(Stream& stream, std::uint64_t position);                          // an answer being sent implies it
  void progress(Stream& stream, std::uint64_t position);                      // tells it. REQUIRES: shown
  void fail(hipError_t error, const std::string& what, wire::Opcode opcode);  // AsyncFailure
  void failWork(const Stream& stream, hipError_t error);                      // once per kind of error
  void forgetFailures();

 private:
  bool owesMemory(const Stream& stream) const;

  const Backend& backend_;
  Outbox& outbox_;
  HostMemory& hostMemory_;
  OutputRelay* output_;  // or null
  std::atomic<bool> printing_{false};

  Deliveries deliveries_;

  std::mutex mutex_;
  std::vector<hipError_t> failures_;
};

}  // namespace hipr::worker
