// Memory and events of one process in another: IPC handles, and descriptors of physical memory and of pools. The other
// process is a forked child, which has a runtime of its own; the two talk through a socket.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>

#include "support.h"

namespace {

// One end of the socket between the two.
class Partner {
 public:
  explicit Partner(int socket) : socket_(socket) {}
  ~Partner() { close(socket_); }
  Partner(const Partner&) = delete;

  template <class T>
  void say(const T& value) const {
    REQUIRE(write(socket_, &value, sizeof value) == static_cast<ssize_t>(sizeof value));
  }
  template <class T>
  T hear() const {
    T value{};
    REQUIRE(recv(socket_, &value, sizeof value, MSG_WAITALL) == static_cast<ssize_t>(sizeof value));
    return value;
  }
  void go() const { say('g'); }
  void wait() const { REQUIRE(hear<char>() == 'g'); }

  void give(int descriptor) const {
    Packet packet;
    cmsghdr* const first = CMSG_FIRSTHDR(&packet.header);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(first), &descriptor, sizeof descriptor);
    REQUIRE(sendmsg(socket_, &packet.header, 0) == 1);
  }
  int take() const {
    Packet packet;
    REQUIRE(recvmsg(socket_, &packet.header, 0) == 1);
    int descriptor = -1;
    const cmsghdr* const first = CMSG_FIRSTHDR(&packet.header);
    REQUIRE(first != nullptr);
    std::memcpy(&descriptor, CMSG_DATA(first), sizeof descriptor);
    return descriptor;
  }

 private:
  struct Packet {
    char byte = 'd';
    iovec bytes{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr header{};
    Packet() {
      header.msg_iov = &bytes;
      header.msg_iovlen = 1;
      header.msg_control = control;
      header.msg_controllen = sizeof control;
    }
  };
  const int socket_;
};

using Part = std::function<void(const Partner&)>;

// Runs `theirs` in a child and `ours` here. Both must end well.
void together(const Part& theirs, const Part& ours) {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    close(ends[0]);
    try {
      const Partner parent(ends[1]);
      theirs(parent);
    } catch (const check::Stop&) {
    }
    std::exit(check::current().failures == 0 ? 0 : 1);
  }
  close(ends[1]);
  bool stopped = false;
  try {
    const Partner partner(ends[0]);
    ours(partner);
  } catch (const check::Stop&) {
    stopped = true;
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  if (stopped) throw check::Stop{};
}

// Memory that cannot be placed cannot be passed on by a worker either.
void needsSharing() {
  constexpr auto kAttribute = static_cast<hipDeviceAttribute_t>(89);  // virtual memory; newer than the oldest headers
  int yes = 0;
  HIP(hipDeviceGetAttribute(&yes, kAttribute, 0));
  if (yes == 0) SKIP("this device has no virtual memory management");
}

__global__ void twice(int* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}

std::vector<int> counting(std::size_t count, int factor = 1) {
  std::vector<int> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<int>(i) * factor;
  return out;
}

std::vector<int> read(const void* from, std::size_t count) {
  std::vector<int> out(count);
  HIP(hipMemcpy(out.data(), from, count * sizeof(int), hipMemcpyDeviceToHost));
  return out;
}

void doubleAll(void* data, std::size_t count, hipStream_t stream = nullptr) {
  twice<<<dim3(static_cast<unsigned>(count / 256)), dim3(256), 0, stream>>>(static_cast<int*>(data));
  KERNEL_OK();
}

void* open(const hipIpcMemHandle_t& handle) {
  void* out = nullptr;
  HIP(hipIpcOpenMemHandle(&out, handle, hipIpcMemLazyEnablePeerAccess));
  return out;
}

hipEvent_t interprocess() {
  hipEvent_t event = nullptr;
  HIP(hipEventCreateWithFlags(&event, hipEventDisableTiming | hipEventInterprocess));
  return event;
}

// The child opens what we have, finds our numbers and doubles them.
void shareAndDouble(std::size_t count, std::size_t first) {
  together(
      [=](const Partner& parent) {
        void* opened = open(parent.hear<hipIpcMemHandle_t>());
        std::vector<int> want = counting(count);
        want.erase(want.begin(), want.begin() + static_cast<long>(first));
        EXPECT_VEC(read(opened, count - first), want);
        doubleAll(opened, count - first);
        HIP(hipIpcCloseMemHandle(opened));
        parent.go();
      },
      [=](const Partner& child) {
        Buffer<int> ours(counting(count));
        hipIpcMemHandle_t handle;
        HIP(hipIpcGetMemHandle(&handle, ours.get() + first));
        child.say(handle);
        child.wait();
        std::vector<int> want = counting(count);
        for (std::size_t i = first; i < count; ++i) want[i] *= 2;
        const std::vector<int> got = ours.download();
        EXPECT_VEC(got, want);
        check::result(got);
      });
}

}  // namespace

