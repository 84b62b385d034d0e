#include "worker/session.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace hipr::worker {
namespace {

// Milliseconds without a message after which the client is told how far its streams are, if it does not know.
constexpr Crew::Delay kFirstRest = 2, kLongestRest = 64;
// Without a pause between them: then answers do not wait for the end.
constexpr unsigned kManyMessages = 32;

constexpr bool carriesData(wire::Opcode opcode) {
  return opcode == wire::Opcode::kData || opcode == wire::Opcode::kPackedData;
}

bool changesMemory(wire::Opcode opcode) {
  switch (opcode) {
    case wire::Opcode::kMapMemory:
    case wire::Opcode::kUnmapMemory:
    case wire::Opcode::kCreatePhysical:
    case wire::Opcode::kReleasePhysical:
    case wire::Opcode::kUnmapPhysical:
    case wire::Opcode::kAllocateMemory:
    case wire::Opcode::kFreeMemory:
    case wire::Opcode::kDeviceReset:
    case wire::Opcode::kArrayCreate:
    case wire::Opcode::kArrayDestroy:
    case wire::Opcode::kTextureDestroy:
      return true;
    default:
      return false;
  }
}

}  // namespace

Session::Session(net::TransportPtr transport, const HipTable& hip, SessionOptions options)
    : channel_(std::move(transport)),
      options_(std::move(options)),
      backend_(hip, options_.devices),
      reader_(channel_),
      outbox_(channel_, options_.page ? options_.page->counters : SessionCounters::nobody()),
      meter_(options_.limits, outbox_.counters()),
      codeCache_(options_.cacheFolder, options_.identity, options_.cacheLimit, meter_),
      dataCache_(options_.dataFolder, options_.identity, options_.dataLimit),
      hostMemory_(backend_, outbox_, meter_),
      memory_(backend_, [this](auto handle) { unshare(handle); }),
      staging_(backend_, meter_),
      reporter_(backend_, outbox_, hostMemory_, options_.output),
      crew_(
          channel_, [this] { return read(); }, [this] { return rest(); }, options_.limits[Quota::kThreads],
          &outbox_.counters().used[static_cast<std::size_t>(Quota::kThreads)]),
      order_(backend_, crew_, meter_, outbox_.counters()),
      transferContext_{backend_,
                       order_,
                       crew_,
                       outbox_,
                       reporter_,
                       staging_,
                       [this](Staging::Block block, std::uint64_t size) { keepData(std::move(block), size); }},
      exchange_([this] { return hostMemory_.any() && order_.unfinished(); },
                [this] { return hostMemory_.exchange(); }) {
  if (options_.door) channel_.keepSent();
  if (options_.output) options_.output->forwardTo(outbox_);
  spareSince_.resize(static_cast<std::size_t>(backend_.devices()));
  for (int device = 0; device < backend_.devices(); ++device) {
    auto stream = std::make_shared<Stream>(wire::kNullStream + static_cast<std::uint64_t>(device), device, true);
    nullStreams_.push_back(stream);
    order_.add(stream);
  }
}

Session::~Session() {
  ending_ = true;
  outbox_.fail();
  for (auto& [id, upload] : uploads_) upload->abandon(hipErrorDeinitialized);
  transferContext_.lanes.stop();  // what nobody will take in any more: whoever waits for that goes on
  stopParcels();
  lanes_.stop();
  crew_.finish();    // who waits for the GPU uses everything else
  exchange_.stop();  // it asks the streams
  for (const StreamPtr& stream : order_.streams(-1)) {
    backend_.use(stream->device);
    backend_.hip.hipStreamSynchronize(stream->native);
    if (stream->native) backend_.hip.hipStreamDestroy(stream->native);
  }
  graphs_.eraseIf([](const Graph&) { return true; });
  textures_.eraseIf([](const Texture&) { return true; });
  arrays_.eraseIf([](const Array&) { return true; });
  for (const auto& [number, module] : modules_) {
    if (module->native) backend_.hip.hipModuleUnload(module->native);
  }
}

void Session::refuse(std::string why) {
  if (refusal_.empty()) refusal_ = std::move(why);
}

Status Session::run() {
  if (options_.greetingTimeout > 0) {
    greetingEnd_ = Clock::now() + std::chrono::seconds(options_.greetingTimeout);
    reader_.setDeadline(greetingEnd_);
  }
  crew_.run(greetingDelay());
  finishKeeping();
  return end_;
}

