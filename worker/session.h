// Session: one client. Reads its messages in order and carries each out on the backend.
//
// One thread of its crew at a time is the reader: it decodes, gives work to the runtime, and answers whatever needs no
// waiting. It never waits for a kernel or for the client to read (crew.h). A message that is malformed or names what
// does not exist ends the session (refuse).
//
// Handlers are named after their messages and lie in the file of their topic. What they return is the answer:
//   Post  hipError_t        not hipSuccess: sent as AsyncFailure
//   Work  nothing           its operation is submitted to Order, which reports what fails
//   Ask   optional status   nullopt: somebody answers later
//   Call  the reply message, or an optional one; nullopt: somebody answers later
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/spin.h"
#include "mirror/heartbeat.h"
#include "net/channel.h"
#include "wire/messages.h"
#include "worker/code_cache.h"
#include "worker/compute_part.h"
#include "worker/credit.h"
#include "worker/data_cache.h"
#include "worker/data_lanes.h"
#include "worker/device_memory.h"
#include "worker/frame_reader.h"
#include "worker/function.h"
#include "worker/graph.h"
#include "worker/handles.h"
#include "worker/host_memory.h"
#include "worker/images.h"
#include "worker/order.h"
#include "worker/output.h"
#include "worker/parcels.h"
#include "worker/reporter.h"
#include "worker/return.h"
#include "worker/session_counters.h"
#include "worker/shares.h"
#include "worker/transfers.h"
#include "worker/virtual_memory.h"

namespace hipr::worker {

struct SessionOptions {
  std::vector<int> devices;         // the runtime's numbers of the devices the client sees, in its order
  std::vector<std::byte> platform;  // wire/platform_codec.h
  std::string cacheFolder;
  std::function<Descriptor()> compiler;  // one that is started for this session (compile_process.h); empty: none is
  // Connections with other workers (supervisor_link.h): one will come here with the ticket; begins one to there.
  std::function<Descriptor(wire::Bits256& ticket)> invite;       // empty: nobody brings us anything
  std::function<Descriptor(const std::string& worker)> connect;  // empty: we bring nothing to others
  std::string identity;                                          // whose code cache it uses
  std::uint64_t cacheLimit = std::uint64_t{1} << 30;             // bytes of an identity's code on disk
  std::vector<ComputeUnits> compute;                  // of each device, as the runtime counts them; empty: all
  std::string dataFolder;                             // of what clients upload; empty: nothing is kept
  std::uint64_t dataLimit = std::uint64_t{16} << 30;  // bytes of an identity's data on disk
  std::uint64_t memoryLimit = 0;  // what a device has at most, as far as the client knows; 0: what it really has
  int greetingTimeout = 0;        // seconds a client has until Hello has been agreed upon; 0: as long as it likes
  Credit* credit = nullptr;
  SharedMemory* shared = nullptr;  // null: nothing is shared with other sessions
  ReturnDoor* door = nullptr;      // null: a cut is the end
  int resumeSeconds = 0;           // how long the supervisor lets it wait for its client
  wire::Bits256 resumeKey{};
  SessionPage* page = nullptr;    // null: nobody counts what this session does
  OutputRelay* output = nullptr;  // null: what kernels print stays here
  Limits limits{};
};

struct Event {
  Meter::Share share;
  int device = 0;
  unsigned flags = 0;
  hipError_t broken = hipSuccess;
  int nativeDevice = 0;
  std::shared_ptr<NativeEvent> native;  // for the next record, if nobody needs it for the last one any more
  std::shared_ptr<Record> last;         // null when never recorded
};

// A function of the client that holds its stream until the client has run it.
struct HostFunction {
  explicit HostFunction(StreamPtr s) : stream(std::move(s)) {}
  const StreamPtr stream;
  std::atomic<bool> due{false};  // the client has been told to run it
};

class Session {
 public:
  Session(net::TransportPtr transport, const HipTable& hip, SessionOptions options);
  ~Session();

  // Serves the client until it leaves. What made it end, in words; ok() for a client that said goodbye.
  Status run();

  DataLanes& lanes() { return lanes_; }  // where connections join it

