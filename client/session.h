// Session: this process's use of one worker. A RemoteCore owns it.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "access/entry.h"
#include "client/claims.h"
#include "client/connection.h"
#include "client/device_heap.h"
#include "client/endpoint.h"
#include "client/host_functions.h"
#include "client/host_memory.h"
#include "client/near.h"
#include "client/options.h"
#include "client/resume.h"
#include "client/spare_events.h"
#include "client/stats.h"
#include "client/streams.h"
#include "client/ucx.h"
#include "client/virtual_memory.h"
#include "mirror/heartbeat.h"
#include "types/platform.h"

namespace hipr {
class Core;
}

namespace hipr::client {

// Counts one object, as long as it lives, of a kind of which a session may have only so many.
class Counted {
 public:
  explicit Counted(std::atomic<std::uint64_t>* count) : count_(count) {
    if (count_) ++*count_;
  }
  ~Counted() {
    if (count_) --*count_;
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::atomic<std::uint64_t>* const count_;  // or none
};

// Which of several sessions of this process, whose memory must be at different addresses.
struct Slice {
  std::size_t index = 0, count = 1;
};

class Session {
 public:
  // `core` is told of work that failed.
  static Status connect(const Options& options, Slice slice, Core& core, std::unique_ptr<Session>& out);
  ~Session();

  // Everything already posted reaches the worker; then the connection closes.
  void close();

  void retire();   // closes it and gives up its addresses; only platform() and stats() may be used from then on
  void abandon();  // in a forked child: give up the descriptor and the device addresses, touch nothing else

  // The worker; and nobody reads or writes the program's memory for it any more.
  bool lost() {
    if (connection_->alive()) return false;
    connection_->rest();
    return true;
  }
  // Nobody reads or writes that memory any more, not even to send again what a connection that breaks has lost.
  void letGo(const Allocation& memory);

  const Platform& platform() const { return platform_; }
  Connection& connection() { return *connection_; }
  StreamTable& streams() { return streams_; }
  // For all that its devices have, whatever becomes of that. kLost, or hipErrorOutOfMemory: it has not waited.
  hipError_t waitFor(const Moment& moment);
  DeviceHeap& heap(int device) { return *heaps_[device]; }
  bool placesMemory() const { return !heaps_.empty(); }
  VirtualMemory& virtualMemory() { return *virtualMemory_; }  // REQUIRES: placesMemory()
  HostMemory& host() { return *host_; }
  void exchangeHostMemory() { exchange_->start(); }  // kernels that may use it have been launched
  HostFunctions& hostFunctions() { return *hostFunctions_; }
  const Stats& stats() const { return stats_; }
  Core& core() { return core_; }
  std::string workerName() const { return place_.name(); }     // for messages
  const std::string& transport() const { return transport_; }  // Transport::kind() of its first connection
  const std::string& statsFile() const { return options_.statsFile; }

  // Copies to and from other workers need not come through this process. Within this machine nothing is gained.
  bool invites() const { return invites_ && !way_.near; }
  bool brings() const { return brings_ && !way_.near; }
  bool hasImages() const { return images_; }  // the worker knows arrays and textures; perhaps no device has them
  std::string addressForPeers() const;        // of the worker, as this process reaches it

  bool lazy() const { return options_.lazy; }
  // The host could tell that unfinished work is not done: by its memory, or by a function of its own.
  bool hostCouldTell();
  // To have waited, where the program is content with that: nor would it tell by the time, nor another process.
  bool mayPretend();
  std::atomic<bool> sharesMemory{false};  // with other processes, or has

