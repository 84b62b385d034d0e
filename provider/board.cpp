#include "provider/board.h"

#include <strings.h>

#include <exception>

#include "provider/identity.h"
#include "provider/log.h"

namespace hipr::provider {

Board::Board(telemetry::SourcePtr source, Clock::duration maxAge)
    : gpus_(source->gpus()),
      names_(deviceNames(gpus_)),
      links_(source->links()),
      kind_(source->kind()),
      maxAge_(maxAge),
      source_(std::move(source)) {}

int Board::find(const char* name) const {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (strcasecmp(names_[i].c_str(), name) == 0) return static_cast<int>(i);
  }
  return -1;
}

template <class T, class Take>
std::shared_ptr<const T> Board::recent(Cached<T>& cached, Take&& take) {
  std::unique_lock source(sourceMutex_, std::try_to_lock);
  {
    std::lock_guard lock(cacheMutex_);
    // Another thread is at the source: what it brings is for the next call.
    if (cached.value && (!source || Clock::now() - cached.taken < maxAge_)) return cached.value;
  }
  if (!source) {
    source.lock();
    std::lock_guard lock(cacheMutex_);
    if (cached.value && Clock::now() - cached.taken < maxAge_) return cached.value;
  }
  auto value = std::make_shared<const T>(take());
  std::lock_guard lock(cacheMutex_);
  cached = {value, Clock::now()};
  return value;
}

std::shared_ptr<const Board::Readings> Board::readings() {
  return recent(readings_, [this] {
    Readings all;
    try {
      all = source_->read();
    } catch (const std::exception& error) {
      say(Level::kWarn, "AMD provider: no readings: %s", error.what());
    }
    all.resize(gpus_.size());  // whatever a source does, there is one for each GPU
    return all;
  });
}

std::shared_ptr<const Board::Processes> Board::processes() {
  return recent(processes_, [this]() -> Processes {
    try {
      return source_->processes();
    } catch (const std::exception& error) {
      say(Level::kWarn, "AMD provider: no processes: %s", error.what());
      return {};
    }
  });
}

}  // namespace hipr::provider
