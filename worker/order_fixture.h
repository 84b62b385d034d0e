// An Order on a runtime as strict as a GPU's, whose operations say their names when they are started.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>

#include "net/socket_transport.h"
#include "worker/fake_hip.h"
#include "worker/order.h"

namespace hipr::worker {

using Names = std::vector<std::string>;

inline std::mutex waitsMutex;
inline std::vector<hipStream_t> waits;  // the streams that were told to wait for an event
inline HipTable original;

inline HipTable watched(const FakeHip& fake) {
  HipTable table = original = fake.table();
  waits.clear();
  table.hipStreamWaitEvent = [](hipStream_t stream, hipEvent_t event, unsigned flags) {
    {
      const std::lock_guard lock(waitsMutex);
      waits.push_back(stream);
    }
    return original.hipStreamWaitEvent(stream, event, flags);
  };
  return table;
}

class OrderTest : public ::testing::Test {
 protected:
  static FakeHip::Settings settings() {
    FakeHip::Settings settings;
    settings.devices = 2;
    settings.cpuReachesMemory = false;
    settings.strictCallbacks = true;
    return settings;
  }
  OrderTest() { (void)ends_.first->await(0); }
  ~OrderTest() override {
    fake_.release();
    crew_.finish();
    for (const StreamPtr& stream : made_) {
      if (stream->native) backend_.hip.hipStreamDestroy(stream->native);
    }
  }

  StreamPtr make(bool blocking, bool null, int device = 0) {
    auto stream = std::make_shared<Stream>(made_.size() + 1, device, blocking);
    backend_.use(device);
    if (!null && backend_.hip.hipStreamCreateWithFlags(&stream->native, 0) != hipSuccess) ADD_FAILURE();
    order_.add(stream);
    made_.push_back(stream);
    return stream;
  }
  StreamPtr null(int device = 0) { return make(true, true, device); }
  StreamPtr blocking(int device = 0) { return make(true, false, device); }
  StreamPtr apart() { return make(false, false); }

  // An operation that says its name when it is started.
  void submit(const StreamPtr& stream, const std::string& name, Start how = Start::kGiven, const Place& needs = {}) {
    order_.submit(
        stream, wire::Ping{},
        [this, name, how](const StreamPtr&, const wire::Ping&) {
          started_.push_back(name);
          return how;
        },
        needs);
  }
  // A function that the device runs in stream order.
  hipError_t callHost(const StreamPtr& stream, std::function<void()> function) {
    auto* data = new std::function<void()>(std::move(function));
    const auto run = [](void* pointer) {
      const std::unique_ptr<std::function<void()>> owned(static_cast<std::function<void()>*>(pointer));
      (*owned)();
    };
    return backend_.hip.hipLaunchHostFunc(stream->native, run, data);
  }
  // One that keeps the device busy until the fake is released, and for some time after.
  void submitSlow(const StreamPtr& stream, std::atomic<bool>* over = nullptr) {
    order_.submit(stream, wire::Ping{}, [this, over](const StreamPtr& on, const wire::Ping&) {
      backend_.use(on->device);
      for (int i = 0; i < 300; ++i) EXPECT_EQ(callHost(on, [] {}), hipSuccess);
      if (over) (void)callHost(on, [over] { *over = true; });
      return Start::kGiven;
    });
  }
  const Names& started() const { return started_; }
  int waitsOf(const StreamPtr& stream) {
    const std::lock_guard lock(waitsMutex);
    return static_cast<int>(std::count(waits.begin(), waits.end(), stream->native));
  }
  void settle(const StreamPtr& stream) {
    std::promise<hipError_t> done;
    order_.whenDone(stream, [&](hipError_t error) { done.set_value(error); });
    EXPECT_EQ(done.get_future().get(), hipSuccess);
  }

  FakeHip fake_{settings()};
  Backend backend_{watched(fake_), {0, 1}};
  std::pair<net::TransportPtr, net::TransportPtr> ends_ = net::loopback();
  Crew crew_{*ends_.first, [] { return Crew::kNever; }, [] { return Crew::kNever; }};
  SessionCounters& counters_ = SessionCounters::nobody();
  const Meter meter_{Limits(), counters_};
  Order order_{backend_, crew_, meter_, counters_};
  std::vector<StreamPtr> made_;
  Names started_;
};

}  // namespace hipr::worker
