#include "client/host_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <map>

namespace hipr::client {
namespace {

// The worker's copy of exposed memory.
struct Worker {
  std::map<std::uint64_t, std::vector<std::byte>> regions;  // by address
  std::map<std::uint64_t, std::uint64_t> numbers;
  mirror::Mirror mirror{{.send = [](const wire::HostBytes&) {}}};
  std::size_t bytesReceived = 0;

  HostMemory::Calls calls() {
    return {[this](const wire::ExposeHost& m) {
              regions[m.address].resize(m.size);
              numbers[m.address] = m.region;
              EXPECT_TRUE(mirror.add(m.region, regions[m.address].data(), m.size));
            },
            [this](const wire::ConcealHost& m) {
              mirror.remove(numbers.at(m.address));
              regions.erase(m.address);
            },
            [this](const wire::HostBytes& m) {
              EXPECT_TRUE(mirror.apply(m));
              bytesReceived += m.bytes.size();
            }};
  }
};

platform::AddressRange someRange() {
  platform::AddressRange range;
  // Each sanitizer claims one of the two for itself.
  EXPECT_TRUE(range.reserve(0x004100000000, 64 << 20) || range.reserve(0x210000000000, 64 << 20));
  return range;
}

std::vector<std::byte> argumentsOf(const void* pointer) {
  std::vector<std::byte> arguments(16);
  std::memcpy(arguments.data() + 8, &pointer, sizeof pointer);
  return arguments;
}

TEST(HostMemory, CostsNothingUntilAKernelCanKnowIt) {
  Worker worker;
  HostMemory memory(someRange(), worker.calls());
  auto* p = static_cast<char*>(memory.allocate(10000));
  ASSERT_NE(p, nullptr);
  std::strcpy(p, "hello");
  memory.flush();
  EXPECT_TRUE(worker.regions.empty());
  EXPECT_FALSE(memory.exposed(reinterpret_cast<std::uint64_t>(p)));
}

TEST(HostMemory, AnArgumentExposesItAndOnlyChangesTravel) {
  Worker worker;
  HostMemory memory(someRange(), worker.calls());
  auto* p = static_cast<char*>(memory.allocate(10000));
  std::strcpy(p + 5000, "hello");
  auto arguments = argumentsOf(p + 4);
  EXPECT_TRUE(memory.mayName(arguments));
  EXPECT_FALSE(memory.mayName(argumentsOf(&worker))) << "what is in no region needs no lock";
  memory.scanArguments(arguments);
  memory.flush();
  const auto address = reinterpret_cast<std::uint64_t>(p);
  ASSERT_TRUE(worker.regions.contains(address));
  EXPECT_EQ(std::memcmp(worker.regions[address].data(), p, 10000), 0);
  EXPECT_EQ(worker.bytesReceived, 5u);
  p[9999] = 'x';
  p[0] = 'y';
  memory.flush();
  EXPECT_EQ(worker.bytesReceived, 7u);
  EXPECT_EQ(std::memcmp(worker.regions[address].data(), p, 10000), 0);
}

TEST(HostMemory, WhatKernelsWroteArrivesAndIsNotSentBack) {
  Worker worker;
  HostMemory memory(someRange(), worker.calls());
  auto* p = static_cast<char*>(memory.allocate(100));
  auto arguments = argumentsOf(p);
  memory.scanArguments(arguments);
  const char text[] = "from the GPU";
  mirror::ChangeWriter changes;
  changes.put(worker.numbers.at(reinterpret_cast<std::uint64_t>(p)), 10, text, sizeof text);
  EXPECT_TRUE(memory.apply(changes.message()));
  EXPECT_STREQ(p + 10, text);
  memory.flush();
  EXPECT_EQ(worker.bytesReceived, 0u);
  changes.clear();
  changes.put(worker.numbers.at(reinterpret_cast<std::uint64_t>(p)), 95, text, sizeof text);
  EXPECT_FALSE(memory.apply(changes.message()));
}

TEST(HostMemory, AdoptedMemoryIsReachedThroughItsAlias) {
  Worker worker;
  HostMemory memory(someRange(), worker.calls());
  std::vector<int> mine(1000, 42);
  void* alias = memory.adopt(mine.data(), mine.size() * sizeof(int));
  ASSERT_NE(alias, nullptr);
  auto arguments = argumentsOf(mine.data() + 3);  // the program passes its own pointer
  EXPECT_TRUE(memory.mayName(arguments));
  memory.scanArguments(arguments);
  std::uint64_t passed;
  std::memcpy(&passed, arguments.data() + 8, sizeof passed);
  EXPECT_EQ(passed, reinterpret_cast<std::uint64_t>(alias) + 12);
  memory.flush();
  const auto& there = worker.regions.at(reinterpret_cast<std::uint64_t>(alias));
  EXPECT_EQ(std::memcmp(there.data(), mine.data(), there.size()), 0);
  memory.disown(alias);
  EXPECT_TRUE(worker.regions.empty());
}

// A texture is known by an address of the worker's process, which may be that of anything here.
TEST(HostMemory, TheNameOfATextureIsNoAddress) {
  Worker worker;
  HostMemory memory(someRange(), worker.calls());
  std::vector<int> mine(1000, 42);
  memory.addHandle(reinterpret_cast<std::uint64_t>(mine.data() + 8));
  void* alias = memory.adopt(mine.data(), mine.size() * sizeof(int));
  auto texture = argumentsOf(mine.data() + 8), pointer = argumentsOf(mine.data() + 10);
  const auto before = texture;
  memory.scanArguments(texture);
  EXPECT_EQ(texture, before);
  EXPECT_TRUE(worker.regions.empty());
  memory.scanArguments(pointer);
  EXPECT_EQ(worker.regions.count(reinterpret_cast<std::uint64_t>(alias)), 1u);
  memory.dropHandle(reinterpret_cast<std::uint64_t>(mine.data() + 8));
  memory.scanArguments(texture);
  EXPECT_NE(texture, before);
}

TEST(HostMemory, APointerInsideAnUploadExposesToo) {
  Worker worker;
  HostMemory memory(someRange(), worker.calls());
  void* p = memory.allocate(64);
  void* const table[2] = {nullptr, p};
  memory.scanUpload(std::as_bytes(std::span(table)));
  EXPECT_TRUE(memory.exposed(reinterpret_cast<std::uint64_t>(p)));
}

TEST(HostMemory, WhatIsStillSaidOfAFreedRegionDoesNotReachTheNextOne) {
  Worker worker;
  HostMemory memory(someRange(), worker.calls());
  void* p = memory.allocate(100);
  auto arguments = argumentsOf(p);
  memory.scanArguments(arguments);
  mirror::ChangeWriter late;
  late.put(worker.numbers.at(reinterpret_cast<std::uint64_t>(p)), 50, "old", 3);
  memory.release(p);
  auto* next = static_cast<char*>(memory.allocate(20));
  ASSERT_EQ(next, p);
  EXPECT_TRUE(memory.apply(late.message()));
  memory.scanArguments(arguments);
  EXPECT_TRUE(memory.apply(late.message()));
  EXPECT_EQ(next[50], 0);
}

TEST(HostMemory, APointerInALargeUploadIsFound) {
  Worker worker;
  HostMemory memory(someRange(), worker.calls());
  void* p = memory.allocate(64);
  std::vector<void*> table(4 << 20);
  table.back() = p;
  memory.scanUpload(std::as_bytes(std::span(table)));
  EXPECT_TRUE(memory.exposed(reinterpret_cast<std::uint64_t>(p)));
}

TEST(HostMemory, APointerInsideExposedMemoryExposesToo) {
  Worker worker;
  HostMemory memory(someRange(), worker.calls());
  auto** node = static_cast<void**>(memory.allocate(64));
  auto** next = static_cast<void**>(memory.allocate(64));
  auto* last = static_cast<int*>(memory.allocate(64));
  node[3] = next;
  next[1] = last;
  *last = 42;
  auto arguments = argumentsOf(node);
  memory.scanArguments(arguments);
  memory.flush();
  EXPECT_EQ(worker.regions.size(), 3u);
  int there;
  std::memcpy(&there, worker.regions.at(reinterpret_cast<std::uint64_t>(last)).data(), sizeof there);
  EXPECT_EQ(there, 42);
}

// --- a worker on the same machine

struct NearWorker {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> shared;  // address and size
  std::vector<platform::SharedMemory> memories;
  std::vector<std::uint64_t> concealed;
  bool lost = false;
  int exposures = 0;