 private:
  using Answer = std::optional<hipError_t>;
  using Clock = std::chrono::steady_clock;

  // --- session.cpp: reading and answering
  bool greeted() const { return phase_ == Phase::kGreeted; }
  Crew::Delay greetingDelay() const;
  Status expects(const wire::Header& header);  // invalid when such a message may not come now
  void accept();                               // what Hello was answered with
  Crew::Delay read();                          // handles what there is
  Crew::Delay rest();  // nothing has come for a while: tells the client what it does not know yet
  Status handleNext(wire::Header& header);
  Status handle(const wire::Header& header);
  Status handleData(const wire::Header& header);
  template <wire::Opcode kOp>
  void dispatch(wire::Bytes payload);
  void refuse(std::string why);
  void sayRefused(const std::string& why);
  void countMemory();
  void acknowledge();          // what has been received, if it is time
  std::uint32_t request_ = 0;  // of the message being handled

  // --- hello.cpp
  wire::HelloReply onHello(const wire::Hello& m);
  hipError_t onGoodbye(const wire::Goodbye& m);
  hipError_t onAcknowledge(const wire::Acknowledge& m);
  Answer onPing(const wire::Ping& m);
  bool reserveRanges(const wire::Hello& m, wire::HelloReply& reply);

  // --- devices.cpp
  bool hasDevice(int device);  // refuses when not
  Answer onDeviceSynchronize(const wire::DeviceSynchronize& m);
  Answer onDeviceReset(const wire::DeviceReset& m);
  hipError_t onSetLimit(const wire::SetLimit& m);
  hipError_t onSetPeerAccess(const wire::SetPeerAccess& m);
  wire::MemoryInfoReply onMemoryInfo(const wire::MemoryInfo& m);
  hipError_t onDeviceFence(const wire::DeviceFence& m);
  // Answers the message being handled when everything these streams have is done, or at once when too many wait.
  Answer answerWhenDone(const std::vector<StreamPtr>& streams, wire::Opcode opcode, hipError_t soFar = hipSuccess);

  // --- memory.cpp
  hipError_t onMapMemory(const wire::MapMemory& m);
  hipError_t onUnmapMemory(const wire::UnmapMemory& m);
  wire::MemoryCreditReply onMemoryCredit(const wire::MemoryCredit& m);
  wire::AllocateMemoryReply onAllocateMemory(const wire::AllocateMemory& m);
  hipError_t onFreeMemory(const wire::FreeMemory& m);
  hipError_t onExposeHost(const wire::ExposeHost& m);
  hipError_t onShareHost(const wire::ShareHost& m);
  hipError_t onConcealHost(const wire::ConcealHost& m);
  hipError_t onHostBytes(const wire::HostBytes& m);
  bool obtainCredit(int device, std::uint64_t size);  // for so much more memory
  bool extendCredit(int device, std::uint64_t size);  // the same, without memory that is on its way back
  // Takes back what the client has not used for a while; when that has to be looked at again, or kNever.
  Crew::Delay takeBackCredit();

  // --- virtual_memory.cpp
  hipError_t onCreatePhysical(const wire::CreatePhysical& m);
  hipError_t onReleasePhysical(const wire::ReleasePhysical& m);
  hipError_t onMapPhysical(const wire::MapPhysical& m);
  hipError_t onUnmapPhysical(const wire::UnmapPhysical& m);
  hipError_t onSetMemoryAccess(const wire::SetMemoryAccess& m);

  // --- images.cpp, textures.cpp
  Answer onArrayCreate(const wire::ArrayCreate& m);
  hipError_t onArrayDestroy(const wire::ArrayDestroy& m);
  void onArrayCopy(const wire::ArrayCopy& m);
  wire::TextureCreateReply onTextureCreate(const wire::TextureCreate& m);
  hipError_t onTextureDestroy(const wire::TextureDestroy& m);
  bool resolve(ArrayWork& work);            // false after refuse()
  bool namedExists(const ArrayWork& work);  // REQUIRES: resolved, perhaps long ago
  hipError_t describeSource(const wire::TextureCreate& m, Texture& texture, hipResourceDesc& out);  // may refuse
  void dropLater(std::shared_ptr<void> image);  // when everything sent so far is done
  void dropImages(int device);

