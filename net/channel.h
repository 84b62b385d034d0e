// Channel: a Transport that outlives its connections. Each side counts the bytes it has sent and received, keeps what
// the other side has not acknowledged, and sends that again over the next connection. So the layers above notice a cut
// only by the time it takes. A sender goes on meanwhile, as long as there is room to keep its bytes; a receiver waits.
// If a peer does not acknowledge, nobody waits for it: when much has been kept for it, the next cut ends the channel.
//
// The client gets itself a new connection (mendBy); the worker is given one (adopt). A channel without either is just
// its one connection.
//
// Acknowledgements are messages of the protocol above. That protocol tells the channel when one is due and when one has
// come.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "net/retained.h"
#include "net/transport.h"

namespace hipr::net {

class Channel final : public Transport {
 public:
  explicit Channel(TransportPtr link) : link_(std::move(link)) {}
  ~Channel() override;

  // --- resuming
  void keepSent();     // in case mendBy() or awaitReturn() follows. REQUIRES: nothing has been sent yet
  void forgetSent();   // the next cut is the end
  void awaitReturn();  // the next cut is not: adopt() will come, or shutdown()
  bool resumable();

  // One attempt at a new connection: says what has been received here and learns what the peer has. Another attempt
  // follows only when the peer is away(). Runs in a thread of the channel.
  using Reconnect = std::function<Status(std::uint64_t received, TransportPtr& link, std::uint64_t& peerReceived)>;
  struct Mending {
    Reconnect reconnect;
    std::chrono::milliseconds patience{0};     // from the cut until it is the end
    std::function<void(const Status&)> onCut;  // and it will be tried
    std::function<void()> onMended;
  };
  void mendBy(Mending mending);

  // The peer came back: `greet` tells it, on the new connection, what has been received here. Sends what it lacks.
  using Greet = std::function<Status(Transport& link, std::uint64_t received)>;
  Status adopt(TransportPtr link, std::uint64_t peerReceived, const Greet& greet);

  void distrust(const Status& why);  // the connection is of no use any more, though it does not say so itself

  std::uint64_t cuts() const { return cuts_.load(std::memory_order_relaxed); }  // so far

  bool acknowledge(std::uint64_t position);          // the peer has so much; false: it cannot
  bool acknowledgementDue(std::uint64_t& position);  // once for every few MiB received
  std::uint64_t unacknowledged();                    // bytes sent that the peer may not have
  std::uint64_t sent();                              // bytes of the session so far; 0 where nothing is kept

  // As send(); `lasting` follows the parts and stays as it is until settle(owner), or settle(memory) of memory that it
  // lies in. In one go with what comes behind it.
  Status sendLasting(std::span<const Part> parts, Part lasting, std::uint64_t owner, Part behind = {});
  void settle(std::uint64_t owner);
  void settle(Part memory);

  void stop();          // shutdown(), and nothing of it runs any more
  void closeInChild();  // after a fork, where the threads do not exist: nothing but this may be called

  // --- Transport
  using Transport::send;
  Status send(std::span<const Part> parts) override { return sendLasting(parts, {}, 0); }
  Status trySend(Part bytes, std::size_t* taken) override;
  bool sendLast(Part bytes) override;
  Status receive(std::span<const Room> rooms, Patience patience, std::size_t* got) override;
  Status sendMemory(Part bytes, const platform::SharedMemory& memory) override {
    return link()->sendMemory(bytes, memory);
  }
  Status takeMemory(std::size_t size, platform::SharedMemory& out) override { return link()->takeMemory(size, out); }
  void setTimeout(int milliseconds) override;
  void finishSending() override;
  void shutdown() override;
  Ready await(int milliseconds) override { return link()->await(milliseconds); }
  bool watchAgain() override { return link()->watchAgain(); }
  void wake() override { link()->wake(); }
  std::string peer() const override { return link()->peer(); }
  const char* kind() const override { return link()->kind(); }

 private:
  enum class State { kUp, kDown, kDead };
  using Link = std::shared_ptr<Transport>;
  using Lock = std::unique_lock<std::mutex>;

  Link link() const;
  void broke(const Link& link, const Status& why);
  bool mayResume() const { return keeping_ && (awaiting_ || mending_.reconnect); }  // REQUIRES, here and below: mutex_
  void die(const Status& why);
  bool passing() const { return state_ == State::kUp && !resending_; }  // what is sent goes out at once
  void keep(std::span<const Part> parts);
  void boundKept();  // after something was copied
  void giveUpKeeping();
  void stopKeeping();
  Status install(TransportPtr link, std::uint64_t peerReceived);
  void resend(Lock& lock);
  void mend();  // the thread for it
  bool reconnect(Lock& lock);

  std::mutex receiving_;  // held while receiving; taken before mutex_
  std::atomic<std::uint64_t> received_{0}, cuts_{0};
  std::uint64_t acknowledgedReceipt_ = 0;  // of what was received; used by whoever receives

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  Link link_;  // of a channel that is down: the broken one. Changes only with receiving_ held as well
  State state_ = State::kUp;
  Status why_;  // of kDead
  bool keeping_ = false, awaiting_ = false;
  bool gaveUp_ = false;     // keeping, because the peer does not acknowledge
  bool resending_ = false;  // what is sent waits its turn behind what is sent again
  Retained kept_;
  std::uint64_t cursor_ = 0;  // of what is sent again
  int timeout_ = 0;
  Mending mending_;
  std::thread mender_;
};

}  // namespace hipr::net
