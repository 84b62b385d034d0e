// The messages: plain structs whose fields() list is their encoding. PROTOCOL.md tells what each does.
//
// Objects (streams, events, modules, functions, graphs) are named by numbers the client makes; 0 is never one of them,
// except that a stream 0 does not exist and the null stream of device d is kNullStream + d. Addresses are the same on
// both sides.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "types/gpu.h"
#include "types/platform.h"
#include "types/word_step.h"
#include "wire/stream.h"

namespace hipr::wire {

enum class Opcode : std::uint16_t {
#define MESSAGE(number, Name, verb) k##Name = number,
#include "wire/messages.def"
};

const char* opcodeName(std::uint16_t opcode);  // "?" when unknown
bool isKnown(std::uint16_t opcode);
std::vector<std::uint16_t> messagesToWorker();  // all that a client may send in a session

enum class Verb { Post, Work, Call, Ask, Push, Both, BeforeCall, BeforePost };

using Bits256 = std::array<std::uint8_t, 32>;

// --- session
// -------------------------------------------------------------------------------------------------------------
struct Hello {
  std::vector<std::uint16_t> messages{};         // opcodes this client may send
  std::uint64_t deviceBase = 0, deviceSize = 0;  // the range the client has reserved for device memory
  std::uint64_t hostBase = 0, hostSize = 0;      // and for host memory that kernels can reach
  std::uint64_t process = 0;
  std::string hostName, program;
  bool resumable = false;  // a broken connection is not the end
  static auto fields(auto& m) {
    return std::tie(m.messages, m.deviceBase, m.deviceSize, m.hostBase, m.hostSize, m.process, m.hostName, m.program,
                    m.resumable);
  }
};

// What a session may have at most: a client that knows it can say so itself.
struct SessionLimits {
  std::uint64_t streams = 0, events = 0, modules = 0;
  std::uint64_t operations = 0;  // that are not done, of all streams
  std::uint64_t heldBytes = 0;   // of those that wait for the client
  std::uint64_t hostBytes = 0;   // of host memory that kernels reach
  static auto fields(auto& m) {
    return std::tie(m.streams, m.events, m.modules, m.operations, m.heldBytes, m.hostBytes);
  }
};

struct HelloReply {
  std::int32_t status = 0;  // hipError_t; on failure only `text` and the suggested range mean anything
  std::string text;
  std::vector<std::uint16_t> unknown{};          // of the client's messages, those this worker does not understand
  std::uint64_t deviceBase = 0, deviceSize = 0;  // the range the worker could reserve; the client must reserve the same
  std::uint64_t granularity = 0;                 // of MapMemory
  std::vector<std::uint64_t> credits{};          // bytes each device has set aside for this client
  SessionLimits limits;
  std::vector<Bits256> knownCode{};  // digests of code objects (access/digest.h)
  Bytes platform{};                  // wire/platform_codec.h
  std::uint32_t resumeSeconds = 0;   // how long the session waits for a client that was cut off; 0: not at all
  Bits256 resumeKey{};               // what it has to know then
  static auto fields(auto& m) {
    return std::tie(m.status, m.text, m.unknown, m.deviceBase, m.deviceSize, m.granularity, m.credits, m.limits,
                    m.knownCode, m.platform, m.resumeSeconds, m.resumeKey);
  }
};

// The first bytes of the session, so many, have arrived: they need not be kept.
struct Acknowledge {
  std::uint64_t received = 0;
  static auto fields(auto& m) { return std::tie(m.received); }
};

// Instead of Hello: goes on with a session whose connection broke.
struct Resume {
  Bits256 key{};
  std::uint64_t received = 0;  // bytes of the session, by the client
  static auto fields(auto& m) { return std::tie(m.key, m.received); }
};
struct ResumeReply {
  std::uint64_t received = 0;  // by the worker. Both go on from there
  static auto fields(auto& m) { return std::tie(m.received); }
};

struct Goodbye {
  static auto fields(auto&) { return std::tuple<>(); }
};

struct Ping {
  Bytes payload{};
  static auto fields(auto& m) { return std::tie(m.payload); }
};

// The answer to every Ask.
struct Done {
  std::int32_t status = 0;
  static auto fields(auto& m) { return std::tie(m.status); }
};

struct AsyncFailure {
  std::int32_t status = 0;
  std::uint16_t opcode = 0;
  std::string text;
  static auto fields(auto& m) { return std::tie(m.status, m.opcode, m.text); }
};

// The first `done` operations of the stream are done.
struct Progress {
  std::uint64_t stream = 0, done = 0;
  static auto fields(auto& m) { return std::tie(m.stream, m.done); }
};

struct RunHostFunction {
  std::uint64_t id = 0;
  static auto fields(auto& m) { return std::tie(m.id); }
};
using HostFunctionDone = RunHostFunction;

// A piece of a transfer. Data beyond kEagerWindow may only be sent once the worker has opened the transfer.
struct Data {
  std::uint64_t transfer = 0, offset = 0;
  // followed by the bytes themselves, to the end of the frame
  static auto fields(auto& m) { return std::tie(m.transfer, m.offset); }
};
inline constexpr std::size_t kDataPrefix = 16;
inline constexpr std::uint64_t kEagerWindow = 32 << 20;

struct TransferOpen {
  std::uint64_t transfer = 0;
  static auto fields(auto& m) { return std::tie(m.transfer); }
};

// The worker will not serve this connection; `text` says why and what to do.
struct Refused {
  std::int32_t status = 0;
  std::string text;
  static auto fields(auto& m) { return std::tie(m.status, m.text); }
};

// What kernels printed. `stream` is 1 for stdout, 2 for stderr.
struct Output {
  std::uint8_t stream = 1;
  Bytes text{};
  static auto fields(auto& m) { return std::tie(m.stream, m.text); }
};

// Before Hello or SmiOpen, where a token is needed: each side proves that it knows it (access/challenge.h).
struct Challenge {
  std::uint64_t token = 0;  // which one: access::tokenNumber
  Bits256 number{};
  static auto fields(auto& m) { return std::tie(m.token, m.number); }
};
struct ChallengeReply {
  Bits256 number{}, proof{};
  static auto fields(auto& m) { return std::tie(m.number, m.proof); }
};

struct Proof {
  Bits256 proof{};
  static auto fields(auto& m) { return std::tie(m.proof); }
};

// --- device
// --------------------------------------------------------------------------------------------------------------
struct DeviceSynchronize {
  std::int32_t device = 0;
  static auto fields(auto& m) { return std::tie(m.device); }
};
using DeviceReset = DeviceSynchronize;

struct SetLimit {
  std::int32_t device = 0, limit = 0;
  std::uint64_t value = 0;
  static auto fields(auto& m) { return std::tie(m.device, m.limit, m.value); }
};

struct SetPeerAccess {
  std::int32_t device = 0, peer = 0;
  bool enabled = false;
  static auto fields(auto& m) { return std::tie(m.device, m.peer, m.enabled); }
};

struct MemoryInfo {
  std::int32_t device = 0;
  static auto fields(auto& m) { return std::tie(m.device); }
};
struct MemoryInfoReply {
  std::int32_t status = 0;
  std::uint64_t free = 0, total = 0;
  static auto fields(auto& m) { return std::tie(m.status, m.free, m.total); }
};

// --- memory
// --------------------------------------------------------------------------------------------------------------
struct MapMemory {
  std::int32_t device = 0;
  std::uint64_t address = 0, size = 0;
  static auto fields(auto& m) { return std::tie(m.device, m.address, m.size); }
};
struct UnmapMemory {
  std::uint64_t address = 0;
  static auto fields(auto& m) { return std::tie(m.address); }
};

// For a HIP runtime that cannot place memory at a given address: it chooses, and creating memory costs a round trip.
struct AllocateMemory {
  std::int32_t device = 0;
  std::uint64_t size = 0;
  static auto fields(auto& m) { return std::tie(m.device, m.size); }
};
struct AllocateMemoryReply {
  std::int32_t status = 0;
  std::uint64_t address = 0;
  static auto fields(auto& m) { return std::tie(m.status, m.address); }
};
using FreeMemory = UnmapMemory;

// At least `bytes` more, or nothing; `most` would save asking again soon.
struct MemoryCredit {
  std::int32_t device = 0;
  std::uint64_t bytes = 0, most = 0;
  static auto fields(auto& m) { return std::tie(m.device, m.bytes, m.most); }
};
struct MemoryCreditReply {
  std::int32_t status = 0;
  std::uint64_t granted = 0;  // on top of what was granted before: 0, or from `bytes` to `most`
  static auto fields(auto& m) { return std::tie(m.status, m.granted); }
};

// Virtual memory as the program manages it: physical memory, numbered by the client, mapped at addresses of the device
// range that no MapMemory uses.
struct CreatePhysical {
  std::uint64_t number = 0;
  std::int32_t device = 0;
  std::uint64_t size = 0;
  static auto fields(auto& m) { return std::tie(m.number, m.device, m.size); }
};
struct ReleasePhysical {
  std::uint64_t number = 0;
  static auto fields(auto& m) { return std::tie(m.number); }
};
struct MapPhysical {
  std::uint64_t number = 0, address = 0, size = 0;
  static auto fields(auto& m) { return std::tie(m.number, m.address, m.size); }
};
using UnmapPhysical = UnmapMemory;
struct SetMemoryAccess {
  std::uint64_t address = 0, size = 0;
  std::vector<std::int32_t> devices{};
  std::vector<std::uint8_t> flags{};  // hipMemAccessFlags, one for each of them
  static auto fields(auto& m) { return std::tie(m.address, m.size, m.devices, m.flags); }
};

// Credit that has not been used for a while is the device's again.
struct CreditTaken {
  std::int32_t device = 0;
  std::uint64_t bytes = 0;
  static auto fields(auto& m) { return std::tie(m.device, m.bytes); }
};

// `depth` slices of `height` rows of `width` bytes on the device side. The host side is always packed tight.
struct Shape {
  std::uint64_t address = 0, pitch = 0, slice = 0, width = 0, height = 1, depth = 1;
  static auto fields(auto& m) { return std::tie(m.address, m.pitch, m.slice, m.width, m.height, m.depth); }
  std::uint64_t bytes() const { return width * height * depth; }
};

inline constexpr std::uint64_t kMostInline = 64 << 10;  // bytes that an Upload may carry itself
struct Upload {
  std::uint64_t stream = 0;
  Shape to;
  std::uint64_t transfer = 0;  // 0: the bytes are right here
  Bytes bytes{};
  static auto fields(auto& m) { return std::tie(m.stream, m.to, m.transfer, m.bytes); }
};

// The bytes come as Data frames of this transfer, then Done.
struct Download {
  std::uint64_t stream = 0;
  Shape from;
  std::uint64_t transfer = 0;
  static auto fields(auto& m) { return std::tie(m.stream, m.from, m.transfer); }
};

struct DeviceCopy {
  std::uint64_t stream = 0;
  Shape to;
  std::uint64_t from = 0, fromPitch = 0, fromSlice = 0;
  std::int32_t toDevice = -1, fromDevice = -1;
  static auto fields(auto& m) {
    return std::tie(m.stream, m.to, m.from, m.fromPitch, m.fromSlice, m.toDevice, m.fromDevice);
  }
};

// Here `width` counts elements of `elementSize` bytes.
struct FillMemory {
  std::uint64_t stream = 0;
  Shape to;
  std::uint32_t value = 0, elementSize = 1;
  static auto fields(auto& m) { return std::tie(m.stream, m.to, m.value, m.elementSize); }
};

// From now on kernels can reach [address, address + size), zero-filled, at this address. The client numbers the regions
// it exposes, each higher than all before.
struct ExposeHost {
  std::uint64_t address = 0, size = 0, region = 0;
  static auto fields(auto& m) { return std::tie(m.address, m.size, m.region); }
};
struct ConcealHost {
  std::uint64_t address = 0;
  static auto fields(auto& m) { return std::tie(m.address); }
};

// Changed bytes of exposed host memory, on their way to the other side: which ones, and their new values
// (mirror/changes.h).
struct HostBytes {
  Bytes runs{}, bytes{};
  static auto fields(auto& m) { return std::tie(m.runs, m.bytes); }
};

// --- streams and events
// --------------------------------------------------------------------------------------------------
struct StreamCreate {
  std::uint64_t stream = 0;
  std::int32_t device = 0;
  std::uint32_t flags = 0;
  std::int32_t priority = 0;
  std::vector<std::uint32_t> cuMask{};
  static auto fields(auto& m) { return std::tie(m.stream, m.device, m.flags, m.priority, m.cuMask); }
};
struct StreamDestroy {
  std::uint64_t stream = 0;
  static auto fields(auto& m) { return std::tie(m.stream); }
};
using StreamSynchronize = StreamDestroy;

// Whatever is sent behind this message, to any stream, starts after what this stream (or every stream of this device)
// has been sent so far. HIP's calls without "Async" in their name are done when they return, and frees wait for the
// device; this keeps their promise without waiting.
using StreamFence = StreamDestroy;
using DeviceFence = DeviceSynchronize;

// Tell me, with Progress, as soon as what this stream has been sent so far is done.
using StreamWatch = StreamDestroy;

struct StreamWaitEvent {
  std::uint64_t stream = 0, event = 0;
  static auto fields(auto& m) { return std::tie(m.stream, m.event); }
};

struct HostFunction {
  std::uint64_t stream = 0, id = 0;
  static auto fields(auto& m) { return std::tie(m.stream, m.id); }
};

// A word that the stream writes or waits for, and `bytes` (4 or 8) of it.
struct WordStep {
  WordAction action = WordAction::kWrite;
  std::uint8_t bytes = 4;
  std::uint64_t address = 0, value = 0, mask = 0;
  static auto fields(auto& m) { return std::tie(m.action, m.bytes, m.address, m.value, m.mask); }
};
struct WordSteps {
  std::uint64_t stream = 0;
  std::vector<WordStep> list{};  // at most kMostWordSteps
  static auto fields(auto& m) { return std::tie(m.stream, m.list); }
};

struct EventCreate {
  std::uint64_t event = 0;
  std::int32_t device = 0;
  std::uint32_t flags = 0;
  static auto fields(auto& m) { return std::tie(m.event, m.device, m.flags); }
};
struct EventDestroy {
  std::uint64_t event = 0;
  static auto fields(auto& m) { return std::tie(m.event); }
};
struct EventRecord {
  std::uint64_t event = 0, stream = 0;
  static auto fields(auto& m) { return std::tie(m.event, m.stream); }
};
using EventSynchronize = EventDestroy;
using EventWatch = EventDestroy;  // tell me, with Progress, as soon as its last record is done

struct EventElapsed {
  std::uint64_t start = 0, stop = 0;
  static auto fields(auto& m) { return std::tie(m.start, m.stop); }
};
struct EventElapsedReply {
  std::int32_t status = 0;
  float milliseconds = 0;
  static auto fields(auto& m) { return std::tie(m.status, m.milliseconds); }
};

// --- modules and launch
// --------------------------------------------------------------------------------------------------
struct ModuleLoad {
  std::uint64_t module = 0;
  std::int32_t device = 0;
  Bits256 hash{};  // the digest of the code
  Bytes code{};    // empty: the worker has it under this hash
  std::vector<std::string> variables{};
  static auto fields(auto& m) { return std::tie(m.module, m.device, m.hash, m.code, m.variables); }
};
struct ModuleLoadReply {
  std::int32_t status = 0;
  std::vector<std::uint64_t> addresses{};  // of `variables`, in their order; 0 where the runtime has none
  static auto fields(auto& m) { return std::tie(m.status, m.addresses); }
};
struct ModuleUnload {
  std::uint64_t module = 0;
  static auto fields(auto& m) { return std::tie(m.module); }
};

struct FunctionGet {
  std::uint64_t function = 0, module = 0;
  std::string name;
  static auto fields(auto& m) { return std::tie(m.function, m.module, m.name); }
};

struct LaunchKernel {
  std::uint64_t stream = 0, function = 0;
  std::array<std::uint32_t, 3> groups{}, block{};
  std::array<std::uint32_t, 3> threads{};  // zero: groups * block
  std::uint32_t sharedBytes = 0;
  bool cooperative = false;
  std::uint64_t start = 0, stop = 0;  // events, or 0
  Bytes arguments{};
  static auto fields(auto& m) {
    return std::tie(m.stream, m.function, m.groups, m.block, m.threads, m.sharedBytes, m.cooperative, m.start, m.stop,
                    m.arguments);
  }
};

// --- graphs
// --------------------------------------------------------------------------------------------------
// A message of verb Work, kept for later: LaunchKernel, DeviceCopy or FillMemory with stream 0 and no events.
struct GraphStep {
  std::uint16_t opcode = 0;  // 0: no work, only a place where others meet
  std::int32_t device = 0;
  std::vector<std::uint32_t> after{};  // earlier steps, in ascending order
  Bytes work{};                        // the message, encoded
  static auto fields(auto& m) { return std::tie(m.opcode, m.device, m.after, m.work); }
};
inline constexpr std::size_t kMostGraphSteps = 1 << 14;  // of one graph

struct GraphCreate {
  std::uint64_t graph = 0;
  std::int32_t device = 0;
  std::vector<GraphStep> steps{};
  static auto fields(auto& m) { return std::tie(m.graph, m.device, m.steps); }
};

// From now on these steps do something else; what they come after stays, and `after` is empty.
struct GraphUpdate {
  std::uint64_t graph = 0;
  std::vector<std::uint32_t> numbers{};
  std::vector<GraphStep> steps{};  // as many
  static auto fields(auto& m) { return std::tie(m.graph, m.numbers, m.steps); }
};

struct GraphDestroy {
  std::uint64_t graph = 0;
  static auto fields(auto& m) { return std::tie(m.graph); }
};

struct GraphLaunch {
  std::uint64_t stream = 0, graph = 0;
  static auto fields(auto& m) { return std::tie(m.stream, m.graph); }
};

// A program for hiprtc, as rtc/codec.h has it. The worker compiles only when its owner lets it.
struct CompileSource {
  Bytes request{};
  static auto fields(auto& m) { return std::tie(m.request); }
};
struct CompileSourceReply {
  std::int32_t status = 0;
  std::string result;  // when the status is hipSuccess; the compiler's own status is in it
  static auto fields(auto& m) { return std::tie(m.status, m.result); }
};

// --- telemetry, on a connection of its own
// -------------------------------------------------------------------------------------------------------------
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

// The null stream of device d.
inline constexpr std::uint64_t kNullStream = 1;
inline constexpr std::uint64_t kFirstObject = 1 << 16;  // numbers below are reserved

// Message → its opcode. Two messages may share a struct, so the opcode is found by the row's name, not by the type.
template <Opcode>
struct MessageOf;
#define MESSAGE(number, Name, verb)           \
  template <>                                 \
  struct MessageOf<Opcode::k##Name> {         \
    using Type = Name;                        \
    static constexpr Verb kVerb = Verb::verb; \
  };
#include "wire/messages.def"

}  // namespace hipr::wire