  // --- copies.cpp
  void onUpload(const wire::Upload& m);
  Answer onDownload(const wire::Download& m);
  void onDeviceCopy(const wire::DeviceCopy& m);
  void onFillMemory(const wire::FillMemory& m);
  bool locate(std::uint64_t address, std::uint64_t size, DeviceMemory::Span& span);
  void uploadLater(const wire::Upload& m, const StreamPtr& stream, bool direct, hipError_t error);
  void swallow(const wire::Upload& m, const StreamPtr& stream);  // its bytes still come
  std::shared_ptr<Upload> expectUpload(const wire::Upload& m, const StreamPtr& stream, bool direct);  // null: refused
  void noteHostWrite(Stream& stream, std::uint64_t address);  // after submitting what writes there

  hipError_t onPackDownloads(const wire::PackDownloads& m);

  // --- lane_data.cpp
  hipError_t onLaneData(const wire::LaneData& m);
  hipError_t onDownloadLanes(const wire::DownloadLanes& m);
  hipError_t onNamedDataAnswer(const wire::NamedDataAnswer& m);
  void laneGave(const LanePiece& piece, Staging::Block block, bool keep);
  void laneLost(const LanePiece& piece);

  // --- named_data.cpp
  hipError_t onNamedData(const wire::NamedData& m);
  void findData(const std::shared_ptr<Upload>& upload, const wire::NamedData& m);
  bool mayExpect(Upload& upload, std::uint64_t size);  // a piece that does not come in its place; refuses when not
  void answerData(const std::shared_ptr<Upload>& upload, std::uint64_t transfer, std::uint64_t offset, bool here);
  void keepData(Staging::Block block, std::uint64_t size);
  void finishKeeping();  // waits for who keeps something, not long
  void forgetUploads();  // those that became complete while somebody else read
  static constexpr std::size_t kSeekers = 8;
  std::array<SeriesPtr, kSeekers> seeking_;
  std::size_t nextSeeker_ = 0;
  std::atomic<std::size_t> sought_{0};  // names, and pieces on lanes, that have not been answered
  const SeriesPtr keeping_ = std::make_shared<Series>();
  std::atomic<std::uint64_t> keepingBytes_{0};
  std::mutex completeMutex_;
  std::vector<std::pair<std::uint64_t, std::shared_ptr<Upload>>> complete_;  // by number, to leave uploads_

  // There is no room for this operation: it has its place in the stream and fails. False: there is.
  template <wire::Opcode kOp>
  bool crowdedOut(const typename wire::MessageOf<kOp>::Type& message);
  // An operation that can be given to the runtime at once: give(stream, message) calls it. What fails is reported.
  // `pieces`: operations of the runtime that it becomes; if there are many, it may wait until those before it are done.
  template <wire::Opcode kOp, class Message, class Give>
  void submit(const StreamPtr& stream, const Message& message, hipError_t error, Give give, std::uint64_t pieces = 1,
              const Place& needs = {});
  template <wire::Opcode kOp, class Message, class Give>
  void giveNow(const StreamPtr& stream, const Message& message, const Give& give, hipError_t error,
               std::uint64_t pieces);

  // --- streams.cpp
  const StreamPtr& stream(std::uint64_t number);  // null after refuse()
  hipError_t onStreamCreate(const wire::StreamCreate& m);
  hipError_t onStreamDestroy(const wire::StreamDestroy& m);
  Answer onStreamSynchronize(const wire::StreamSynchronize& m);
  hipError_t onStreamFence(const wire::StreamFence& m);
  hipError_t onStreamWatch(const wire::StreamWatch& m);
  void onStreamWaitEvent(const wire::StreamWaitEvent& m);
  void onHostFunction(const wire::HostFunction& m);
  hipError_t onHostFunctionDone(const wire::HostFunctionDone& m);

  // --- stream_memory.cpp
  void onWordSteps(const wire::WordSteps& m);
  bool located(const wire::WordSteps& m);  // all of its words exist

