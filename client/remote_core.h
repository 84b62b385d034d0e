// RemoteCore: one worker as the core of a HIP runtime. It owns the session with that worker, which the first call that
// needs a device begins and which lasts until exit, or until the program resets the only device it uses; a forked child
// begins its own. Its functions are defined by topic: copy.cpp, device.cpp, event.cpp, graph.cpp, image.cpp,
// launch.cpp, memory.cpp, module.cpp, parcels.cpp, process.cpp, shared_memory.cpp, stream.cpp and vmm.cpp.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "client/session.h"
#include "runtime/core.h"

namespace hipr::client {

class RemoteCore : public Core {
 public:
  RemoteCore() = default;
  explicit RemoteCore(Slice slice) : slice_(slice) {}  // one of several that make one row

  hipError_t open(const Platform** platform) override;
  hipError_t lost() const override { return session().lost() ? kLost : hipSuccess; }
  void forgetAfterFork() override;
  void leave(platform::Ending ending) override;

  hipError_t submit(Stream& stream, const Operation& operation, Stage until) override;
  void fence(int device) override;
  hipError_t synchronize(int device) override;

  hipError_t create(Stream& stream) override;
  hipError_t destroy(Stream& stream) override;
  hipError_t synchronize(Stream& stream) override;
  hipError_t query(Stream& stream) override;
  std::unique_ptr<StreamPoint> point(Stream& stream) override;
  hipError_t create(Event& event) override;
  hipError_t destroy(Event& event) override;
  hipError_t synchronize(Event& event) override;
  hipError_t query(Event& event) override;
  hipError_t elapsed(Event& start, Event& stop, float* milliseconds) override;
  hipError_t hold(Stream& stream, Arrived arrived) override;
  void whenReached(Event& event, std::function<void(bool lost)> tell) override;
  hipError_t invite(Stream& stream, const Copy& copy, Invitation& out) override;
  hipError_t bring(Stream& stream, const Copy& copy, const Invitation& invitation) override;
  void withdraw(const Invitation& invitation) override;

  hipError_t create(GraphExec& exec) override;
  hipError_t update(GraphExec& exec, std::span<const std::uint32_t> steps) override;
  hipError_t destroy(GraphExec& exec) override;

  hipError_t reset(int device, bool alone) override;
  hipError_t setLimit(int device, hipLimit_t limit, std::size_t value) override;
  hipError_t setPeerAccess(int device, int peer, bool enabled) override;
  hipError_t memoryInfo(int device, std::size_t* free, std::size_t* total) override;
  hipError_t compile(const rtc::Request& request, rtc::Result& result) override;

  hipError_t allocate(Allocation& allocation) override;
  void reveal(const Allocation& allocation) override;
  hipError_t release(const Allocation& allocation) override;
  hipError_t admit(const Allocation& allocation) override;
  void dismiss(const Allocation& allocation) override;

  hipError_t share(const Allocation& allocation, SharedName& name, std::size_t& offset) override;
  hipError_t openShared(const SharedName& name, Allocation& whole) override;
  hipError_t closeShared(const Allocation& whole) override;

  hipError_t create(Array& array) override;
  hipError_t create(Texture& texture) override;
  hipError_t destroy(Array& array) override;
  hipError_t destroy(Texture& texture) override;

  hipError_t load(Module& module) override;
  hipError_t unload(Module& module) override;
  hipError_t variable(Module& module, const std::string& name, void** address) override;

  hipError_t memAddressReserve(void**, std::size_t, std::size_t, void*) override;
  hipError_t memAddressFree(void*, std::size_t) override;
  hipError_t memCreate(std::uint64_t*, std::size_t, const hipMemAllocationProp&) override;
  hipError_t memRelease(std::uint64_t) override;
  hipError_t memMap(void*, std::size_t, std::size_t, std::uint64_t) override;
  hipError_t memUnmap(void*, std::size_t) override;
  hipError_t memSetAccess(void*, std::size_t, const hipMemAccessDesc*, std::size_t) override;
  std::size_t memGranularity(int) override;
  hipError_t memExport(std::uint64_t, int*) override;
  hipError_t memImport(int, int, std::uint64_t*, std::size_t*) override;

