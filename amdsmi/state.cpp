#include "amdsmi/state.h"

#include <algorithm>

#include "platform/process.h"

namespace hipr::smi {
namespace {

constexpr std::uint64_t kInitGpus = 2;

// "0000:03:00.1" is function 1 of socket "0000:03:00".
std::string socketName(const telemetry::Gpu& gpu) {
  return gpu.bdf.substr(0, gpu.bdf.rfind('.'));
}

}  // namespace

State& state() {
  static State* const instance = new State;  // programs call from exit handlers too
  return *instance;
}

Code State::connect() {
  telemetry::SourcePtr source;
  if (!openWorker(source).ok()) return kNoDriver;
  live_.emplace(std::move(source));
  process_ = platform::processId();
  return kSuccess;
}

Code State::start(std::uint64_t flags) {
  if (users_ > 0) {
    ++users_;
    return kSuccess;
  }
  if (flags & kInitGpus) {
    if (const Code code = connect(); code != kSuccess) return code;
    gpus_ = live_->gpus();
    links_ = live_->links();
    for (std::uint32_t i = 0; i < gpus_.size(); ++i) {
      const std::string name = socketName(gpus_[i]);
      auto socket = std::ranges::find(sockets_, name, &Socket::name);
      if (socket == sockets_.end()) socket = sockets_.insert(sockets_.end(), Socket{name, {}});
      devices_.push_back({i, &gpus_[i], &*socket});
      socket->devices.push_back(&devices_.back());
    }
  }
  users_ = 1;
  return kSuccess;
}

Code State::stop() {
  if (users_ == 0) return kNotInitialized;
  if (--users_ > 0) return kSuccess;
  live_.reset();
  process_ = 0;
  devices_.clear();
  sockets_.clear();
  gpus_.clear();
  links_.clear();
  return kSuccess;
}

Live* State::live() {
  if (process_ != platform::processId() && process_ != 0) {
    live_.reset();
    if (connect() == kSuccess && live_->gpus().size() != gpus_.size()) live_.reset();
  }
  return live_ ? &*live_ : nullptr;
}

Code State::find(Handle handle, const Device*& device) const {
  if (users_ == 0) return kNotInitialized;
  if (!handle) return kInvalid;
  for (const Device& candidate : devices_)
    if (&candidate == handle) {
      device = &candidate;
      return kSuccess;
    }
  const Socket* socket = nullptr;
  return find(handle, socket) == kSuccess ? kNotSupported : kNotFound;
}

Code State::find(Handle handle, const Socket*& socket) const {
  if (users_ == 0) return kNotInitialized;
  if (!handle) return kInvalid;
  for (const Socket& candidate : sockets_)
    if (&candidate == handle) {
      socket = &candidate;
      return kSuccess;
    }
  return kNotFound;
}

}  // namespace hipr::smi
