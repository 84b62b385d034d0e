// Words of memory that streams write, and wait for.
#include <thread>

#include "support.h"

namespace {

enum class Place { kDevice, kPinned, kRegistered, kSignal };

// A word somewhere, and how the host reads and writes it.
template <class Word>
class Memory {
 public:
  explicit Memory(Place place) : place_(place) {
    void* p = nullptr;
    switch (place) {
      case Place::kDevice:
        HIP(hipMalloc(&p, sizeof(Word) * 4));
        break;
      case Place::kPinned:
        HIP(hipHostMalloc(&p, sizeof(Word) * 4, 0));
        break;
      case Place::kRegistered:
        p = own_;
        HIP(hipHostRegister(p, sizeof own_, 0));
        break;
      case Place::kSignal:
        HIP(hipExtMallocWithFlags(&p, 8, hipMallocSignalMemory));
        break;
    }
    word_ = static_cast<Word*>(p);
    set(0);
  }
  ~Memory() {
    switch (place_) {
      case Place::kPinned:
        (void)hipHostFree(word_);
        break;
      case Place::kRegistered:
        (void)hipHostUnregister(word_);
        break;
      default:
        (void)hipFree(word_);
        break;
    }
  }

  Word* at() { return word_; }
  // While streams wait for it: a copy would line up behind them.
  void set(Word value) {
    if (place_ != Place::kDevice) {
      __atomic_store_n(word_, value, __ATOMIC_SEQ_CST);
      return;
    }
    Stream other(hipStreamNonBlocking);
    if constexpr (sizeof(Word) == 4)
      HIP(hipStreamWriteValue32(other, word_, value, 0));
    else
      HIP(hipStreamWriteValue64(other, word_, value, 0));
    HIP(hipStreamSynchronize(other));
  }
  Word get() {
    if (place_ != Place::kDevice) return __atomic_load_n(word_, __ATOMIC_SEQ_CST);
    Word value = 0;
    HIP(hipMemcpy(&value, word_, sizeof value, hipMemcpyDeviceToHost));
    return value;
  }

 private:
  const Place place_;
  Word own_[4] = {};
  Word* word_ = nullptr;
};

constexpr Place kPlaces[] = {Place::kDevice, Place::kPinned, Place::kRegistered};

hipError_t write(hipStream_t stream, std::uint32_t* at, std::uint32_t value, unsigned flags = 0) {
  return hipStreamWriteValue32(stream, at, value, flags);
}
hipError_t write(hipStream_t stream, std::uint64_t* at, std::uint64_t value, unsigned flags = 0) {
  return hipStreamWriteValue64(stream, at, value, flags);
}
hipError_t await(hipStream_t stream, std::uint32_t* at, std::uint32_t value, unsigned flags, std::uint32_t mask) {
  return hipStreamWaitValue32(stream, at, value, flags, mask);
}
hipError_t await(hipStream_t stream, std::uint64_t* at, std::uint64_t value, unsigned flags, std::uint64_t mask) {
  return hipStreamWaitValue64(stream, at, value, flags, mask);
}

template <class Word>
void writes(Place place) {
  Memory<Word> memory(place);
  Stream stream;
  const Word value = static_cast<Word>(0x7123456789abcdefull);
  HIP(write(stream, memory.at(), value));
  HIP(hipStreamSynchronize(stream));
  EXPECT_EQ(memory.get(), value);
  HIP(write(stream, memory.at(), 5, 0x1000));  // adds
  HIP(write(stream, memory.at(), 2, 0x1001));  // subtracts
  HIP(hipStreamSynchronize(stream));
  EXPECT_EQ(memory.get(), static_cast<Word>(value + 3));
}

// The stream stands still while the word is `before`, and goes on when it is `after`.
template <class Word>
void waitsFor(Place place, unsigned how, Word value, Word mask, Word before, Word after) {
  Memory<Word> memory(place);
  Memory<std::uint32_t> trace(Place::kPinned);
  Stream stream(hipStreamNonBlocking);
  Event first, last;
  memory.set(before);
  HIP(write(stream, trace.at(), 1u));
  HIP(hipEventRecord(first, stream));
  HIP(await(stream, memory.at(), value, how, mask));
  HIP(write(stream, trace.at(), 2u));
  HIP(hipEventRecord(last, stream));
  HIP(hipEventSynchronize(first));
  EXPECT_EQ(trace.get(), 1u);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  HIP_ERR(hipEventQuery(last), hipErrorNotReady);
  EXPECT_EQ(trace.get(), 1u);
  memory.set(after);
  HIP(hipStreamSynchronize(stream));
  HIP(hipEventQuery(last));
  EXPECT_EQ(trace.get(), 2u);
}

}  // namespace

TEST(devices_say_they_can) {
  int can = 0;
  HIP(hipDeviceGetAttribute(&can, hipDeviceAttributeCanUseStreamWaitValue, 0));
  EXPECT_EQ(can, 1);
}

