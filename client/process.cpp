// RemoteCore: opening the session, forking, leaving.
#include <fstream>

#include "base/log.h"
#include "client/remote_core.h"
#include "runtime/call_count.h"
#include "wire/platform_codec.h"

namespace hipr::client {
namespace {

void writeStats(Session& session, const std::string& file) {
  const Outbox& outbox = session.connection().outbox();
  const DownloadLanes& down = session.connection().downloadLanes();
  const Stats& stats = session.stats();
  const std::uint64_t calls = callCount.calls, travelled = stats.posted + stats.waited;
  std::ofstream(file, std::ios::app) << "calls=" << calls << " answered=" << (calls > travelled ? calls - travelled : 0)
                                     << " posted=" << stats.posted << " waited=" << stats.waited
                                     << " joined=" << stats.joined << " sent=" << outbox.bytesSent()
                                     << " received=" << stats.received << " packed=" << outbox.bytesPacked()
                                     << " unpacked=" << stats.unpacked << " lanes=" << outbox.lanesSoFar()
                                     << " lane_bytes=" << outbox.laneBytes() << " down_lanes=" << down.lanesSoFar()
                                     << " down_lane_bytes=" << down.bytes() << " transport=" << session.transport()
                                     << "\n";
}

bool samePlatform(const Platform& a, const Platform& b) {
  std::vector<std::byte> bytesOfA, bytesOfB;
  wire::encodePlatform(a, bytesOfA);
  wire::encodePlatform(b, bytesOfB);
  return bytesOfA == bytesOfB;
}

}  // namespace

std::vector<Core*> remoteCores() {
  Options options;
  const bool several = readOptions(options).ok() && options.all && !options.tensorFusion.asked();
  const std::size_t count = several ? options.workers.size() : 1;  // one says what is wrong with the options
  std::vector<Core*> row;
  for (std::size_t i = 0; i < count; ++i) row.push_back(new RemoteCore(Slice{i, count}));
  return row;
}

hipError_t RemoteCore::openSession(std::unique_ptr<Session>& session) {
  const NoCancel whole;
  Options options;
  if (Status status = readOptions(options); !status.ok()) {
    logError("cannot use a worker: %s", status.message().c_str());
    return hipErrorInvalidValue;
  }
  if (slice_.count > 1) options.workers = {options.workers.at(slice_.index)};
  // Whoever answered, and whatever they said: this program has no worker.
  if (Status status = Session::connect(options, slice_, *this, session); !status.ok()) {
    logError("cannot use the worker at %s: %s", options.workerName().c_str(), status.message().c_str());
    return hipErrorNotInitialized;
  }
  callCount.wanted = !options.statsFile.empty();
  return hipSuccess;
}

void RemoteCore::use(std::unique_ptr<Session> session) {
  session_.store(session.get(), std::memory_order_release);
  opening_->sessions.push_back(std::move(session));
}

// The runtime goes on with the platform of the old session, which is why the new one must have the same.
hipError_t RemoteCore::renew() {
  std::lock_guard lock(opening_->mutex);
  Session& old = session();
  old.retire();
  std::unique_ptr<Session> fresh;
  if (hipError_t error = openSession(fresh); error != hipSuccess) return error;
  if (!samePlatform(old.platform(), fresh->platform())) {
    logError("the worker has other devices now than when this program started; start the program again to use them");
    return hipErrorNotInitialized;
  }
  use(std::move(fresh));
  return hipSuccess;
}

hipError_t RemoteCore::open(const Platform** platform) {
  if (const Session* opened = session_.load(std::memory_order_acquire)) {
    *platform = &opened->platform();
    return hipSuccess;
  }
  std::lock_guard lock(opening_->mutex);
  if (opening_->failed) return hipErrorNotInitialized;
  if (!session_) {
    std::unique_ptr<Session> fresh;
    if (hipError_t error = openSession(fresh); error != hipSuccess) {
      opening_->failed = true;
      return error;
    }
    use(std::move(fresh));
  }
  *platform = &session().platform();
  return hipSuccess;
}

// The parent's session stays the parent's: its threads do not exist here and its socket must not be used. Only the
// descriptor and the reserved addresses are given up, so that the child can connect on its own.
void RemoteCore::forgetAfterFork() {
  if (Session* inherited = session_.exchange(nullptr)) inherited->abandon();
  [[maybe_unused]] static Opening* abandoned;  // reachable, so that leak checkers know it is meant
  abandoned = opening_;
  opening_ = new Opening;
}

void RemoteCore::leave(platform::Ending ending) {
  Session* last = session_.load();
  if (!last) return;
  if (ending == platform::Ending::kComing) return last->connection().outbox().flush();
  if (ending == platform::Ending::kLast) last->close();
  if (ending == platform::Ending::kThreadsGone) last->connection().outbox().sayGoodbyeAlone();
  if (!last->statsFile().empty()) writeStats(*last, last->statsFile());
}

}  // namespace hipr::client
