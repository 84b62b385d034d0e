// Streams and events against models: what HIP orders must be ordered, and nothing may wait that need not.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <set>
#include <thread>

#include "backends/softgpu/core_testing.h"

namespace hipr::softgpu::testing {
namespace {

using Set = std::set<int>;

// Each real operation is a host function that notes when it began and ended on one common counter. The model keeps, per
// stream, the operations that whatever comes next must follow.
class OrderModel {
 public:
  struct ModelStream {
    std::unique_ptr<TestStream> stream;
    bool null = false, blocking = false;
    int device = 0;
    Set front;
  };
  struct ModelEvent {
    std::unique_ptr<TestEvent> event;
    Set front;
  };
  struct Stamp {
    OrderModel* model;
    long begin = -1, end = -1;
    Set after;
  };

  explicit OrderModel(unsigned seed, int operations) : random_(seed), stamps_(operations) {
    for (int device = 0; device < 2; ++device) {
      addStream(device, Stream::Kind::kNull, 0);
      addStream(device, Stream::Kind::kCreated, 0);
      addStream(device, Stream::Kind::kPerThread, 0);
      addStream(device, Stream::Kind::kCreated, 0);
      addStream(device, Stream::Kind::kCreated, hipStreamNonBlocking);
      addStream(device, Stream::Kind::kCreated, hipStreamNonBlocking);
    }
    for (int i = 0; i < 8; ++i) events_.push_back({std::make_unique<TestEvent>(i % 2), {}});
  }

  void run() {
    for (std::size_t next = 0; next < stamps_.size();) {
      ModelStream& s = streams_[random_() % streams_.size()];
      ModelEvent& e = events_[random_() % events_.size()];
      switch (random_() % 4) {
        case 0:
          ASSERT_EQ(record(*e.event, *s.stream), hipSuccess);
          s.front = command(s);
          e.front = s.front;
          break;
        case 1:
          ASSERT_EQ(wait(*s.stream, *e.event), hipSuccess);
          s.front.insert(e.front.begin(), e.front.end());
          break;
        default: {
          const int index = static_cast<int>(next++);
          stamps_[index].model = this;
          stamps_[index].after = command(s);
          s.front = {index};
          ASSERT_EQ(hostFunction(*s.stream, &OrderModel::operate, &stamps_[index]), hipSuccess);
        }
      }
      if (random_() % 64 == 0) checkSynchronize(s);
    }
    for (int device = 0; device < 2; ++device) ASSERT_EQ(core().synchronize(device), hipSuccess);
    for (std::size_t i = 0; i < stamps_.size(); ++i) {
      ASSERT_GE(stamps_[i].end, 0) << "operation " << i << " did not run";
      for (const int before : stamps_[i].after)
        ASSERT_LT(stamps_[before].end, stamps_[i].begin) << "operation " << i << " overtook " << before;
    }
  }

 private:
  void addStream(int device, Stream::Kind kind, unsigned flags) {
    const bool null = kind == Stream::Kind::kNull;
    streams_.push_back({std::make_unique<TestStream>(device, kind, flags), null, !null && flags == 0, device, {}});
  }

  // What a command given to this stream now must follow.
  Set command(const ModelStream& s) {
    Set out = s.front;
    for (const ModelStream& other : streams_)
      if (other.device == s.device && ((s.null && other.blocking) || (s.blocking && other.null)))
        out.insert(other.front.begin(), other.front.end());
    return out;
  }

  void checkSynchronize(ModelStream& s) {
    s.stream->sync();
    const Set must = s.null ? command(s) : s.front;
    for (const int index : must) ASSERT_GE(std::atomic_ref(stamps_[index].end).load(), 0);
    if (!s.null) {
      ASSERT_EQ(core().query(*s.stream), hipSuccess);
    }
  }

  static void operate(void* data) {
    auto* stamp = static_cast<Stamp*>(data);
    OrderModel& model = *stamp->model;
    stamp->begin = model.clock_++;
    if (stamp->begin % 7 == 0) std::this_thread::yield();
    std::atomic_ref(stamp->end).store(model.clock_++);
  }

  std::mt19937 random_;
  std::vector<Stamp> stamps_;
  std::vector<ModelStream> streams_;
  std::vector<ModelEvent> events_;
  std::atomic<long> clock_{0};
};

TEST(Streams, RandomOrderFollowsTheRules) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    OrderModel model(seed, 400);
    model.run();
    if (HasFatalFailure()) return;
  }
}

