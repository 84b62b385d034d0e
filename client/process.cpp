// core: opening the session, forking, leaving.
#include <fstream>
#include <mutex>

#include "base/log.h"
#include "client/session.h"
#include "runtime/call_count.h"
#include "runtime/core.h"
#include "wire/platform_codec.h"

namespace hipr::client {
namespace {

std::mutex openMutex;
std::atomic<Session*> current{nullptr};
std::atomic<bool> failed{false};

void writeStats(const Session& session, std::uint64_t sent, const std::string& file) {
  const Stats& stats = session.stats();
  const std::uint64_t calls = callCount.calls, travelled = stats.posted + stats.waited;
  std::ofstream(file, std::ios::app) << "calls=" << calls << " answered=" << (calls > travelled ? calls - travelled : 0)
                                     << " posted=" << stats.posted << " waited=" << stats.waited << " sent=" << sent
                                     << " received=" << stats.received << "\n";
}

// REQUIRES: openMutex held.
hipError_t openSession(std::unique_ptr<Session>& session) {
  Options options;
  Status status = readOptions(options);
  if (status.ok()) status = Session::connect(options, session);
  if (status.ok()) {
    callCount.wanted = !options.statsFile.empty();
    return hipSuccess;
  }
  logError("cannot use the worker at %s: %s", options.workerName().c_str(), status.message().c_str());
  return status.code() == Code::kInvalid ? hipErrorInvalidValue : hipErrorNotInitialized;
}

bool samePlatform(const Platform& a, const Platform& b) {
  std::vector<std::byte> bytesOfA, bytesOfB;
  wire::encodePlatform(a, bytesOfA);
  wire::encodePlatform(b, bytesOfB);
  return bytesOfA == bytesOfB;
}

}  // namespace

Session& session() {
  return *current.load(std::memory_order_acquire);
}

// The old session is kept, empty: the runtime refers to its platform, which is why the new one must be the same.
hipError_t renewSession() {
  std::lock_guard lock(openMutex);
  Session* old = current.load();
  old->retire();
  std::unique_ptr<Session> session;
  if (hipError_t error = openSession(session); error != hipSuccess) return error;
  if (!samePlatform(old->platform(), session->platform())) {
    logError("the worker has other devices now than when this program started; start the program again to use them");
    return hipErrorNotInitialized;
  }
  current.store(session.release(), std::memory_order_release);
  return hipSuccess;
}

}  // namespace hipr::client

namespace hipr::core {
using namespace client;

hipError_t open(const Platform** platform) {
  if (Session* session = current.load(std::memory_order_acquire)) {
    *platform = &session->platform();
    return hipSuccess;
  }
  std::lock_guard lock(openMutex);
  if (failed) return hipErrorNotInitialized;
  if (!current) {
    std::unique_ptr<Session> session;
    if (hipError_t error = openSession(session); error != hipSuccess) {
      failed = true;
      return error;
    }
    current.store(session.release(), std::memory_order_release);
  }
  *platform = &current.load()->platform();
  return hipSuccess;
}

// The parent's session stays the parent's: its threads do not exist here and its socket must not be used. Only the
// descriptor and the reserved addresses are given up, so that the child can connect on its own.
void forgetAfterFork() {
  if (Session* inherited = current.exchange(nullptr)) inherited->abandon();
  new (&openMutex) std::mutex;  // it may have been held at the moment of the fork
  failed = false;
}

void shutdown() {
  Session* session = current.load();
  if (!session) return;
  session->close();
  if (!session->statsFile().empty()) {
    writeStats(*session, session->connection().outbox().bytesSent(), session->statsFile());
  }
}

}  // namespace hipr::core