  std::uint64_t newGraph() { return nextGraph_.fetch_add(1, std::memory_order_relaxed); }
  bool worksAt(std::uint64_t address, std::uint64_t size) const;  // memory placed by the worker's runtime can lie there
  const wire::SessionLimits& limits() const { return limits_; }
  std::atomic<std::uint64_t> streamCount{0}, eventCount{0}, moduleCount{0};
  SpareEvents spareEvents;
  // Operations of a stream that may be unfinished: several full streams are less than the worker allows.
  std::uint64_t mostAhead() const { return mostAhead_; }
  std::uint64_t mostCarried() const { return mostCarried_; }  // bytes in the messages of such operations
  std::uint64_t newTransfer() { return nextTransfer_.fetch_add(1, std::memory_order_relaxed); }
  // Code that the worker does not have is posted packed, where that pays, or it is for the ModuleLoad to carry. Whoever
  // says that the worker has code must say so behind the code: hence the lock, until the ModuleLoad is on its way.
  std::mutex& codeMutex() { return codeMutex_; }
  bool workerHasCode(const wire::Bits256& hash);  // and remembers that it will have it from now on
  std::size_t postPackedCode(const wire::Bits256& hash, wire::Bytes code);  // bytes posted; 0: it was not

  // An operation of a stream: posted, and counted in the order it travels. `under(position)` runs at that moment.
  template <wire::Opcode kOp, class Under>
  void submit(RemoteStream& stream, const typename wire::MessageOf<kOp>::Type& message, Under&& under) {
    connection_->post<kOp>(message, [&] { under(streams_.count(stream)); });
  }
  template <wire::Opcode kOp>
  void submit(RemoteStream& stream, const typename wire::MessageOf<kOp>::Type& message) {
    submit<kOp>(stream, message, [](std::uint64_t) {});
  }

 private:
  Session(const Options& options, Slice slice, Core& core, Place place)
      : options_(options), slice_(slice), core_(core), place_(std::move(place)) {}
  Status begin(net::Socket socket);
  Status enter(net::Socket socket, net::TransportPtr& transport);
  Status greet(std::unique_ptr<Connection>& connection);
  void loseOthersWaits();
  void outliveCuts(const wire::HelloReply& reply);
  void nameBlocks();                  // of uploads, where it may pay
  void packData();                    // in both directions, where it may pay
  void useLanes(bool up, bool down);  // likewise, for uploads and downloads
  void makeHeaps(const wire::HelloReply& reply);
  bool onPush(wire::Opcode opcode, wire::Bytes payload);

  Options options_;
  const Slice slice_;
  Core& core_;
  const Place place_;
  access::Credentials credentials_;
  Way way_;
  bool invites_ = false, brings_ = false, images_ = false;
  std::string transport_;
  std::unique_ptr<Resumption> resumption_;
  Stats stats_;
  Platform platform_;
  platform::AddressRange deviceRange_;
  std::uint64_t hostBase_ = 0, hostSize_ = 0;
  wire::SessionLimits limits_;
  std::uint64_t mostAhead_ = 1, mostCarried_ = 1;
  std::unique_ptr<net::UcxLink> ucx_;  // under the connection, if that is how it travels
  std::unique_ptr<Connection> connection_;
  StreamTable streams_;
  std::vector<std::unique_ptr<DeviceHeap>> heaps_;  // by device; empty when the worker's runtime places memory itself
  std::unique_ptr<VirtualMemory> virtualMemory_;
  std::unique_ptr<HostMemory> host_;
  std::unique_ptr<mirror::Heartbeat> exchange_;
  std::shared_ptr<HostFunctions> hostFunctions_;
  std::atomic<std::uint64_t> nextTransfer_{1}, nextGraph_{wire::kFirstObject};
  std::mutex codeMutex_;
  std::set<wire::Bits256> knownCode_;
  bool unpacksCode_ = false;  // the worker
};

// The status of a call whose answer never came.
inline constexpr hipError_t kLost = hipErrorNotInitialized;

// Whether this answer came when what it waits for was over. Where too many wait already, the worker says so at once.
inline bool tellsOfOrder(const wire::Done& done) {
  return done.status != hipErrorOutOfMemory;
}

}  // namespace hipr::client
