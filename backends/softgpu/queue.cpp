#include "backends/softgpu/queue.h"

#include <algorithm>

namespace hipr::softgpu {
namespace {

void collect(CommandPtr& last, std::vector<CommandPtr>& out) {
  if (last == nullptr) return;
  if (last->done()) {
    last.reset();
  } else {
    out.push_back(last);
  }
}

}  // namespace

void Queue::submit(const CommandPtr& first, const CommandPtr& last) {
  {
    const std::lock_guard lock(set_.mutex_);
    if (last_ != nullptr) first->after(*last_);
    std::erase_if(set_.before_, [](const CommandPtr& earlier) { return earlier->done(); });
    for (const CommandPtr& earlier : set_.before_) first->after(*earlier);
    if (kind_ == QueueKind::kNull) {
      set_.waitForBlockingQueues(*first);
    } else if (kind_ == QueueKind::kBlocking) {
      if (set_.null_.last_ != nullptr) first->after(*set_.null_.last_);
      if (!ahead_) set_.ahead_.push_back(this);
      ahead_ = true;
    }
    last_ = last;
  }
  first->release();
  if (last != first) last->release();
}

std::vector<CommandPtr> Queue::unfinished() {
  std::vector<CommandPtr> out;
  const std::lock_guard lock(set_.mutex_);
  collect(last_, out);
  if (kind_ == QueueKind::kNull)
    for (Queue* queue : set_.ahead_) collect(queue->last_, out);
  return out;
}

Queue* QueueSet::create(bool blocking) {
  const std::lock_guard lock(mutex_);
  dropFinished();
  queues_.push_back(std::make_unique<Queue>(*this, blocking ? QueueKind::kBlocking : QueueKind::kNonBlocking));
  return queues_.back().get();
}

void QueueSet::close(Queue& queue) {
  const std::lock_guard lock(mutex_);
  queue.closed_ = true;
  dropFinished();
}

void QueueSet::closeAll() {
  const std::lock_guard lock(mutex_);
  for (const auto& queue : queues_) queue->closed_ = true;
  dropFinished();
}

void QueueSet::putBehind(const CommandPtr& command) {
  const std::lock_guard lock(mutex_);
  before_.push_back(command);
}

void QueueSet::collectUnfinished(std::vector<CommandPtr>& out) {
  const std::lock_guard lock(mutex_);
  collectLocked(out);
}

void QueueSet::collectLocked(std::vector<CommandPtr>& out) {
  collect(null_.last_, out);
  for (const auto& queue : queues_) collect(queue->last_, out);
}

// The null stream has waited for everything older already, so only queues that got commands since then matter.
void QueueSet::waitForBlockingQueues(Command& command) {
  for (Queue* queue : ahead_) {
    if (queue->last_ != nullptr) command.after(*queue->last_);
    queue->ahead_ = false;
  }
  ahead_.clear();
}

void QueueSet::dropFinished() {
  std::erase_if(queues_, [this](const std::unique_ptr<Queue>& q) {
    const bool finished = q->closed_ && (q->last_ == nullptr || q->last_->done());
    if (finished && q->ahead_) std::erase(ahead_, q.get());
    return finished;
  });
}

}  // namespace hipr::softgpu