Crew::Delay Session::greetingDelay() const {
  if (options_.greetingTimeout <= 0) return Crew::kNever;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(greetingEnd_ - Clock::now());
  return std::max(0, static_cast<int>(left.count()));
}

Crew::Delay Session::read() {
  unsigned handled = 0;
  // Between two messages nobody waits here, also not for another connection.
  while (reader_.hasHeader() || (crew_.hasTasks() ? reader_.poll() : spin_([this] { return reader_.poll(); }))) {
    wire::Header header;
    Status status = handleNext(header);
    const bool left = phase_ == Phase::kLeft;
    if (++handled % kManyMessages == 0) crew_.delegate();
    if (status.ok() && !left) continue;
    if (status.ok() && reader_.poll() && reader_.next(header).ok())
      status = Status::invalid(std::string(wire::opcodeName(header.opcode)) + " after Goodbye");
    if (status.code() == Code::kInvalid) sayRefused(status.message());
    end_ = std::move(status);
    return Crew::kEnd;
  }
  if (!greeted()) return greetingDelay();
  (void)takeBackCredit();  // a client that never rests keeps no more than others
  return patience_ = kFirstRest;
}

Crew::Delay Session::rest() {
  if (!greeted()) {
    end_ = Status::unavailable("the client said nothing in time");
    return Crew::kEnd;
  }
  outbox_.flush();
  bool more = false;
  for (const StreamPtr& stream : order_.streams(-1)) {
    const hipError_t error = order_.look(*stream);
    if (error == hipErrorNotReady) {
      more = true;
    } else {
      reporter_.failWork(*stream, error);
    }
    if (order_.doneSoFar(*stream) == stream->told || stream->telling.exchange(true)) continue;
    // Sending memory may wait, and nothing waits here.
    crew_.add(stream->series, [this, stream] {
      stream->telling = false;  // of what is done from here on another time
      const std::uint64_t done = order_.doneSoFar(*stream);
      reporter_.show(*stream, done);
      reporter_.progress(*stream, done);
    });
  }
  patience_ = std::min(2 * patience_, kLongestRest);
  const Crew::Delay credit = takeBackCredit();
  if (!more) return credit;
  return credit == Crew::kNever ? patience_ : std::min(patience_, credit);
}

void Session::sayRefused(const std::string& why) {
  SessionCounters::add(outbox_.counters().errors);
  push(outbox_, wire::Opcode::kRefused, wire::Refused{hipErrorInvalidValue, why});
  outbox_.drain();
  channel_.finishSending();
  reader_.discard();
}

Status Session::handleNext(wire::Header& header) {
  if (Status status = reader_.next(header); !status.ok()) return status;
  return handle(header);
}