TEST(memory_of_another_process) {
  needsSharing();
  shareAndDouble(1024, 0);
}

TEST(much_memory_of_another_process) {
  needsSharing();
  shareAndDouble(4 << 20, 0);
}

TEST(a_handle_of_an_address_inside) {
  needsSharing();
  shareAndDouble(2048, 512);
}

TEST(opened_twice_is_one_address) {
  needsSharing();
  together(
      [](const Partner& parent) {
        const auto handle = parent.hear<hipIpcMemHandle_t>();
        void *once = open(handle), *again = open(handle);
        EXPECT_EQ(once, again);
        HIP(hipIpcCloseMemHandle(once));
        EXPECT_VEC(read(again, 256), counting(256));
        HIP(hipIpcCloseMemHandle(again));
        HIP_ERR(hipIpcCloseMemHandle(again), hipErrorInvalidValue);
        HIP_FAILS(hipMemset(again, 0, 4));
        parent.go();
      },
      [](const Partner& child) {
        Buffer<int> ours(counting(256));
        hipIpcMemHandle_t handle;
        HIP(hipIpcGetMemHandle(&handle, ours));
        child.say(handle);
        child.wait();
      });
}

TEST(many_at_a_time) {
  needsSharing();
  constexpr int kMany = 40;
  together(
      [](const Partner& parent) {
        std::vector<void*> opened;
        for (int i = 0; i < kMany; ++i) opened.push_back(open(parent.hear<hipIpcMemHandle_t>()));
        for (int i = 0; i < kMany; ++i) EXPECT_VEC(read(opened[i], 300), counting(300, i));
        for (void* one : opened) HIP(hipIpcCloseMemHandle(one));
        parent.go();
      },
      [](const Partner& child) {
        std::vector<std::unique_ptr<Buffer<int>>> ours;
        for (int i = 0; i < kMany; ++i) {
          ours.push_back(std::make_unique<Buffer<int>>(counting(300, i)));
          hipIpcMemHandle_t handle;
          HIP(hipIpcGetMemHandle(&handle, ours.back()->get()));
          child.say(handle);
        }
        child.wait();
      });
}

// Who has opened memory keeps it, whatever becomes of who made it.
TEST(memory_outlives_the_process_that_made_it) {
  needsSharing();
  hipIpcMemHandle_t handle;
  void* opened = nullptr;
  together(
      [](const Partner& parent) {
        int* made = nullptr;
        HIP(hipMalloc(reinterpret_cast<void**>(&made), 4096));
        HIP(hipMemcpy(made, counting(1024).data(), 4096, hipMemcpyHostToDevice));
        hipIpcMemHandle_t handle;
        HIP(hipIpcGetMemHandle(&handle, made));
        parent.say(handle);
        parent.wait();
        HIP(hipFree(made));
      },
      [&](const Partner& child) {
        handle = child.hear<hipIpcMemHandle_t>();
        opened = open(handle);
        EXPECT_VEC(read(opened, 1024), counting(1024));
        child.go();
      });
  doubleAll(opened, 1024);  // it is there; what it holds is nobody's promise any more
  HIP(hipDeviceSynchronize());
  HIP(hipIpcCloseMemHandle(opened));
  // Nobody else gets it, once its maker's end has come through.
  hipError_t error = hipSuccess;
  for (int i = 0; i < 500 && error == hipSuccess; ++i) {
    error = hipIpcOpenMemHandle(&opened, handle, hipIpcMemLazyEnablePeerAccess);
    if (error == hipSuccess) HIP(hipIpcCloseMemHandle(opened));
    usleep(10000);
  }
  EXPECT(error != hipSuccess);
}