 private:
  // What opening changes. A forked child gets another, since this one may have been in use at that moment.
  struct Opening {
    std::mutex mutex;
    bool failed = false;
    // All there ever were; the last one is in use. Earlier ones are kept, empty: the runtime refers to their platform,
    // and other threads may still be inside.
    std::vector<std::unique_ptr<Session>> sessions;
  };

  // REQUIRES: open() succeeded.
  Session& session() const { return *session_.load(std::memory_order_acquire); }
  void use(std::unique_ptr<Session> session);  // REQUIRES: opening_->mutex held
  // Ends the session and begins another with the same devices. REQUIRES: the program has no objects, and no other
  // thread uses a device, as for hipDeviceReset.
  hipError_t renew();

  void waitForRoom(RemoteStream& stream);  // for another operation
  // Until everything before it is visible.
  hipError_t waitFor(RemoteStream& stream, const Moment& moment);
  hipError_t waitFor(int device, const Moment& moment);
  hipError_t waitFor(Event& event);  // REQUIRES: it was recorded
  // When host memory that only exists here may be read and written.
  enum class HostAccess {
    kAsCalled,  // pageable memory during the call, other memory until the operation is done
    kInOrder,   // all of it when the stream comes to the operation, as in a graph; then nothing waits
  };
  hipError_t copy(const Copy& copy, Stream& stream, Stage until, HostAccess access);
  // Between an array and memory that only exists here: by way of other device memory.
  hipError_t copyByWay(const Copy& copy, Stream& stream, Stage until, HostAccess access);
  hipError_t fill(const Fill& fill, Stream& stream, Stage until, HostAccess access);
  bool inOrder(RemoteStream& stream, Stage until, HostAccess access);
  void uploadInOrder(const Copy& copy, Stream& stream);
  void runInOrder(Stream& stream, HostFunctions::Does does, HostFunctions::Action action);
  hipError_t perform(const Copy& copy, Stream& stream, Stage until);
  hipError_t perform(const Fill& f, Stream& stream, Stage until) {
    return fill(f, stream, until, HostAccess::kAsCalled);
  }
  hipError_t perform(const Launch& launch, Stream& stream, Stage until);
  hipError_t perform(const Record& record, Stream& stream, Stage until);
  hipError_t perform(const Wait& wait, Stream& stream, Stage until);
  hipError_t perform(const HostFunction& function, Stream& stream, Stage until);
  hipError_t perform(const GraphLaunch& launch, Stream& stream, Stage until);
  hipError_t perform(const WordSteps& steps, Stream& stream, Stage until);

  hipError_t openPhysical(const SharedName& name, int device, std::uint64_t* physical);

  hipError_t openSession(std::unique_ptr<Session>& session);

  const Slice slice_;
  Opening* opening_ = new Opening;
  std::atomic<Session*> session_{nullptr};
};

// The cores of a process, as the environment asks for them: one, or one for each worker of the list.
std::vector<Core*> remoteCores();

// What a stream and an event of the runtime are here.
struct StreamObject : CoreObject {
  StreamObject(RemoteStream& stream, std::atomic<std::uint64_t>* count)
      : remote(stream.shared_from_this()), counted(count) {}
  const std::shared_ptr<RemoteStream> remote;
  const Counted counted;
};
struct EventObject : CoreObject {
  EventObject(std::uint64_t wireId, std::atomic<std::uint64_t>& count) : remote(wireId), counted(&count) {}
  RemoteEvent remote;
  const Counted counted;
};
inline RemoteStream& remote(const Stream& stream) {
  return *static_cast<const StreamObject&>(*stream.impl).remote;
}
bool timed(const Event& event);  // a program may ask when it was reached
inline RemoteEvent& remote(const Event& event) {
  return static_cast<EventObject&>(*event.impl).remote;
}

}  // namespace hipr::client