Status Session::handle(const wire::Header& header) {
  const auto opcode = static_cast<wire::Opcode>(header.opcode);
  outbox_.counters().received(header.opcode, wire::kHeaderSize + header.length);
  if (header.version != wire::kProtocolVersion) {
    return Status::invalid("the client speaks protocol version " + std::to_string(header.version) + ", this worker " +
                           std::to_string(wire::kProtocolVersion) + "; install the same release on both sides");
  }
  if (Status status = expects(header); !status.ok()) return status;
  if (carriesData(opcode)) return handleData(header);

  wire::Bytes payload;
  if (Status status = reader_.payload(header.length, payload); !status.ok()) return status;
  request_ = header.request;
  switch (opcode) {
#define MESSAGE(number, Name, verb)                                                              \
  case wire::Opcode::k##Name:                                                                    \
    if constexpr (!carriesData(wire::Opcode::k##Name)) dispatch<wire::Opcode::k##Name>(payload); \
    break;
#include "wire/messages.def"
    default:
      refuse("unknown message " + std::to_string(header.opcode));
  }
  if (changesMemory(opcode)) countMemory();
  acknowledge();
  return refusal_.empty() ? Status{} : Status::invalid(refusal_);
}

void Session::acknowledge() {
  if (std::uint64_t received = 0; channel_.acknowledgementDue(received))
    push(outbox_, wire::Opcode::kAcknowledge, wire::Acknowledge{received});
}

void Session::countMemory() {
  std::uint64_t bytes = 0;
  for (int device = 0; device < backend_.devices(); ++device) bytes += memory_.mapped(device);
  outbox_.counters().used[static_cast<std::size_t>(Quota::kDeviceBytes)].store(bytes, std::memory_order_relaxed);
  outbox_.counters().memoryBytes.store(bytes, std::memory_order_relaxed);
}

Status Session::handleData(const wire::Header& header) {
  const bool packed = header.opcode == static_cast<std::uint16_t>(wire::Opcode::kPackedData);
  const std::uint64_t prefixed = packed ? wire::kPackedDataPrefix : wire::kDataPrefix;
  std::uint64_t prefix[3] = {};
  if (header.length < prefixed || header.length - prefixed > wire::kMaxDataChunk)
    return Status::invalid("a data frame of " + std::to_string(header.length) + " bytes");
  crew_.delegate();  // the rest may be long in coming, and more of it behind
  if (Status status = reader_.read(prefix, prefixed); !status.ok()) return status;
  Incoming piece{.reader = reader_, .offset = prefix[1], .length = header.length - prefixed};
  if (packed) {
    piece.packed = piece.length;
    piece.length = prefix[2];
    if (piece.packed == 0 || piece.packed >= piece.length || piece.length > wire::kMaxDataChunk)
      return Status::invalid("packed data that is no smaller than it was, or too large");
  }
  if (piece.length == 0) return Status::invalid("a piece of no bytes");
  forgetUploads();
  const auto found = uploads_.find(prefix[0]);
  if (found == uploads_.end())
    return Status::invalid("data for upload " + std::to_string(prefix[0]) + ", which does not exist");
  const std::shared_ptr<Upload> upload = found->second;
  const bool asked = piece.offset < upload->received();  // by a name that was not known here
  piece.keep = dataCache_.keeps() && (asked || header.flags & wire::HIP_REMOTE_FLAG_KEEP);
  const Status status = upload->arrived(piece);
  acknowledge();
  if (status.ok() && upload->complete()) uploads_.erase(found);
  return status;
}

template <wire::Opcode kOp>
bool Session::crowdedOut(const typename wire::MessageOf<kOp>::Type& message) {
  if (!order_.full()) {
    crowded_ = false;
    return false;
  }
  const StreamPtr s = stream(message.stream);
  if (!s) return true;
  order_.drop(s);
  if constexpr (kOp == wire::Opcode::kUpload) {
    if (message.transfer) swallow(message, s);
  }
  if (!std::exchange(crowded_, true)) {
    reporter_.fail(hipErrorOutOfMemory,
                   std::string(wire::MessageOf<kOp>::kName) +
                       ": too many operations that are not done (hip-worker --limit operations, held-memory)",
                   kOp);
  }
  return true;
}

template <wire::Opcode kOp>
void Session::dispatch(wire::Bytes payload) {
  using Row = wire::MessageOf<kOp>;
  typename Row::Type message;
  wire::Reader in(payload);
  in.get(message);
  constexpr const char* name = Row::kName;
  if (!in.ok() || !in.atEnd()) return refuse(std::string("malformed ") + name);

  const auto post = [&](hipError_t error) {
    if (error != hipSuccess && refusal_.empty()) reporter_.fail(error, name, kOp);
  };
  const auto ask = [&](Answer answer) {
    if (answer && refusal_.empty()) reply(outbox_, kOp, request_, wire::Done{*answer});
  };
  const auto call = [&](const auto& answer) {
    if constexpr (requires { answer.has_value(); }) {
      if (answer.has_value() && refusal_.empty()) reply(outbox_, kOp, request_, *answer);
    } else {
      if (refusal_.empty()) reply(outbox_, kOp, request_, answer);
    }
  };
  const auto misplaced = [&](const char* why) { refuse(std::string(name) + why); };

#define HIPR_DISPATCH_Post(Name) post(on##Name(message))
#define HIPR_DISPATCH_Both(Name) post(on##Name(message))
#define HIPR_DISPATCH_Work(Name) \
  if (!crowdedOut<kOp>(message)) on##Name(message)
#define HIPR_DISPATCH_Ask(Name) ask(on##Name(message))
#define HIPR_DISPATCH_Call(Name) call(on##Name(message))
#define HIPR_DISPATCH_Push(Name) misplaced(" is for the worker to send")
#define HIPR_DISPATCH_BeforeCall(Name) misplaced(" comes before Hello, or on a connection of its own")
#define HIPR_DISPATCH_BeforePost(Name) misplaced(" comes before Hello")
#define MESSAGE(number, Name, verb) \
  if constexpr (kOp == wire::Opcode::k##Name) HIPR_DISPATCH_##verb(Name);
#include "wire/messages.def"
}

}  // namespace hipr::worker