TEST(handles_and_what_is_wrong_with_them) {
  needsSharing();
  Buffer<int> one(256), other(256);
  hipIpcMemHandle_t first, second;
  HIP(hipIpcGetMemHandle(&first, one));
  HIP(hipIpcGetMemHandle(&second, other));
  EXPECT(std::memcmp(&first, &second, sizeof first) != 0);
  void* opened = nullptr;
  HIP_ERR(hipIpcOpenMemHandle(&opened, first, hipIpcMemLazyEnablePeerAccess), hipErrorInvalidContext);
  HIP_ERR(hipIpcCloseMemHandle(one), hipErrorInvalidValue);
  HIP_ERR(hipIpcCloseMemHandle(nullptr), hipErrorInvalidValue);
  HIP_ERR(hipIpcGetMemHandle(nullptr, one), hipErrorInvalidValue);
  HIP_ERR(hipIpcGetMemHandle(&first, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipIpcGetMemHandle(&first, counting(4).data()), hipErrorInvalidValue);
  HIP_ERR(hipIpcOpenMemHandle(nullptr, first, hipIpcMemLazyEnablePeerAccess), hipErrorInvalidValue);
  HIP_ERR(hipIpcOpenMemHandle(&opened, first, 123), hipErrorInvalidValue);
  const hipIpcMemHandle_t nothing{};
  HIP_ERR(hipIpcOpenMemHandle(&opened, nothing, hipIpcMemLazyEnablePeerAccess), hipErrorInvalidValue);
  void* freed = nullptr;
  HIP(hipMalloc(&freed, 1024));
  HIP(hipFree(freed));
  HIP_ERR(hipIpcGetMemHandle(&first, freed), hipErrorInvalidValue);
}

// The child records behind work that it holds back; here a stream and the host wait for it.
TEST(an_event_of_another_process) {
  needsSharing();
  together(
      [](const Partner& parent) {
        void* data = open(parent.hear<hipIpcMemHandle_t>());
        hipEvent_t done = interprocess();
        hipIpcEventHandle_t handle;
        HIP(hipIpcGetEventHandle(&handle, done));
        parent.say(handle);
        parent.wait();
        Stream stream;
        {
          Gate gate(stream);
          doubleAll(data, 1024, stream);
          HIP(hipEventRecord(done, stream));
          parent.go();  // it is recorded, and not reached
          parent.wait();
          gate.open();
        }
        HIP(hipEventSynchronize(done));
        HIP(hipEventQuery(done));
        parent.wait();
        HIP(hipIpcCloseMemHandle(data));
        HIP(hipEventDestroy(done));
      },
      [](const Partner& child) {
        Buffer<int> ours(counting(1024));
        hipIpcMemHandle_t handle;
        HIP(hipIpcGetMemHandle(&handle, ours));
        child.say(handle);
        hipEvent_t theirs = nullptr;
        HIP(hipIpcOpenEventHandle(&theirs, child.hear<hipIpcEventHandle_t>()));
        HIP(hipEventQuery(theirs));  // nobody has recorded it
        HIP(hipEventSynchronize(theirs));
        child.go();
        child.wait();
        HIP_ERR(hipEventQuery(theirs), hipErrorNotReady);
        Stream stream;
        int* pinned = nullptr;  // so that the copy waits for nothing
        HIP(hipHostMalloc(reinterpret_cast<void**>(&pinned), 4096, 0));
        HIP(hipStreamWaitEvent(stream, theirs, 0));
        HIP(hipMemcpyAsync(pinned, ours, 4096, hipMemcpyDeviceToHost, stream));
        HIP_ERR(hipStreamQuery(stream), hipErrorNotReady);
        child.go();
        HIP(hipEventSynchronize(theirs));
        HIP(hipStreamSynchronize(stream));
        EXPECT_VEC(std::vector<int>(pinned, pinned + 1024), counting(1024, 2));
        HIP(hipHostFree(pinned));
        HIP(hipEventQuery(theirs));
        child.go();
        HIP(hipEventDestroy(theirs));
      });
}

// Back and forth, more often than an event remembers records.
TEST(two_processes_take_turns_by_events) {
  needsSharing();
  constexpr int kTurns = 70;
  const auto turns = [](const Partner& other, void* data, hipEvent_t mine, hipEvent_t theirs, bool begins) {
    Stream stream;
    for (int i = 0; i < kTurns; ++i) {
      if (!begins || i > 0) {
        other.wait();
        HIP(hipStreamWaitEvent(stream, theirs, 0));
      }
      HIP(hipMemsetAsync(data, i, 4, stream));
      HIP(hipEventRecord(mine, stream));
      other.go();
    }
    HIP(hipStreamSynchronize(stream));
  };
  together(
      [&](const Partner& parent) {
        void* data = open(parent.hear<hipIpcMemHandle_t>());
        hipEvent_t mine = interprocess(), theirs = nullptr;
        hipIpcEventHandle_t handle;
        HIP(hipIpcGetEventHandle(&handle, mine));
        parent.say(handle);
        HIP(hipIpcOpenEventHandle(&theirs, parent.hear<hipIpcEventHandle_t>()));
        turns(parent, data, mine, theirs, false);
        parent.wait();
      },
      [&](const Partner& child) {
        Buffer<int> ours(64);
        hipIpcMemHandle_t memory;
        HIP(hipIpcGetMemHandle(&memory, ours));
        child.say(memory);
        hipEvent_t mine = interprocess(), theirs = nullptr;
        HIP(hipIpcOpenEventHandle(&theirs, child.hear<hipIpcEventHandle_t>()));
        hipIpcEventHandle_t handle;
        HIP(hipIpcGetEventHandle(&handle, mine));
        child.say(handle);
        turns(child, ours, mine, theirs, true);
        child.wait();  // their last turn
        HIP(hipEventSynchronize(theirs));
        EXPECT_EQ(ours.download()[0], 0x01010101 * (kTurns - 1));
        child.go();
        HIP(hipEventDestroy(mine));
        HIP(hipEventDestroy(theirs));
      });
}

TEST(event_handles_and_what_is_wrong_with_them) {
  needsSharing();
  hipEvent_t event = interprocess(), plain = nullptr, opened = nullptr;
  hipIpcEventHandle_t handle;
  HIP(hipIpcGetEventHandle(&handle, event));
  HIP_ERR(hipIpcOpenEventHandle(&opened, handle), hipErrorInvalidContext);
  HIP_ERR(hipIpcGetEventHandle(nullptr, event), hipErrorInvalidValue);
  HIP_ERR(hipIpcGetEventHandle(&handle, nullptr), hipErrorInvalidValue);
  HIP_ERR(hipIpcOpenEventHandle(nullptr, handle), hipErrorInvalidValue);
  const hipIpcEventHandle_t nothing{};
  HIP_ERR(hipIpcOpenEventHandle(&opened, nothing), hipErrorInvalidValue);
  HIP(hipEventCreateWithFlags(&plain, hipEventDisableTiming));
  HIP_ERR(hipIpcGetEventHandle(&handle, plain), hipErrorInvalidConfiguration);
  HIP(hipEventDestroy(plain));
  HIP(hipEventDestroy(event));
}

TEST(physical_memory_by_descriptor) {
  needsSharing();
  constexpr std::size_t kBytes = 2 << 20, kCount = kBytes / sizeof(int);
  const auto place = [](hipMemGenericAllocationHandle_t physical) {
    void* at = nullptr;
    HIP(hipMemAddressReserve(&at, kBytes, 0, nullptr, 0));
    HIP(hipMemMap(at, kBytes, 0, physical, 0));
    hipMemAccessDesc access{};
    access.location.type = hipMemLocationTypeDevice;
    access.flags = hipMemAccessFlagsProtReadWrite;
    HIP(hipMemSetAccess(at, kBytes, &access, 1));
    return at;
  };
  const auto remove = [](void* at, hipMemGenericAllocationHandle_t physical) {
    HIP(hipMemUnmap(at, kBytes));
    HIP(hipMemAddressFree(at, kBytes));
    HIP(hipMemRelease(physical));
  };
  together(
      [&](const Partner& parent) {
        int descriptor = parent.take();
        hipMemGenericAllocationHandle_t physical{};
        HIP(hipMemImportFromShareableHandle(&physical, &descriptor, hipMemHandleTypePosixFileDescriptor));
        void* at = place(physical);
        EXPECT_VEC(read(at, kCount), counting(kCount));
        doubleAll(at, kCount);
        HIP(hipDeviceSynchronize());
        remove(at, physical);
        close(descriptor);
        parent.go();
      },
      [&](const Partner& child) {
        hipMemAllocationProp prop{};
        prop.type = hipMemAllocationTypePinned;
        prop.location.type = hipMemLocationTypeDevice;
        hipMemGenericAllocationHandle_t physical{}, unshared{};
        HIP(hipMemCreate(&unshared, kBytes, &prop, 0));
        int descriptor = -1;
        HIP_ERR(hipMemExportToShareableHandle(&descriptor, unshared, hipMemHandleTypePosixFileDescriptor, 0),
                hipErrorInvalidValue);
        HIP(hipMemRelease(unshared));
        prop.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
        HIP(hipMemCreate(&physical, kBytes, &prop, 0));
        void* at = place(physical);
        HIP(hipMemcpy(at, counting(kCount).data(), kBytes, hipMemcpyHostToDevice));
        HIP_ERR(hipMemExportToShareableHandle(nullptr, physical, hipMemHandleTypePosixFileDescriptor, 0),
                hipErrorInvalidValue);
        HIP(hipMemExportToShareableHandle(&descriptor, physical, hipMemHandleTypePosixFileDescriptor, 0));
        EXPECT(descriptor >= 0);
        child.give(descriptor);
        close(descriptor);
        child.wait();
        const std::vector<int> got = read(at, kCount);
        EXPECT_VEC(got, counting(kCount, 2));
        check::result(got);
        remove(at, physical);
      });
}

TEST(pools_and_their_pointers) {
  needsSharing();
  constexpr std::size_t kCount = 1 << 18;
  together(
      [](const Partner& parent) {
        const int descriptor = parent.take();
        const auto pointer = parent.hear<hipMemPoolPtrExportData>();
        hipMemPool_t pool = nullptr;
        HIP(hipMemPoolImportFromShareableHandle(&pool, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)),
                                                hipMemHandleTypePosixFileDescriptor, 0));
        void* imported = nullptr;
        auto given = pointer;
        HIP(hipMemPoolImportPointer(&imported, pool, &given));
        EXPECT_VEC(read(imported, kCount), counting(kCount));
        doubleAll(imported, kCount);
        HIP(hipDeviceSynchronize());
        HIP(hipFreeAsync(imported, nullptr));
        HIP(hipMemPoolDestroy(pool));
        close(descriptor);
        parent.go();
      },
      [](const Partner& child) {
        hipMemPoolProps properties{};
        properties.allocType = hipMemAllocationTypePinned;
        properties.location.type = hipMemLocationTypeDevice;
        properties.handleTypes = hipMemHandleTypePosixFileDescriptor;
        hipMemPool_t pool = nullptr;
        HIP(hipMemPoolCreate(&pool, &properties));
        int descriptor = -1;
        HIP_ERR(hipMemPoolExportToShareableHandle(&descriptor, pool, hipMemHandleTypeNone, 0), hipErrorInvalidValue);
        HIP(hipMemPoolExportToShareableHandle(&descriptor, pool, hipMemHandleTypePosixFileDescriptor, 0));
        void* ours = nullptr;
        HIP(hipMallocFromPoolAsync(&ours, kCount * sizeof(int), pool, nullptr));
        HIP(hipMemcpy(ours, counting(kCount).data(), kCount * sizeof(int), hipMemcpyHostToDevice));
        hipMemPoolPtrExportData pointer;
        HIP_ERR(hipMemPoolExportPointer(nullptr, ours), hipErrorInvalidValue);
        HIP(hipMemPoolExportPointer(&pointer, ours));
        child.give(descriptor);
        child.say(pointer);
        child.wait();
        EXPECT_VEC(read(ours, kCount), counting(kCount, 2));
        HIP(hipFreeAsync(ours, nullptr));
        HIP(hipStreamSynchronize(nullptr));
        HIP(hipMemPoolDestroy(pool));
        close(descriptor);
      });
}