  HostMemory::Calls calls() {
    return {.expose = [this](const wire::ExposeHost&) { ++exposures; },
            .conceal = [this](const wire::ConcealHost& m) { concealed.push_back(m.address); },
            .send = [](const wire::HostBytes&) {},
            .share =
                [this](const wire::ShareHost& m, const platform::SharedMemory& memory) {
                  shared.emplace_back(m.address, m.size);
                  memories.emplace_back();
                  EXPECT_TRUE(platform::SharedMemory::take(dup(memory.descriptor()), platform::roundToPage(m.size),
                                                           memories.back())
                                  .ok());
                  EXPECT_TRUE(memories.back().map().ok());
                  return lost ? Status::unavailable("lost") : Status{};
                }};
  }
};

TEST(NearHostMemory, BothHaveTheSameMemory) {
  NearWorker worker;
  HostMemory memory(someRange(), worker.calls());
  auto* p = static_cast<char*>(memory.allocate(10000));
  ASSERT_NE(p, nullptr);
  ASSERT_EQ(worker.shared.size(), 1u);
  EXPECT_EQ(worker.shared[0], std::pair(reinterpret_cast<std::uint64_t>(p), std::uint64_t{10000}));
  auto* there = reinterpret_cast<char*>(worker.memories[0].bytes().data());
  std::strcpy(p, "from here");
  EXPECT_STREQ(there, "from here");
  std::strcpy(there + 9000, "from there");
  EXPECT_STREQ(p + 9000, "from there");
  EXPECT_TRUE(memory.exposed(reinterpret_cast<std::uint64_t>(p) + 9999));
  EXPECT_TRUE(memory.anyExposed());
  EXPECT_FALSE(memory.anyMirrored());
  EXPECT_FALSE(memory.needsScan());
  auto arguments = argumentsOf(p);
  memory.scanArguments(arguments);
  EXPECT_EQ(worker.exposures, 0);
  memory.release(p);
  EXPECT_EQ(worker.concealed, std::vector<std::uint64_t>{worker.shared[0].first});
  EXPECT_FALSE(memory.anyExposed());
}

TEST(NearHostMemory, TheProgramsOwnIsMirroredAsEverywhere) {
  NearWorker worker;
  HostMemory memory(someRange(), worker.calls());
  std::vector<char> own(10000);
  void* const alias = memory.adopt(own.data(), own.size());
  ASSERT_NE(alias, nullptr);
  EXPECT_TRUE(worker.shared.empty());
  auto arguments = argumentsOf(own.data());
  memory.scanArguments(arguments);
  EXPECT_EQ(worker.exposures, 1);
  EXPECT_TRUE(memory.anyMirrored());
  memory.disown(alias);
}

TEST(NearHostMemory, AnAddressThatTheProgramKnowsIsExposed) {
  NearWorker worker;
  HostMemory memory(someRange(), worker.calls());
  std::vector<char> own(10000);
  void* const alias = memory.adopt(own.data(), own.size());
  EXPECT_EQ(worker.exposures, 0);
  memory.reveal(alias);
  memory.reveal(alias);
  EXPECT_EQ(worker.exposures, 1);
  memory.disown(alias);
}

TEST(NearHostMemory, PagesOfOursAreExchangedAndKeepTheirContent) {
  NearWorker worker;
  HostMemory memory(someRange(), worker.calls());
  const std::size_t size = 3 * platform::pageSize();
  auto* pages = static_cast<char*>(platform::allocatePages(size));
  std::strcpy(pages + 5000, "from before");
  void* const alias = memory.replace(pages, size);
  ASSERT_NE(alias, nullptr);
  ASSERT_EQ(worker.memories.size(), 1u);
  auto* there = reinterpret_cast<char*>(worker.memories[0].bytes().data());
  EXPECT_STREQ(there + 5000, "from before");
  EXPECT_STREQ(pages + 5000, "from before");
  std::strcpy(there, "from there");
  EXPECT_STREQ(pages, "from there");
  auto arguments = argumentsOf(pages + 8);  // kernels have it at the alias
  EXPECT_TRUE(memory.needsScan());
  memory.scanArguments(arguments);
  EXPECT_EQ(arguments, argumentsOf(static_cast<char*>(alias) + 8));
  EXPECT_EQ(worker.exposures, 0);
  memory.disown(alias);
  EXPECT_FALSE(memory.needsScan());
  EXPECT_FALSE(memory.anyExposed());
  EXPECT_STREQ(pages, "from there");
  platform::freePages(pages, size);
}

TEST(NearHostMemory, NoneIsGivenOutThatTheWorkerDoesNotHave) {
  NearWorker worker;
  worker.lost = true;
  HostMemory memory(someRange(), worker.calls());
  EXPECT_EQ(memory.allocate(10000), nullptr);
  EXPECT_FALSE(memory.anyExposed());
}

// Two sessions: each has half of a window.
struct TwoSessions {
  static constexpr std::uint64_t kHalf = 32 << 20;
  platform::AddressRange whole = someRange();
  HostWindow window{whole.base(), 2 * kHalf};
  Worker worker[2];
  std::unique_ptr<HostMemory> memory[2];
  TwoSessions() {
    whole = platform::AddressRange();
    for (int i = 0; i < 2; ++i) {
      platform::AddressRange half;
      EXPECT_TRUE(half.reserve(window.base + kHalf * static_cast<std::uint64_t>(i), kHalf));
      memory[i] = std::make_unique<HostMemory>(std::move(half), worker[i].calls(), UINT64_MAX, window);
    }
  }
};

TEST(HostMemory, AnotherSessionAdmitsIt) {
  TwoSessions two;
  HostMemory::Pages pages;
  auto* p = static_cast<char*>(two.memory[0]->allocateFor(10000, pages));
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(pages != nullptr, platform::kCanShareMemory);
  const auto address = reinterpret_cast<std::uint64_t>(p);
  EXPECT_TRUE(two.memory[1]->admit(address, 10000, p, pages));
  EXPECT_TRUE(two.memory[1]->admit(address, 10000, p, pages)) << "known already";
  std::strcpy(p, "hello");
  auto arguments = argumentsOf(p);
  for (const auto& memory : two.memory) {  // each when its own kernels are told of it
    memory->scanArguments(arguments);
    memory->flush();
  }
  for (Worker& worker : two.worker) EXPECT_EQ(std::memcmp(worker.regions.at(address).data(), p, 10000), 0);
  // What a kernel of one changes reaches the other's by way of this process.
  std::strcpy(p, "changed");
  two.memory[1]->flush();
  EXPECT_EQ(std::memcmp(two.worker[1].regions.at(address).data(), "changed", 8), 0);
  two.memory[1]->dismiss(address);
  EXPECT_FALSE(two.worker[1].regions.contains(address));
  EXPECT_TRUE(two.worker[0].regions.contains(address));
  two.memory[0]->release(p);
  EXPECT_FALSE(two.memory[1]->admit(1 << 20, 64, p, nullptr)) << "not in the window";
  EXPECT_NE(two.memory[1]->allocate(10000), nullptr) << "of its own half";
}

}  // namespace
}  // namespace hipr::client
