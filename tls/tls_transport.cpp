#include "tls/tls_transport.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include "platform/socket.h"
#include "tls/record.h"

namespace hipr::tls {
namespace {

using net::Transport;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadAhead = 256 << 10;
constexpr std::size_t kWriteAtOnce =
    8 * (kMostPlain + kSealCost);  // what is encrypted is sent while it is in the cache

class TlsTransport : public Transport {
 public:
  TlsTransport(net::TransportPtr below, const Shield& shield)
      : below_(std::move(below)),
        sealer_(shield.cipher, shield.sending),
        opener_(shield.cipher, shield.receiving),
        in_(kReadAhead) {}

  Status send(std::span<const Part> given) override {
    Part copies[platform::kMostParts];
    const auto end = std::copy(given.begin(), given.end(), copies);
    std::span<Part> parts(copies, end);
    owed_ -= skip(parts, owed_);
    for (;;) {
      trim(parts);
      while (!parts.empty() && out_.size() < kWriteAtOnce) {
        sealer_.seal(parts, out_);
        trim(parts);
      }
      if (out_.empty()) return {};
      const Status status = below_->send(Part(out_).subspan(sent_));
      out_.clear();
      sent_ = 0;
      if (!status.ok()) return status;
    }
  }

  // A record that is only half gone counts as not taken; its rest waits in out_ for the bytes to be sent again.
  Status trySend(Part bytes, std::size_t* taken) override {
    *taken = 0;
    for (;;) {
      bool all = false;
      if (Status status = tryFlush(all); !status.ok() || !all) return status;
      const std::size_t gone = std::min(owed_, bytes.size());
      owed_ -= gone;
      *taken += gone;
      bytes = bytes.subspan(gone);
      if (bytes.empty()) return {};
      Part now = bytes.first(std::min(bytes.size(), kMostPlain));
      owed_ = now.size();
      sealer_.seal(now, out_);
    }
  }

  Status receive(std::span<const Room> rooms, Patience patience, std::size_t* got) override {
    *got = 0;
    const auto end = Clock::now() + std::chrono::milliseconds(timeout_ ? timeout_ : 1);
    std::size_t room = 0, offset = 0;  // where the next byte goes
    for (bool drained = false;;) {
      while (!plain_.empty() && room < rooms.size()) {
        const std::size_t n = std::min(plain_.size(), rooms[room].size() - offset);
        if (n) std::memcpy(rooms[room].data() + offset, plain_.data(), n);
        plain_ = plain_.subspan(n);
        offset += n;
        *got += n;
        if (offset == rooms[room].size()) ++room, offset = 0;
      }
      if (room == rooms.size()) return {};
      bool opened = false;
      if (broken_.ok()) broken_ = openNext(opened);
      if (!broken_.ok()) return *got ? Status{} : broken_;
      if (opened) continue;
      if (drained && (*got || patience == Patience::kNone)) return {};
      // Bytes that come one by one do not stretch the time that there is for a record.
      if (timeout_ && patience == Patience::kWait && drained && Clock::now() >= end) return {};
      std::size_t more = 0;
      const Room space(in_.data() + end_, in_.size() - end_);
      const Status status = below_->receive({&space, 1}, *got ? Patience::kNone : patience, &more);
      if (!status.ok()) return *got ? Status{} : status;
      if (more == 0) return {};
      drained = more < space.size();
      end_ += more;
    }
  }

  void setTimeout(int milliseconds) override {
    timeout_ = milliseconds;
    below_->setTimeout(milliseconds);
  }

  // The protocol above says goodbye in its own words, so TLS's are not needed to tell an end from a cut.
  void finishSending() override { below_->finishSending(); }
  void shutdown() override { below_->shutdown(); }

  Ready await(int milliseconds) override { return below_->await(milliseconds); }
  // What is here already is input too, though the socket does not know.
  bool watchAgain() override { return plain_.empty() && !recordReady() && below_->watchAgain(); }
  void wake() override { below_->wake(); }
  std::shared_ptr<platform::InputWatch> watchers() override { return below_->watchers(); }
  void succeed(net::Transport& predecessor) override { below_->succeed(predecessor); }

  std::string peer() const override { return below_->peer(); }
  const char* kind() const override { return "tls"; }

 private:
  static void trim(std::span<Part>& parts) {
    while (!parts.empty() && parts.front().empty()) parts = parts.subspan(1);
  }
  static std::size_t skip(std::span<Part>& parts, std::size_t most) {
    std::size_t skipped = 0;
    for (trim(parts); skipped < most && !parts.empty(); trim(parts)) {
      const std::size_t now = std::min(most - skipped, parts.front().size());
      parts.front() = parts.front().subspan(now);
      skipped += now;
    }
    return skipped;
  }

  Status tryFlush(bool& all) {
    std::size_t taken = 0;
    all = out_.empty();
    if (all) return {};
    if (Status status = below_->trySend(Part(out_).subspan(sent_), &taken); !status.ok()) return status;
    sent_ += taken;
    all = sent_ == out_.size();
    if (all) out_.clear(), sent_ = 0;
    return {};
  }

  std::size_t nextRecord() const {
    if (end_ - begin_ < kRecordHeader) return kRecordHeader;
    return recordSize(std::span<const std::byte, kRecordHeader>(in_.data() + begin_, kRecordHeader));
  }
  bool recordReady() const {
    return end_ - begin_ >= kRecordHeader &&
           nextRecord() <= end_ - begin_;  // one that makes no sense is to be found out
  }

  Status openNext(bool& opened) {
    const std::size_t size = nextRecord();
    if (size == 0) return Status::invalid("the peer sent something that is not TLS");
    opened = recordReady();
    if (opened) {
      begin_ += size;
      return opener_.open({in_.data() + begin_ - size, size}, plain_);
    }
    if (begin_) {
      std::memmove(in_.data(), in_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    return {};
  }

  const net::TransportPtr below_;

  // --- sending
  Sealer sealer_;
  std::vector<std::byte> out_;  // [sent_, ...) has yet to be taken
  std::size_t sent_ = 0;
  std::size_t owed_ = 0;  // bytes at the front of what is sent next that are in out_ already

  // --- receiving
  Opener opener_;
  std::vector<std::byte> in_;  // [begin_, end_) are records, the last one perhaps not whole
  std::size_t begin_ = 0, end_ = 0;
  std::span<std::byte> plain_;  // decrypted, in in_
  Status broken_;
  int timeout_ = 0;
};

}  // namespace

net::TransportPtr overTls(net::TransportPtr below, const Shield& shield) {
  return std::make_unique<TlsTransport>(std::move(below), shield);
}

}  // namespace hipr::tls