// Cells of memory are filled, copied and added to from many streams, each use ordered after the last one by an event.
// The result must be what the same steps give one after the other.
TEST(Streams, RandomDataFlowEqualsTheSequentialResult) {
  constexpr int kCells = 16, kStreams = 6, kSteps = 600;
  constexpr std::size_t kWords = 1024;
  TestKernel add0(0, kAddKernel), add1(1, kAddKernel);
  TestMemory memory(kCells * kWords * 4, MemoryKind::kManaged);
  auto* cells = memory.as<std::uint32_t>();
  for (unsigned seed = 0; seed < 4; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::unique_ptr<TestStream>> streams;
    std::vector<std::unique_ptr<TestEvent>> lastUse;
    for (int i = 0; i < kStreams; ++i)
      streams.push_back(std::make_unique<TestStream>(i % 2, Stream::Kind::kCreated, i < 4 ? hipStreamNonBlocking : 0u));
    for (int i = 0; i < kCells; ++i) lastUse.push_back(std::make_unique<TestEvent>(0));
    std::vector<std::uint32_t> model(kCells);
    std::memset(cells, 0, kCells * kWords * 4);
    for (int step = 0; step < kSteps; ++step) {
      TestStream& stream = *streams[random() % kStreams];
      const int a = static_cast<int>(random() % kCells), b = static_cast<int>(random() % kCells);
      ASSERT_EQ(wait(stream, *lastUse[a]), hipSuccess);
      ASSERT_EQ(wait(stream, *lastUse[b]), hipSuccess);
      const std::uint32_t value = random();
      switch (random() % 3) {
        case 0:
          ASSERT_EQ(fillWords(stream, cells + a * kWords, kWords, value), hipSuccess);
          model[a] = value;
          break;
        case 1:
          if (a != b) {
            ASSERT_EQ(copyBytes(stream, cells + a * kWords, cells + b * kWords, kWords * 4, MemoryKind::kManaged,
                                MemoryKind::kManaged, false),
                      hipSuccess);
          }
          model[a] = model[b];
          break;
        default:  // all words, so that the cell stays uniform: the first by the kernel, the rest by a copy of it
          ASSERT_EQ((stream.device == 0 ? add0 : add1).launch(stream, cells + a * kWords, value % 1000, 2, 64),
                    hipSuccess);
          model[a] += value % 1000 * 128;
          for (std::size_t done = 1; done < kWords; done *= 2)
            ASSERT_EQ(copyBytes(stream, cells + a * kWords + done, cells + a * kWords, done * 4, MemoryKind::kManaged,
                                MemoryKind::kManaged, false),
                      hipSuccess);
      }
      ASSERT_EQ(record(*lastUse[a], stream), hipSuccess);
      if (a != b) {
        ASSERT_EQ(record(*lastUse[b], stream), hipSuccess);
      }
    }
    for (int device = 0; device < 2; ++device) ASSERT_EQ(core().synchronize(device), hipSuccess);
    for (int i = 0; i < kCells; ++i) {
      ASSERT_EQ(cells[i * kWords], model[i]) << "cell " << i << " seed " << seed;
      ASSERT_EQ(cells[i * kWords + kWords - 1], model[i]) << "cell " << i << " seed " << seed;
    }
  }
}

TEST(Streams, ABlockedStreamBlocksNobodyElse) {
  TestStream blocked(0, Stream::Kind::kCreated, hipStreamNonBlocking),
      free(0, Stream::Kind::kCreated, hipStreamNonBlocking);
  TestMemory memory(4096);
  Gate gate(blocked);
  ASSERT_EQ(fillWords(blocked, memory.devicePointer, 1024, 1), hipSuccess);
  EXPECT_EQ(core().query(blocked), hipErrorNotReady);
  ASSERT_EQ(fillWords(free, memory.devicePointer, 1024, 2), hipSuccess);
  free.sync();
  EXPECT_EQ(memory.as<std::uint32_t>()[5], 2u);
  gate.open();
  blocked.sync();
  EXPECT_EQ(memory.as<std::uint32_t>()[5], 1u);
}

