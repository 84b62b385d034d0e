// The streams of one device as queues of commands, and HIP's rules of order between them:
//  - a queue runs its commands one after another;
//  - the null stream waits for everything given before to the blocking streams, and they wait for the null stream;
//  - non-blocking streams stand apart.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backends/softgpu/command.h"

namespace hipr::softgpu {

enum class QueueKind { kNull, kBlocking, kNonBlocking };

class QueueSet;

class Queue {
 public:
  Queue(QueueSet& set, QueueKind kind) : set_(set), kind_(kind) {}

  void submit(const CommandPtr& command) { submit(command, command); }
  // Work that begins with one command and ends with another. REQUIRES: `last` comes after `first`.
  void submit(const CommandPtr& first, const CommandPtr& last);
  // What must be done for everything given so far to be done. For the null stream that includes the blocking streams.
  std::vector<CommandPtr> unfinished();

 private:
  friend class QueueSet;

  QueueSet& set_;
  const QueueKind kind_;
  CommandPtr last_;      // null when idle
  bool ahead_ = false;   // has commands the null stream has not waited for yet
  bool closed_ = false;  // destroyed by the program; kept until its work is done
};

class QueueSet {
 public:
  QueueSet() : null_(*this, QueueKind::kNull) {}

  Queue& null() { return null_; }
  Queue* create(bool blocking);
  void close(Queue& queue);  // work already given to it still completes
  void closeAll();           // all but the null stream. REQUIRES: they are idle
  // Whatever is given to any queue from now on comes after the command, which may be of another device.
  void putBehind(const CommandPtr& command);

  // Runs `action` while nothing can be given to any of the sets, if nothing that was given is unfinished; else false.
  template <class Sets, class Action>
  static bool atRest(const Sets& sets, Action&& action) {
    std::vector<std::unique_lock<std::mutex>> locks;
    for (QueueSet* set : sets) locks.emplace_back(set->mutex_);  // always in this order
    std::vector<CommandPtr> unfinished;
    for (QueueSet* set : sets) set->collectLocked(unfinished);
    if (!unfinished.empty()) return false;
    action();
    return true;
  }

  // The last command of every queue that is not done.
  void collectUnfinished(std::vector<CommandPtr>& out);

 private:
  friend class Queue;

  void waitForBlockingQueues(Command& command);
  void dropFinished();
  void collectLocked(std::vector<CommandPtr>& out);  // REQUIRES: mutex_ held

  std::mutex mutex_;  // guards the queues too: the order of submission is decided under it
  Queue null_;
  std::vector<std::unique_ptr<Queue>> queues_;
  std::vector<Queue*> ahead_;
  std::vector<CommandPtr> before_;  // what everything new comes after
};

}  // namespace hipr::softgpu
