// Crew: the threads of a session. One of them reads messages at a time; the waiting for the GPU is done by the same
// threads.
//
// All idle members await input on the transport, and one gets it. It reads until there is nothing more. If that left
// work to wait for, the same member waits, while another idle member already watches for input. So a request whose
// answer needs the GPU costs one wake-up of one thread: the thread that the request woke also answers it. Only while
// more and more input comes do other members wait in its place.
//
// Tasks that wait stand in a Series: they run one after the other, in the order in which they were added. One series
// does not wait for another. Members are added when none is idle, up to a limit. Beyond it there is one more thread,
// the patrol. It looks after every series for which no member has time: it asks the first task of each whether it is
// due, runs those that are, and sleeps most of the time. So no task ever waits for one of another series, however many
// there are, and one member always watches for input.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "net/transport.h"

namespace hipr::worker {

class Series {
 private:
  friend class Crew;
  struct Task {
    std::function<void()> run;
    std::function<bool()> due;  // it would not wait for the GPU; empty: it never does, or not long
  };
  std::deque<Task> tasks_;
  bool served_ = false;
};
using SeriesPtr = std::shared_ptr<Series>;

class Crew {
 public:
  // Milliseconds until `rest` is to be called if nothing comes before; kNever; or kEnd: nothing will come any more.
  using Delay = int;
  static constexpr Delay kNever = -1, kEnd = -2;
  // `read` handles messages until there are none. Both run in one thread at a time. `shown` counts members.
  Crew(net::Transport& transport, std::function<Delay()> read, std::function<Delay()> rest,
       std::size_t mostMembers = 64, std::atomic<std::uint64_t>* shown = nullptr);
  ~Crew() { finish(); }

  void run(Delay first);  // returns when nothing comes any more; members may still be waiting for the GPU
  void finish();          // runs what is queued and ends every member. REQUIRES: what the tasks wait for will come

  // Thread-safe. `due` is called by any thread, and only while the task has not begun.
  void add(const SeriesPtr& series, std::function<void()> task, std::function<bool()> due = {});
  bool hasTasks();  // nobody serves yet
  bool busy();      // some member does something. After run() nobody does who has not begun
  // Of the reader, before something that takes long: what it has left for itself others see to.
  void delegate();

 private:
  void serve();
  void serveSeries(std::unique_lock<std::mutex>& lock);  // REQUIRES: ready_ is not empty
  void work(net::Transport::Ready ready);
  void summon();  // REQUIRES: mutex_: somebody for a series in ready_, and still somebody to watch for input
  bool hire();    // false: there are enough
  bool watched() const { return idle_ + coming_ > called_; }  // somebody will see input
  void callPatrol();
  void patrol();
  void runFirst(Series& series, std::unique_lock<std::mutex>& lock);

  net::Transport& transport_;
  const std::function<Delay()> read_, rest_;
  const std::size_t mostMembers_;
  std::atomic<std::uint64_t>* const shown_;

  std::mutex reading_;  // held by the member that reads
  std::atomic<std::thread::id> reader_{};

  std::mutex mutex_;             // guards what follows
  std::deque<SeriesPtr> ready_;  // have tasks and nobody who serves them
  std::size_t delegated_ = 0;    // of them, the first so many: somebody comes
  std::vector<std::thread> members_;
  std::thread patrol_;
  std::condition_variable ended_, patrolCalled_;
  int idle_ = 0;          // members in await()
  int left_ = 0;          // members that have come to their end
  int coming_ = 0;        // members that have been hired and have not begun
  int called_ = 0;        // wake-ups on their way to idle members
  Delay delay_ = kNever;  // until rest_ wants to be called
  bool timed_ = false;    // somebody sees to that
  bool ending_ = false;
};

}  // namespace hipr::worker
