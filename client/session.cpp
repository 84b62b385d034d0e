#include "client/session.h"

#include <set>

#include "base/log.h"
#include "runtime/async_error.h"

namespace hipr::client {
namespace {

template <class Message>
bool decode(wire::Bytes payload, Message& message) {
  wire::Reader reader(payload);
  reader.get(message);
  return reader.ok() && reader.atEnd();
}

}  // namespace

hipError_t Session::waitFor(const Moment& moment) {
  std::set<int> devices;
  for (const Moment::Wait& wait : moment.waits())
    if (!wait.stream->isVisible(wait.position)) devices.insert(wait.stream->device);
  for (const int device : devices) {
    wire::Done done;
    if (!connection_->call<wire::Opcode::kDeviceSynchronize>({device}, done)) return kLost;
    if (!tellsOfOrder(done)) return hipErrorOutOfMemory;
  }
  streams_.show(moment);
  return hipSuccess;
}

void Session::letGo(const Allocation& memory) {
  if (lost() || memory.host == nullptr) return;
  connection_->channel().settle({static_cast<const std::byte*>(memory.host), memory.size});
}

Session::~Session() {
  close();
}

void Session::close() {
  if (!connection_) return;
  connection_->stop();
  ucx_.reset();       // what was sent is on its way
  exchange_->stop();  // now that sending makes nobody wait
  loseOthersWaits();
  hostFunctions_.reset();
}

// Streams of other sessions may wait for what this one will never see.
void Session::loseOthersWaits() {
  streams_.loseAll();
  if (hostFunctions_) hostFunctions_->loseHolds();
}

void Session::retire() {
  close();
  deviceRange_ = platform::AddressRange();
  host_.reset();
}

void Session::abandon() {
  connection_->closeInChild();
  if (ucx_) net::UcxLink::closeInChild(std::move(ucx_));
  deviceRange_ = platform::AddressRange();
}

std::string Session::addressForPeers() const {
  const net::Endpoint worker = place_.endpoint();
  const bool bare = worker.path.empty() && worker.host.find(':') != std::string::npos;  // of IPv6
  return bare ? "[" + worker.host + "]:" + std::to_string(worker.port) : worker.name();
}

bool Session::hostCouldTell() {
  return hostFunctions_->pending() || connection_->transferring() || host_->anyExposed() || streams_.awaitsWord();
}

bool Session::mayPretend() {
  return options_.lazy && !sharesMemory && !hostCouldTell() && !streams_.tellsTime();
}

bool Session::worksAt(std::uint64_t address, std::uint64_t size) const {
  return plausibleAddress(address, size, hostBase_, hostSize_) &&
         (!placesMemory() || plausibleAddress(address, size, deviceRange_.base(), deviceRange_.size()));
}

bool Session::workerHasCode(const wire::Bits256& hash) {
  return !knownCode_.insert(hash).second;
}

std::size_t Session::postPackedCode(const wire::Bits256& hash, wire::Bytes code) {
  const OwnBytes packed = unpacksCode_ ? connection_->outbox().packCode(code) : nullptr;
  if (!packed) return 0;
  connection_->post<wire::Opcode::kPackedCode>({hash, code.size(), *packed});
  return packed->size();
}

bool Session::onPush(wire::Opcode opcode, wire::Bytes payload) {
  switch (opcode) {
    case wire::Opcode::kProgress: {
      wire::Progress progress;
      return decode(payload, progress) && streams_.show(progress.stream, progress.done);
    }
    case wire::Opcode::kCreditTaken: {
      wire::CreditTaken taken;
      if (!decode(payload, taken) || taken.device < 0 || taken.device >= static_cast<int>(platform_.devices.size()))
        return false;
      if (placesMemory()) heap(taken.device).loseCredit(taken.bytes);
      return true;
    }
    case wire::Opcode::kTransferOpen: {
      wire::TransferOpen open;
      if (!decode(payload, open)) return false;
      connection_->outbox().open(open.transfer);
      return true;
    }
    case wire::Opcode::kNamedDataAnswer: {
      wire::NamedDataAnswer answer;
      return decode(payload, answer) && connection_->outbox().answered(answer);
    }
    case wire::Opcode::kHostBytes: {
      wire::HostBytes changed;
      return decode(payload, changed) && host_->apply(changed);
    }
    case wire::Opcode::kRunHostFunction: {
      wire::RunHostFunction due;
      return decode(payload, due) && hostFunctions_->due(due.id);
    }
    case wire::Opcode::kAsyncFailure: {
      wire::AsyncFailure failure;
      if (!decode(payload, failure) || failure.status == hipSuccess) return false;
      const std::string where = place_.worker.path.empty() ? place_.worker.host : place_.name();
      raiseAsyncError(core_, errorFrom(failure.status), "on the worker at " + where + ": " + printable(failure.text));
      return true;
    }
    case wire::Opcode::kRefused: {
      wire::Refused refused;
      if (!decode(payload, refused)) return false;
      connection_->lose(refused.toStatus());
      return true;
    }
    default:
      return false;
  }
}

}  // namespace hipr::client