TEST(Streams, ACallThatNeedNotWaitIsNotOvertakenEither) {
  TestStream null(0, Stream::Kind::kNull), apart(0, Stream::Kind::kCreated, hipStreamNonBlocking),
      far(1, Stream::Kind::kCreated, hipStreamNonBlocking);
  TestMemory memory(4096), other(4096);
  Gate gate(null);
  const Fill ones{.address = memory.devicePointer, .width = 1024, .value = 1, .elementSize = 4};
  ASSERT_EQ(fill(ones, null, Stage::kDone), hipSuccess);
  EXPECT_EQ(core().query(null), hipErrorNotReady);
  ASSERT_EQ(
      copyBytes(far, other.devicePointer, memory.devicePointer, 4096, MemoryKind::kDevice, MemoryKind::kDevice, false),
      hipSuccess);
  EXPECT_EQ(core().query(far), hipErrorNotReady);
  ASSERT_EQ(fillWords(apart, memory.as<std::uint32_t>() + 5, 1, 2), hipSuccess);
  EXPECT_EQ(core().query(apart), hipErrorNotReady);
  gate.open();
  far.sync();
  apart.sync();
  EXPECT_EQ(other.as<std::uint32_t>()[9], 1u);
  EXPECT_EQ(memory.as<std::uint32_t>()[5], 2u);
}

TEST(Streams, DestroyingOneWaitsForItsWork) {
  TestMemory memory(4096);
  TestStream stream;
  Gate gate(stream);
  ASSERT_EQ(fillWords(stream, memory.devicePointer, 1024, 7), hipSuccess);
  std::atomic<bool> opened{false};
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    opened = true;
    gate.open();
  });
  EXPECT_EQ(core().destroy(stream), hipSuccess);
  EXPECT_TRUE(opened);
  EXPECT_EQ(memory.as<std::uint32_t>()[0], 7u);
  opener.join();
}

TEST(Streams, HostFunctionsMayWaitForEachOther) {
  TestStream a(0, Stream::Kind::kCreated, hipStreamNonBlocking), b(0, Stream::Kind::kCreated, hipStreamNonBlocking);
  struct Pair {
    std::atomic<int> done{0};
    TestStream* other;
  } pair;
  pair.other = &b;
  // The first uses HIP itself and waits for the second, given later to another stream.
  ASSERT_EQ(hostFunction(
                a,
                [](void* data) {
                  auto* p = static_cast<Pair*>(data);
                  p->done.wait(0);
                  core().synchronize(*p->other);
                  ++p->done;
                },
                &pair),
            hipSuccess);
  ASSERT_EQ(hostFunction(
                b,
                [](void* data) {
                  ++static_cast<Pair*>(data)->done;
                  static_cast<Pair*>(data)->done.notify_all();
                },
                &pair),
            hipSuccess);
  a.sync();
  EXPECT_EQ(pair.done, 2);
}

TEST(Events, TimeTheWorkBetweenThem) {
  TestStream stream;
  TestEvent start, stop;
  EXPECT_EQ(core().query(start), hipSuccess) << "never recorded";
  ASSERT_EQ(record(start, stream), hipSuccess);
  ASSERT_EQ(hostFunction(
                stream, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }, nullptr),
            hipSuccess);
  ASSERT_EQ(record(stop, stream), hipSuccess);
  float milliseconds = 0;
  ASSERT_EQ(core().synchronize(stop), hipSuccess);
  ASSERT_EQ(core().elapsed(start, stop, &milliseconds), hipSuccess);
  EXPECT_GE(milliseconds, 5.0f);
  EXPECT_LT(milliseconds, 5000.0f);
}

// A wait refers to the record before it; recording again later changes nothing for it.
TEST(Events, AWaitKeepsTheRecordItSaw) {
  TestStream first(0, Stream::Kind::kCreated, hipStreamNonBlocking),
      second(0, Stream::Kind::kCreated, hipStreamNonBlocking), third(0, Stream::Kind::kCreated, hipStreamNonBlocking);
  TestEvent event;
  auto before = std::make_unique<Gate>(first);
  ASSERT_EQ(record(event, first), hipSuccess);
  ASSERT_EQ(wait(third, event), hipSuccess);
  Gate never(second);
  ASSERT_EQ(record(event, second), hipSuccess);
  EXPECT_EQ(core().query(event), hipErrorNotReady);
  EXPECT_EQ(core().query(third), hipErrorNotReady);
  before->open();
  third.sync();
  EXPECT_EQ(core().query(event), hipErrorNotReady);
}

}  // namespace
}  // namespace hipr::softgpu::testing
