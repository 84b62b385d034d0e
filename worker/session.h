// Session: one client. Reads its messages in order and carries each out on the backend.
//
// The thread that calls run() is the reader: it decodes, calls the runtime, and answers whatever needs no waiting. It
// never waits for the GPU or for the client to read; what waits runs on Waiters or on threads of the runtime. A message
// that is malformed or names what does not exist ends the session (refuse).
//
// Handlers are named after their messages and lie in the file of their topic. What they return is the answer:
//   Post  hipError_t        not hipSuccess: sent as AsyncFailure
//   Ask   optional status   nullopt: somebody answers later
//   Call  the reply message
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "code_object/code_object.h"
#include "mirror/heartbeat.h"
#include "net/socket.h"
#include "runtime/platform.h"
#include "wire/messages.h"
#include "worker/code_cache.h"
#include "worker/device_memory.h"
#include "worker/frame_reader.h"
#include "worker/handles.h"
#include "worker/host_memory.h"
#include "worker/ledger.h"
#include "worker/output.h"
#include "worker/progress.h"
#include "worker/session_counters.h"
#include "worker/transfers.h"

namespace hipr::worker {

struct SessionOptions {
  std::vector<int> devices;         // the runtime's numbers of the devices the client sees, in its order
  std::vector<std::byte> platform;  // wire/platform_codec.h
  std::string cacheFolder;
  std::uint64_t memoryLimit = 0;  // what a device has at most, as far as the client knows; 0: what it really has
  int greetingTimeout = 0;        // seconds a client has to say Hello; 0: as long as it likes
  Ledger* ledger = nullptr;
  int account = 0;
  SessionBoard* board = nullptr;  // null: nobody counts what this session does
  OutputRelay* output = nullptr;  // null: what kernels print stays here
};

struct NativeEvent {
  NativeEvent(const Backend& b, hipEvent_t e) : backend(b), event(e) {}
  ~NativeEvent() { backend.hip.hipEventDestroy(event); }
  NativeEvent(const NativeEvent&) = delete;
  NativeEvent& operator=(const NativeEvent&) = delete;
  const Backend& backend;
  const hipEvent_t event;
};

struct Event {
  int device = 0;
  unsigned flags = 0;
  hipError_t broken = hipSuccess;
  // Replaced by a new one when it is recorded while somebody waits for the last record.
  std::shared_ptr<NativeEvent> native;
  std::shared_ptr<Stream> stream;  // of the last record
  std::uint64_t position = 0;
};

struct Module {
  int device = 0;
  hipModule_t native = nullptr;
  CodeCache::Code bytes;  // the runtime may look at them as long as the module lives
  code::CodeObject code;
  std::vector<std::uint64_t> variables;
};

struct Function {
  std::shared_ptr<Module> module;
  hipFunction_t native = nullptr;
  const code::Kernel* kernel = nullptr;
};

class Session {
 public:
  Session(net::Socket socket, const HipTable& hip, SessionOptions options);
  ~Session();

  // Serves the client until it leaves. What made it end, in words; ok() for a client that said goodbye.
  Status run();

 private:
  using Answer = std::optional<hipError_t>;
  using StreamPtr = std::shared_ptr<Stream>;
  using Markers = std::vector<Progress::Marker>;

  // --- session.cpp: reading and answering
  Status handle(const wire::Header& header);
  Status handleData(const wire::Header& header);
  template <wire::Opcode kOp>
  void dispatch(wire::Bytes payload);
  void refuse(std::string why);
  void sayRefused(const std::string& why);
  void countMemory();
  std::uint32_t request_ = 0;  // of the message being handled

  // --- hello.cpp
  wire::HelloReply onHello(const wire::Hello& m);
  hipError_t onGoodbye(const wire::Goodbye& m);
  Answer onPing(const wire::Ping& m);
  wire::ChallengeReply onChallenge(const wire::Challenge& m);
  hipError_t onProof(const wire::Proof& m);
  wire::SmiOpenReply onSmiOpen(const wire::SmiOpen& m);
  wire::SmiReadReply onSmiRead(const wire::SmiRead& m);
  bool reserveRanges(const wire::Hello& m, wire::HelloReply& reply);

  // --- devices.cpp
  bool hasDevice(int device);  // refuses when not
  Answer onDeviceSynchronize(const wire::DeviceSynchronize& m);
  Answer onDeviceReset(const wire::DeviceReset& m);
  hipError_t onSetLimit(const wire::SetLimit& m);
  hipError_t onSetPeerAccess(const wire::SetPeerAccess& m);
  wire::MemoryInfoReply onMemoryInfo(const wire::MemoryInfo& m);
  Markers markUnsettled(int device);  // -1: of every device
  void answerAfter(Markers markers, wire::Opcode opcode);