  // --- events.cpp
  std::shared_ptr<Event> event(std::uint64_t number);  // null after refuse()
  hipError_t onEventCreate(const wire::EventCreate& m);
  hipError_t onEventDestroy(const wire::EventDestroy& m);
  void onEventRecord(const wire::EventRecord& m);
  Answer onEventSynchronize(const wire::EventSynchronize& m);
  hipError_t onEventWatch(const wire::EventWatch& m);
  wire::EventElapsedReply onEventElapsed(const wire::EventElapsed& m);
  hipError_t makeNative(Event& event, int device);
  std::shared_ptr<Record> newRecord(Event& event, const StreamPtr& stream);  // of the operation about to be submitted

  // --- modules.cpp, launch.cpp
  hipError_t onPackedCode(const wire::PackedCode& m);
  Status readCode(const wire::ModuleLoad& m, std::shared_ptr<const ModuleCode>& out);
  wire::ModuleLoadReply onModuleLoad(const wire::ModuleLoad& m);
  hipError_t onModuleUnload(const wire::ModuleUnload& m);
  hipError_t onFunctionGet(const wire::FunctionGet& m);
  void onLaunchKernel(const wire::LaunchKernel& m);
  void submitTimed(const wire::LaunchKernel& m, const StreamPtr& stream, const std::shared_ptr<Function>& function,
                   hipError_t error);
  hipError_t launch(const wire::LaunchKernel& m, const StreamPtr& stream, const Function& function, hipEvent_t start,
                    hipEvent_t stop);
  void unload(const std::shared_ptr<Module>& module);

  // --- graphs.cpp
  std::shared_ptr<Graph> graph(std::uint64_t number);  // null after refuse()
  hipError_t onGraphCreate(const wire::GraphCreate& m);
  hipError_t onGraphUpdate(const wire::GraphUpdate& m);
  hipError_t onGraphDestroy(const wire::GraphDestroy& m);
  void onGraphLaunch(const wire::GraphLaunch& m);
  bool decodeStep(const wire::GraphStep& m, GraphStep& step);  // false after refuse()
  bool namedExists(const std::vector<GraphStep>& steps);
  hipError_t prepare(Graph& graph);  // for a launch: what would be wrong with one
  void makeNative(GraphVersion& version);
  void change(Graph& graph, const std::vector<std::uint32_t>& numbers, std::vector<GraphStep> steps);
  void drop(const std::shared_ptr<Graph>& graph);
  void retire(std::unique_ptr<NativeGraph> native);                     // when everything sent so far is done
  hipError_t give(const GraphStep& step, const StreamPtr& stream);      // where the runtime has no graphs
  hipError_t follow(const StreamPtr& later, const StreamPtr& earlier);  // what they have been given

  // --- shared_memory.cpp
  std::optional<wire::ShareMemoryReply> onShareMemory(const wire::ShareMemory& m);
  std::optional<wire::ShareMemoryReply> onSharePhysical(const wire::SharePhysical& m);
  Answer onOpenPhysical(const wire::OpenPhysical& m);
  std::optional<wire::ShareMemoryReply> share(wire::Opcode opcode, const Lent& lent, std::uint64_t begin);
  hipError_t exportMemory(const Lent& lent, wire::Secret& secret);
  void unshare(hipMemGenericAllocationHandle_t handle);
  std::mutex sharesMutex_;
  std::map<hipMemGenericAllocationHandle_t, wire::Secret> shares_;  // what of ours the supervisor keeps

  // --- parcels.cpp
  wire::InviteReply onInvite(const wire::Invite& m);
  hipError_t onWithdraw(const wire::Withdraw& m);
  Answer onBring(const wire::Bring& m);
  void stopParcels();

  // --- compile.cpp
  std::optional<wire::CompileSourceReply> onCompileSource(const wire::CompileSource& m);
  const SeriesPtr compiling_ = std::make_shared<Series>();
  std::atomic<bool> ending_{false};

