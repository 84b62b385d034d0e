#include "worker/session.h"

#include <sys/socket.h>

#include <chrono>

#include "base/log.h"

namespace hipr::worker {
namespace {

bool changesMemory(wire::Opcode opcode) {
  switch (opcode) {
    case wire::Opcode::kMapMemory:
    case wire::Opcode::kUnmapMemory:
    case wire::Opcode::kAllocateMemory:
    case wire::Opcode::kFreeMemory:
    case wire::Opcode::kDeviceReset:
      return true;
    default:
      return false;
  }
}

}  // namespace

Session::Session(net::Socket socket, const HipTable& hip, SessionOptions options)
    : socket_(std::move(socket)),
      options_(std::move(options)),
      backend_(hip, options_.devices),
      reader_(socket_.fd()),
      outbox_(socket_, options_.board ? options_.board->sit(options_.account) : SessionCounters::nobody()),
      codeCache_(options_.cacheFolder),
      hostMemory_(backend_, outbox_),
      memory_(backend_),
      staging_(backend_, waiters_),
      transferContext_{outbox_, staging_, waiters_},
      progress_(backend_, outbox_, waiters_, hostMemory_, options_.output),
      exchange_([this] { return hostMemory_.any() && progress_.unfinished(); },
                [this] { return hostMemory_.exchange(); }) {
  if (options_.output) options_.output->forwardTo(outbox_);
  for (int device = 0; device < backend_.devices(); ++device) {
    auto stream = std::make_shared<Stream>();
    stream->id = wire::kNullStream + static_cast<std::uint64_t>(device);
    stream->device = device;
    nullStreams_[stream->id] = std::move(stream);
  }
}

Session::~Session() {
  outbox_.fail();
  for (auto& [id, upload] : uploads_) upload->abandon(hipErrorDeinitialized);
  for (auto& [id, call] : hostCalls_) call->finish();
  // Threads of the runtime may be in functions of ours until the streams come to rest.
  for (const auto& [number, stream] : nullStreams_) {
    backend_.use(stream->device);
    backend_.hip.hipStreamSynchronize(stream->native);
  }
  for (const auto& [number, stream] : streams_) {
    if (stream->native) backend_.hip.hipStreamDestroy(stream->native);
  }
  for (const auto& [number, module] : modules_) {
    if (module->native) backend_.hip.hipModuleUnload(module->native);
  }
}

void Session::refuse(std::string why) {
  if (refusal_.empty()) refusal_ = std::move(why);
}

Status Session::run() {
  reader_.setTimeout(options_.greetingTimeout);
  for (;;) {
    if (progress_.hasNews() && !reader_.poll()) progress_.report();
    wire::Header header;
    Status status = reader_.next(header);
    if (status.ok()) status = handle(header);
    if (leaving_) return {};
    if (status.ok()) continue;
    if (status.code() == Code::kInvalid) sayRefused(status.message());
    return status;
  }
}

void Session::sayRefused(const std::string& why) {
  SessionCounters::add(outbox_.counters().errors);
  push(outbox_, wire::Opcode::kRefused, wire::Refused{hipErrorInvalidValue, why});
  outbox_.drain();
  ::shutdown(socket_.fd(), SHUT_WR);
  reader_.discard();
}

Status Session::handle(const wire::Header& header) {
  const auto opcode = static_cast<wire::Opcode>(header.opcode);
  outbox_.counters().received(header.opcode, wire::kHeaderSize + header.length);
  if (header.version != wire::kProtocolVersion) {
    return Status::invalid("the client speaks protocol version " + std::to_string(header.version) + ", this worker " +
                           std::to_string(wire::kProtocolVersion) + "; install the same release on both sides");
  }
  if (!greeted_ && opcode != wire::Opcode::kHello && opcode != wire::Opcode::kPing) {
    return Status::invalid(std::string(wire::opcodeName(header.opcode)) + " before Hello");
  }
  if (opcode == wire::Opcode::kData) return handleData(header);

  wire::Bytes payload;
  if (Status status = reader_.payload(header.length, payload); !status.ok()) return status;
  request_ = header.request;
  switch (opcode) {
#define MESSAGE(number, Name, verb)                                                                       \
  case wire::Opcode::k##Name:                                                                             \
    if constexpr (wire::Opcode::k##Name != wire::Opcode::kData) dispatch<wire::Opcode::k##Name>(payload); \
    break;
#include "wire/messages.def"
    default:
      refuse("unknown message " + std::to_string(header.opcode));
  }
  if (changesMemory(opcode)) countMemory();
  return refusal_.empty() ? Status{} : Status::invalid(refusal_);
}

void Session::countMemory() {
  std::uint64_t bytes = 0;
  for (int device = 0; device < backend_.devices(); ++device) bytes += memory_.mapped(device);
  outbox_.counters().memoryBytes.store(bytes, std::memory_order_relaxed);
}

Status Session::handleData(const wire::Header& header) {
  std::uint64_t prefix[2];
  static_assert(sizeof prefix == wire::kDataPrefix);
  if (header.length < sizeof prefix || header.length - sizeof prefix > wire::kMaxDataChunk) {
    return Status::invalid("a data frame of " + std::to_string(header.length) + " bytes");
  }
  if (Status status = reader_.read(prefix, sizeof prefix); !status.ok()) return status;
  const auto found = uploads_.find(prefix[0]);
  if (found == uploads_.end())
    return Status::invalid("data for upload " + std::to_string(prefix[0]) + ", which does not exist");
  const std::shared_ptr<UploadTransfer> upload = found->second;
  if (prefix[1] != upload->received()) return Status::invalid("data out of order");
  const Status status = upload->arrived(reader_, header.length - sizeof prefix);
  if (status.ok() && upload->received() == upload->total()) uploads_.erase(found);
  return status;
}

template <wire::Opcode kOp>
void Session::dispatch(wire::Bytes payload) {
  using Row = wire::MessageOf<kOp>;
  typename Row::Type message;
  wire::Reader in(payload);
  in.get(message);
  const char* name = wire::opcodeName(static_cast<std::uint16_t>(kOp));
  if (!in.ok() || !in.atEnd()) return refuse(std::string("malformed ") + name);

  const auto post = [&](hipError_t error) {
    if (error != hipSuccess && refusal_.empty()) progress_.fail(error, name, kOp);
  };
  const auto ask = [&](Answer answer) {
    if (answer && refusal_.empty()) reply(outbox_, kOp, request_, wire::Done{*answer});
  };
  const auto call = [&](const auto& answer) {
    if (refusal_.empty()) reply(outbox_, kOp, request_, answer);
  };
  const auto push = [&] { refuse(std::string(name) + " is for the worker to send"); };

#define HIPR_DISPATCH_Post(Name) post(on##Name(message))
#define HIPR_DISPATCH_Both(Name) post(on##Name(message))
#define HIPR_DISPATCH_Ask(Name) ask(on##Name(message))
#define HIPR_DISPATCH_Call(Name) call(on##Name(message))
#define HIPR_DISPATCH_Push(Name) push()
#define MESSAGE(number, Name, verb) \
  if constexpr (kOp == wire::Opcode::k##Name) HIPR_DISPATCH_##verb(Name);
#include "wire/messages.def"
}

}  // namespace hipr::worker