  // --- memory.cpp
  hipError_t onMapMemory(const wire::MapMemory& m);
  hipError_t onUnmapMemory(const wire::UnmapMemory& m);
  wire::MemoryCreditReply onMemoryCredit(const wire::MemoryCredit& m);
  wire::AllocateMemoryReply onAllocateMemory(const wire::AllocateMemory& m);
  hipError_t onFreeMemory(const wire::FreeMemory& m);
  hipError_t onExposeHost(const wire::ExposeHost& m);
  hipError_t onConcealHost(const wire::ConcealHost& m);
  hipError_t onHostBytes(const wire::HostBytes& m);
  bool withinCredit(int device, std::uint64_t size);
  void freeAfterWork(std::shared_ptr<Leaving> leaving);

  // --- copies.cpp
  hipError_t onUpload(const wire::Upload& m);
  Answer onDownload(const wire::Download& m);
  hipError_t onDeviceCopy(const wire::DeviceCopy& m);
  hipError_t onFillMemory(const wire::FillMemory& m);
  bool locate(std::uint64_t address, std::uint64_t size, DeviceMemory::Span& span);
  hipError_t uploadInline(const wire::Upload& m, const StreamPtr& stream, bool direct);
  hipError_t uploadTransfer(const wire::Upload& m, const StreamPtr& stream, const DeviceMemory::Span& span,
                            hipError_t invalid);
  void noteWrite(const StreamPtr& stream, std::uint64_t address, bool barrier);

  // --- streams.cpp
  StreamPtr stream(std::uint64_t number);  // null after refuse()
  hipError_t onStreamCreate(const wire::StreamCreate& m);
  hipError_t onStreamDestroy(const wire::StreamDestroy& m);
  hipError_t destroy(const StreamPtr& stream);
  Answer onStreamSynchronize(const wire::StreamSynchronize& m);
  hipError_t onStreamWaitEvent(const wire::StreamWaitEvent& m);
  hipError_t onHostFunction(const wire::HostFunction& m);
  hipError_t onHostFunctionDone(const wire::HostFunctionDone& m);
  // What is given to this stream now starts at once: nothing it has to wait for is unfinished.
  bool quiet(const StreamPtr& stream);
  // Work given to other streams from now on starts after what this one has now.
  void raiseBarrier(const StreamPtr& stream);
  void waitForBarrier(Stream& stream);  // before the stream gets more work

  // --- events.cpp
  std::shared_ptr<Event> event(std::uint64_t number);  // null after refuse()
  hipError_t onEventCreate(const wire::EventCreate& m);
  hipError_t onEventDestroy(const wire::EventDestroy& m);
  hipError_t onEventRecord(const wire::EventRecord& m);
  Answer onEventSynchronize(const wire::EventSynchronize& m);
  wire::EventElapsedReply onEventElapsed(const wire::EventElapsed& m);
  hipError_t makeNative(Event& event);
  hipError_t prepareRecord(Event& event);

  // --- modules.cpp, launch.cpp
  wire::ModuleLoadReply onModuleLoad(const wire::ModuleLoad& m);
  hipError_t onModuleUnload(const wire::ModuleUnload& m);
  hipError_t onFunctionGet(const wire::FunctionGet& m);
  hipError_t onLaunchKernel(const wire::LaunchKernel& m);
  hipError_t launch(const wire::LaunchKernel& m, const StreamPtr& stream, const Function& function, hipEvent_t start,
                    hipEvent_t stop);
  void unload(const std::shared_ptr<Module>& module);

  net::Socket socket_;
  const SessionOptions options_;
  const Backend backend_;
  FrameReader reader_;
  Outbox outbox_;
  CodeCache codeCache_;
  HostMemory hostMemory_;
  DeviceMemory memory_;
  Staging staging_;

  bool greeted_ = false;
  int greetings_ = 0;
  bool leaving_ = false;
  std::string refusal_;

  std::map<std::uint64_t, StreamPtr> nullStreams_;
  Handles<Stream> streams_;
  Handles<Event> events_;
  Handles<Module> modules_;
  Handles<Function> functions_;
  std::unordered_map<std::uint64_t, std::shared_ptr<UploadTransfer>> uploads_;
  std::shared_ptr<NativeEvent> barrier_;  // the last one raised; it implies those before it. Null: none is in force
  std::uint64_t barrierNumber_ = 0;

  std::unordered_map<std::uint64_t, std::shared_ptr<HostCall>> hostCalls_;

  TransferContext transferContext_;
  Progress progress_;
  mirror::Heartbeat exchange_;  // of host memory, while kernels that may use it run
  Waiters waiters_;             // last, so that its threads end before anything they use
};

}  // namespace hipr::worker