  net::Channel channel_;
  const SessionOptions options_;
  const Backend backend_;
  FrameReader reader_;
  Outbox outbox_;
  Meter meter_;
  CodeCache codeCache_;
  DataCache dataCache_;
  HostMemory hostMemory_;
  DeviceMemory memory_;
  VirtualMemory virtualMemory_{backend_, memory_, [this](auto handle) { unshare(handle); }};
  Staging staging_;
  Reporter reporter_;

  // What may come next: Hello; Hello again, or something else that accepts what Hello was answered with; anything else
  // until Goodbye; nothing.
  enum class Phase { kNew, kOffered, kGreeted, kLeft };
  Phase phase_ = Phase::kNew;
  int greetings_ = 0;
  bool resumable_ = false;       // both sides can
  std::uint64_t neighbour_ = 0;  // the client's process, if it is on this machine
  Clock::time_point greetingEnd_{};
  std::string refusal_;
  bool crowded_ = false;  // the client has been told that there is no room for operations
  Status end_;            // why run() returns
  Crew::Delay patience_ = 0;
  Spin spin_{std::chrono::microseconds(40)};  // until the next request of a busy client

  std::vector<std::chrono::steady_clock::time_point> spareSince_;  // by device: it has more credit than it uses
  std::vector<StreamPtr> nullStreams_;                             // by device
  Handles<Stream> streams_;
  Handles<Event> events_;
  Handles<Module> modules_;
  std::map<CodeCache::Hash, std::weak_ptr<const ModuleCode>> moduleCode_;  // what modules share
  Handles<Function> functions_;
  Handles<Graph> graphs_;
  Handles<Array> arrays_;
  Handles<Texture> textures_;
  std::size_t graphSteps_ = 0;    // of all of them
  std::uint64_t departures_ = 1;  // grows when memory, a module or an array goes that graphs may name
  std::unordered_map<std::uint64_t, std::shared_ptr<Upload>> uploads_;
  std::unordered_map<std::uint64_t, std::shared_ptr<IncomingParcel>> invited_;
  std::vector<std::shared_ptr<OutgoingParcel>> brought_;
  std::unordered_map<std::uint64_t, std::shared_ptr<HostFunction>> hostFunctions_;

  Crew crew_;
  Order order_;
  TransferContext transferContext_;
  DataLanes lanes_{
      staging_,
      {[this](const LanePiece& piece, Staging::Block block, bool keep) { laneGave(piece, std::move(block), keep); },
       [this](const LanePiece& piece) { laneLost(piece); }}};
  mirror::Heartbeat exchange_;  // of host memory, while kernels that may use it run
};

// Takes care of errors, so that an operation that fails still has its place.
template <wire::Opcode kOp, class Message, class Give>
void Session::giveNow(const StreamPtr& stream, const Message& message, const Give& give, hipError_t error,
                      std::uint64_t pieces) {
  if (error == hipSuccess) error = stream->broken;
  if (error == hipSuccess && pieces > 1 && !order_.weigh(*stream, pieces)) error = hipErrorOutOfMemory;
  backend_.use(stream->device);
  if (error == hipSuccess) error = give(stream, message);
  if (error != hipSuccess) reporter_.fail(error, wire::MessageOf<kOp>::kName, kOp);
}

template <wire::Opcode kOp, class Message, class Give>
void Session::submit(const StreamPtr& stream, const Message& message, hipError_t error, Give give, std::uint64_t pieces,
                     const Place& needs) {
  order_.submit(
      stream, message,
      [this, error, give = std::move(give), pieces](const StreamPtr& s, const Message& m) {
        if (pieces == 1 || error != hipSuccess || !order_.crowded(*s, pieces)) {
          giveNow<kOp>(s, m, give, error, pieces);
          return Start::kGiven;
        }
        const auto kept = std::make_shared<KeptMessage<Message>>(m);
        order_.whenReached(s, [this, s, kept, give, pieces](hipError_t reached) {
          const std::lock_guard lock(order_.mutex());
          giveNow<kOp>(s, kept->get(), give, reached, pieces);
          order_.given(s);
        });
        return Start::kLater;
      },
      needs);
}

}  // namespace hipr::worker
