// A core for tests: it keeps every action it is given, does copies and fills at once in plain memory, and fails on
// demand.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime/api.h"
#include "runtime/core.h"

namespace hipr::testing {

struct LaunchRecord {
  std::string kernel;
  Launch launch;  // its arguments are in the next field
  std::vector<std::byte> arguments;
  std::uint64_t stream;
};

class FakeCore : public Core {
 public:
  std::mutex mutex;
  Platform platform;
  hipError_t openError = hipSuccess, lostError = hipSuccess;
  std::map<std::string, hipError_t> failures;  // by name of the action
  std::vector<std::string> log;                // names of actions, in order
  std::vector<Copy> copies;
  std::vector<Fill> fills;
  std::vector<LaunchRecord> launches;
  std::vector<std::uint64_t> streamsOfWork;  // of copies and fills
  std::vector<Stage> stages;                 // of all work
  std::vector<std::uint32_t> updatedSteps;   // of graphs
  int live = 0;                              // allocations not yet released
  hipError_t queryAnswer = hipSuccess;       // of streams, events and points

  int count(const std::string& action);
  void forgetAll();  // as if nothing had happened

  hipError_t open(const Platform** out) override;
  hipError_t lost() const override { return lostError; }
  void forgetAfterFork() override { note("forgetAfterFork"); }
  void leave(platform::Ending) override { note("leave"); }

  hipError_t submit(Stream& stream, const Operation& operation, Stage until) override;
  void fence(int) override { note("fence"); }
  hipError_t synchronize(int) override { return note("deviceSynchronize"); }

  hipError_t create(Stream&) override { return note("streamCreate"); }
  hipError_t destroy(Stream&) override { return note("streamDestroy"); }
  hipError_t synchronize(Stream&) override;
  hipError_t query(Stream&) override;
  std::unique_ptr<StreamPoint> point(Stream&) override;
  hipError_t create(Event&) override { return note("eventCreate"); }
  hipError_t destroy(Event&) override { return note("eventDestroy"); }
  hipError_t synchronize(Event&) override { return note("eventSynchronize"); }
  hipError_t query(Event&) override;
  hipError_t elapsed(Event&, Event&, float* milliseconds) override;
  // Streams arrive at once unless `arrivals` are kept for the test to call.
  bool keepArrivals = false;
  std::vector<Arrived> arrivals;
  std::vector<std::function<void(bool lost)>> reachings;
  std::multiset<std::uint64_t> held;  // streams that have not gone on; who waits for one of them waits for that
  std::condition_variable wentOn;
  hipError_t hold(Stream&, Arrived arrived) override;
  void whenReached(Event&, std::function<void(bool lost)> tell) override;

  hipError_t create(GraphExec&) override { return note("graphCreate"); }
  hipError_t update(GraphExec&, std::span<const std::uint32_t> steps) override;
  hipError_t destroy(GraphExec&) override { return note("graphDestroy"); }

  hipError_t reset(int, bool) override { return note("reset"); }
  hipError_t setLimit(int, hipLimit_t, std::size_t) override { return note("setLimit"); }
  hipError_t setPeerAccess(int, int, bool) override { return note("setPeerAccess"); }
  hipError_t memoryInfo(int, std::size_t* free, std::size_t* total) override;

  hipError_t allocate(Allocation& allocation) override;
  hipError_t release(const Allocation& allocation) override;
  hipError_t admit(const Allocation&) override { return note("admit"); }
  void dismiss(const Allocation&) override { note("dismiss"); }

  hipError_t load(Module& module) override;
  hipError_t unload(Module& module) override;
  hipError_t variable(Module& module, const std::string& name, void** address) override;

  hipError_t memAddressReserve(void** address, std::size_t size, std::size_t, void*) override;
  hipError_t memAddressFree(void* address, std::size_t) override;
  hipError_t memCreate(std::uint64_t* physical, std::size_t, const hipMemAllocationProp&) override;
  hipError_t memRelease(std::uint64_t) override { return note("memRelease"); }
  hipError_t memMap(void*, std::size_t, std::size_t, std::uint64_t) override { return note("memMap"); }
  hipError_t memUnmap(void*, std::size_t) override { return note("memUnmap"); }
  hipError_t memSetAccess(void*, std::size_t, const hipMemAccessDesc*, std::size_t) override {
    return note("memSetAccess");
  }
  std::size_t memGranularity(int) override { return 4096; }

 private:
  hipError_t note(const char* action);
  hipError_t perform(const Copy& copy, Stream& stream);
  hipError_t perform(const Fill& fill, Stream& stream);
  hipError_t perform(const Launch& launch, Stream& stream);
  hipError_t perform(const Record&, Stream&) { return note("record"); }
  hipError_t perform(const Wait&, Stream&) { return note("wait"); }
  hipError_t perform(const HostFunction& function, Stream& stream);
  hipError_t perform(const GraphLaunch&, Stream&) { return note("graphLaunch"); }
  hipError_t perform(const WordSteps&, Stream&) { return note("words"); }
};

// The only core of a process, unless a test asks for a second one.
FakeCore& fake();
FakeCore& secondFake();

// `count` gfx90a devices with distinct identities, all peers of each other.
Platform fakePlatform(int count);

// A fresh core and a fresh process for each test.
class RuntimeTest : public ::testing::Test {
 protected:
  explicit RuntimeTest(int coreCount = 1);
  ~RuntimeTest() override;
};

}  // namespace hipr::testing