TEST(writes_in_stream_order) {
  for (Place place : kPlaces) {
    writes<std::uint32_t>(place);
    writes<std::uint64_t>(place);
  }
  writes<std::uint64_t>(Place::kSignal);
}

TEST(waits_for_every_kind_of_value) {
  for (Place place : kPlaces) {
    waitsFor<std::uint32_t>(place, hipStreamWaitValueGte, 4, 0xf, 0x13, 0x26);
    waitsFor<std::uint32_t>(place, hipStreamWaitValueEq, 1, 0xffff, 0x0fff0000, 0x0fff0001);
    waitsFor<std::uint32_t>(place, hipStreamWaitValueAnd, 0xf4a, 0xff, 0xf35, 2);
    waitsFor<std::uint32_t>(place, hipStreamWaitValueNor, 0x7aaaaaaa, ~0u, 0x85555555, 0x9aaaaaaa);
    waitsFor<std::uint64_t>(place, hipStreamWaitValueGte, 1ull << 40, ~0ull, (1ull << 40) - 1, 1ull << 41);
    waitsFor<std::uint64_t>(place, hipStreamWaitValueEq, 7ull << 32, 0xffull << 32, 6ull << 32, 0x107ull << 32);
  }
  waitsFor<std::uint64_t>(Place::kSignal, hipStreamWaitValueEq, 1, ~0ull, 0, 1);
}

TEST(two_streams_take_turns) {
  constexpr int kTurns = 50;
  Memory<std::uint32_t> turn(Place::kDevice), sum(Place::kDevice);
  Stream a(hipStreamNonBlocking), b(hipStreamNonBlocking);
  for (int i = 0; i < kTurns; ++i) {
    HIP(await(a, turn.at(), 2 * i, hipStreamWaitValueEq, ~0u));
    HIP(write(a, sum.at(), 1, 0x1000));
    HIP(write(a, turn.at(), 2 * i + 1));
  }
  for (int i = 0; i < kTurns; ++i) {
    HIP(await(b, turn.at(), 2 * i + 1, hipStreamWaitValueEq, ~0u));
    HIP(write(b, sum.at(), 1, 0x1000));
    HIP(write(b, turn.at(), 2 * i + 2));
  }
  HIP(hipStreamSynchronize(b));
  EXPECT_EQ(sum.get(), 2u * kTurns);
}

__global__ void store(std::uint32_t* at, std::uint32_t value) {
  __hip_atomic_store(at, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}

TEST(a_kernel_lets_a_stream_go_on) {
  Memory<std::uint32_t> word(Place::kDevice), result(Place::kDevice);
  Stream waiting(hipStreamNonBlocking), working(hipStreamNonBlocking);
  HIP(await(waiting, word.at(), 9, hipStreamWaitValueGte, ~0u));
  store<<<1, 1, 0, waiting>>>(result.at(), 77);
  store<<<1, 1, 0, working>>>(word.at(), 9);
  HIP(hipStreamSynchronize(waiting));
  EXPECT_EQ(result.get(), 77u);
}

// Calls that are done when they return, and a free, while a stream waits: what ends its waiting still gets through.
TEST(other_calls_go_on_while_a_stream_waits) {
  Memory<std::uint32_t> word(Place::kDevice), other(Place::kDevice);
  Stream waiting(hipStreamNonBlocking);
  HIP(await(waiting, word.at(), 1, hipStreamWaitValueEq, ~0u));
  HIP(hipMemset(other.at(), 0x11, 4));
  std::uint32_t seen = 0;
  HIP(hipMemcpy(&seen, other.at(), 4, hipMemcpyDeviceToHost));
  EXPECT_EQ(seen, 0x11111111u);
  std::thread releasing([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    word.set(1);
  });
  void* p = nullptr;
  HIP(hipMalloc(&p, 100));
  HIP(hipFree(p));  // waits for the device
  releasing.join();
  HIP(hipStreamSynchronize(waiting));
}

TEST(wrong_words) {
  Memory<std::uint32_t> word(Place::kDevice);
  std::uint32_t plain = 0;
  Stream stream;
  HIP_ERR(hipStreamWriteValue32(stream, nullptr, 1, 0), hipErrorInvalidValue);
  HIP_ERR(hipStreamWriteValue32(stream, &plain, 1, 0), hipErrorInvalidValue);
  HIP_ERR(hipStreamWaitValue32(stream, nullptr, 1, 0, ~0u), hipErrorInvalidValue);
  HIP_ERR(hipStreamWaitValue32(stream, word.at(), 1, 4, ~0u), hipErrorInvalidValue);
  HIP_ERR(hipStreamWaitValue64(stream, &plain, 1, 0, ~0ull), hipErrorInvalidValue);
  HIP_ERR(hipStreamWriteValue32(reinterpret_cast<hipStream_t>(-1), word.at(), 1, 0), hipErrorContextIsDestroyed);
}
