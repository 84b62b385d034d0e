// FakeHip: a HIP runtime for tests, small enough to know what it will do. A stream is a thread that runs what it is
// given; the one kernel it knows is scale(float* data, float factor) of code_object/test_image.h. One at a time per
// process, because HIP functions have no context to find it by.
//
// Unless Settings::strictCallbacks says otherwise it is as strict as a GPU's runtime: host functions of all streams
// share one thread, and one that waits or calls HIP ends the test program with a line that says so; copies of host
// memory that is not pinned are done when the call returns.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "platform/stall_watch.h"
#include "worker/fake_memory.h"
#include "worker/hip_table.h"

namespace hipr::worker {

class FakeHip {
 public:
  struct Settings {
    int devices = 1;
    bool cpuReachesMemory = true;  // false: touching device memory at its address is a crash
    bool placesMemory = true;      // has virtual memory management
    bool ignoresHint = false;      // reserves addresses where it likes
    bool runsKernels = true;       // false: launches do nothing, whatever address they are given
    bool forgiving = false;        // work may use memory that is gone; otherwise that is a crash, as a GPU's fault is
    bool strictCallbacks = true;
    bool graphs = true;  // has them (fake_graphs.cpp)
    bool images = true;  // has arrays and textures (fake_images.cpp)
  };
  FakeHip();
  explicit FakeHip(const Settings& settings);
  ~FakeHip();

  HipTable table() const;

  // Holds every stream at its next piece of work until released.
  void hold();
  void release();
  void awaitIdle();  // all that streams were given is done, and nobody has been told
  void failWork(hipError_t error) { workError_ = error; }  // what waiting for events says from now on
  void failNext(const std::string& call) { failing_ = call; }
  void stopNext(const std::string& call, std::function<void()> until);  // which returns when the call may go on

  int launches() const { return launches_; }
  int graphLaunches() const { return graphLaunches_; }
  int commands() const { return commands_; }  // that streams were given
  static std::size_t graphEdges();            // of all graphs so far
  int liveObjects()
      const;  // streams, events, modules, graphs, images, mappings, registrations and allocations not given back
  std::string leaks() const;
  static std::size_t liveArrays(), liveTextures();  // and surfaces

 private:
  friend struct FakeCalls;
  struct Queue {  // a stream, or the host functions
    std::deque<std::function<void()>> work;
    std::condition_variable changed;
    bool running = false, ending = false;
    std::thread thread;
  };
  struct Point {  // an event as it was recorded
    std::mutex mutex;
    std::condition_variable changed;
    bool reached = true;
  };

  static FakeHip* the_;  // there is one at most
  static thread_local int currentDevice_;
  static thread_local bool inHostFunction_;

  hipError_t enqueue(hipStream_t stream, std::function<void()> work);
  void give(Queue& queue, std::function<void()> work);  // REQUIRES: mutex_ is held
  void runHostFunction(hipHostFn_t function, void* data);
  bool fails(const char* call);
  Queue& queue(hipStream_t stream);
  static void refuseInHostFunction(const char* call);
  static void addGraphs(HipTable& table);
  static std::size_t liveGraphs();  // and instantiated ones
  static void addImages(HipTable& table);

  const Settings settings_;
  mutable std::mutex mutex_;
  std::condition_variable released_;
  bool held_ = false, ending_ = false;
  std::atomic<hipError_t> workError_{hipSuccess};
  std::string failing_, stopping_;
  std::function<void()> until_;
  std::atomic<int> launches_{0}, graphLaunches_{0}, commands_{0};
  std::vector<std::unique_ptr<Queue>> nulls_;
  std::map<hipStream_t, std::unique_ptr<Queue>> queues_;
  std::map<hipEvent_t, std::shared_ptr<Point>> events_;
  std::set<void*> modules_, registered_, allocated_, mapped_, reserved_;
  FakeMemory memory_;
  void* const counter_;  // the one variable of every module
  std::unique_ptr<Queue> hostFunctions_;
  std::unique_ptr<StallWatch> watch_;
  std::uintptr_t nextHandle_ = 1 << 20;
};

}  // namespace hipr::worker
