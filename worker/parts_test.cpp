// The worker's smaller parts: ledger, code cache, outbox, output, property conversion, runtime choice.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "access/digest.h"
#include "code_object/code_object.h"
#include "net/socket_transport.h"
#include "worker/code_cache.h"
#include "worker/credit.h"
#include "worker/desk.h"
#include "worker/leaving.h"
#include "worker/ledger.h"
#include "worker/outbox.h"
#include "worker/output.h"
#include "worker/pace.h"
#include "worker/platform.h"
#include "worker/runtime_choice.h"

namespace hipr::worker {
namespace {

TEST(Ledger, GrantsWhatThereIsAndTakesItBack) {
  Ledger ledger({100, 50}, 3);
  EXPECT_EQ(ledger.grant(0, 0, 60), 60u);
  EXPECT_EQ(ledger.grant(0, 1, 60), 0u) << "not what is left, which others can use";
  EXPECT_EQ(ledger.grant(0, 1, 40), 40u);
  EXPECT_EQ(ledger.grant(0, 2, 1), 0u);
  EXPECT_EQ(ledger.grant(1, 1, 50), 50u);
  EXPECT_EQ(ledger.promised(0, 1), 40u);
  ledger.close(1);
  EXPECT_EQ(ledger.available(0), 40u);
  EXPECT_EQ(ledger.available(1), 50u);
  EXPECT_EQ(ledger.promised(0, 0), 60u);
}

TEST(Ledger, WhatIsAskedForBeyondTheNeedIsLittleOfTheRest) {
  Ledger ledger({1000}, 2);
  EXPECT_EQ(ledger.grant(0, 0, 200, 250), 250u);
  EXPECT_EQ(ledger.grant(0, 0, 350, ~std::uint64_t{0}), 400u) << "an eighth of what nobody needs";
  EXPECT_EQ(ledger.grant(0, 1, 350, 1000), 350u);
  ledger.giveBack(0, 0, 5000);
  EXPECT_EQ(ledger.available(0), 650u) << "no more than it had";
}

TEST(Ledger, NobodyGetsMoreThanItsLimit) {
  Ledger ledger({1000}, 2, 300);
  EXPECT_EQ(ledger.grant(0, 0, 301), 0u);
  EXPECT_EQ(ledger.grant(0, 0, 290, 400), 300u);
  EXPECT_EQ(ledger.grant(0, 0, 1), 0u);
  EXPECT_EQ(ledger.grant(0, 1, 300), 300u);
}

// The books are the supervisor's: whatever a session says, it gets what there is, on its own account.
TEST(Credit, IsAskedForThroughASocket) {
  Ledger ledger({1000, 10, 100}, 2);
  Shares shares(2);
  Tickets tickets;
  Peers peers;
  const std::string nobody;
  const auto allowance = [&](int device) { return device == 2 ? 50 - ledger.promised(2, 1) : UINT64_MAX; };
  const std::int32_t devices[] = {0, 1, 2};
  const Caller caller{1, nobody, devices, allowance, [] { return Descriptor(); }};
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
  net::Socket supervisor(ends[0]);
  const int session = dup(ends[1]);
  std::thread books([&] {
    for (pollfd entry{supervisor.fd(), POLLIN, 0}; poll(&entry, 1, 10'000) > 0;)
      if (!attend(supervisor, caller, {ledger, shares, tickets, peers})) return;
  });
  {
    SupervisorLink link{net::Socket(ends[1])};
    AskedCredit credit(link);
    EXPECT_EQ(credit.available(0), 1000u);
    EXPECT_EQ(credit.grant(0, 300, 0), 300u);
    EXPECT_EQ(credit.grant(0, ~std::uint64_t{0}, 0), 0u);
    EXPECT_EQ(credit.grant(0, 700, 0), 700u);
    EXPECT_EQ(credit.grant(3, 1, 0), 0u);  // no such device
    EXPECT_EQ(credit.available(2), 50u);
    EXPECT_EQ(credit.grant(2, 51, 0), 0u);  // there is that much, but not for this client
    EXPECT_EQ(credit.welcome(2), 1u);
    EXPECT_EQ(credit.grant(2, 49, 90), 49u);
    EXPECT_EQ(credit.welcome(2), 0u);
    EXPECT_EQ(credit.available(2), 0u);
    EXPECT_EQ(credit.grant(-1, 1, 0), 0u);
    EXPECT_EQ(credit.promised(0), 1000u);
    const char nonsense[] = "give me everything";
    EXPECT_EQ(send(session, nonsense, sizeof nonsense, 0), static_cast<ssize_t>(sizeof nonsense));
    Answer answer{1, {}};
    EXPECT_EQ(recv(session, &answer, sizeof answer, 0), static_cast<ssize_t>(sizeof answer));
    EXPECT_EQ(answer.value, 0u);
  }
  close(session);
  books.join();
  EXPECT_EQ(ledger.promised(0, 1), 1000u);
  EXPECT_EQ(ledger.promised(0, 0), 0u);
  EXPECT_EQ(ledger.available(1), 10u);
}

// A session that may have some of the devices has numbers of its own for them.
TEST(Credit, IsOfTheDevicesThatASessionHas) {
  Ledger ledger({1000, 10, 100}, 1);
  Shares shares(1);
  Tickets tickets;
  Peers peers;
  const std::string nobody;
  const std::int32_t devices[] = {2, 0};
  const Caller caller{0, nobody, devices, [](int) { return UINT64_MAX; }, [] { return Descriptor(); }};
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
  const net::Socket supervisor(ends[0]), session(ends[1]);
  const auto ask = [&](const Question& question) {
    Answer answer;
    EXPECT_EQ(send(session.fd(), &question, sizeof question, 0), static_cast<ssize_t>(sizeof question));
    EXPECT_TRUE(attend(supervisor, caller, {ledger, shares, tickets, peers}));
    EXPECT_EQ(recv(session.fd(), &answer, sizeof answer, 0), static_cast<ssize_t>(sizeof answer));
    return answer.value;
  };
  EXPECT_EQ(ask({.wish = Wish::kGrant, .device = 0, .bytes = 30}), 30u);
  EXPECT_EQ(ask({.wish = Wish::kAvailable, .device = 1}), 1000u);
  EXPECT_EQ(ask({.wish = Wish::kAvailable, .device = 2}), 0u);
  EXPECT_EQ(ask({.wish = Wish::kAvailable, .device = -1}), 0u);
  EXPECT_EQ(ledger.promised(2, 0), 30u);
  EXPECT_EQ(ledger.promised(0, 0), 0u);
}

TEST(Pace, SoManyAtOnceAndSoManyASecond) {
  Pace pace;
  const auto start = Pace::Clock::now();
  const auto asked = [&](Pace::Clock::time_point now) {
    int count = 0;
    for (; pace.open(now); ++count) pace.count(now);
    return count;
  };
  EXPECT_EQ(asked(start), Pace::kAtOnce + 1);  // one that is open by a hair
  EXPECT_EQ(asked(start), 0);
  EXPECT_GT(pace.opens(), start);
  EXPECT_EQ(asked(start + std::chrono::milliseconds(100)), Pace::kEachSecond / 10);
  EXPECT_EQ(asked(start + std::chrono::hours(1)), Pace::kAtOnce + 1);
}

TEST(Leaving, IsFreedOnceOrTakenBack) {
  int freed = 0;
  LeavingList list;
  const auto first = list.add(0x1000, 0x1000, [&] { ++freed; }), second = list.add(0x4000, 0x1000, [&] { ++freed; });
  EXPECT_FALSE(list.claim(0x1000, 0x800));
  EXPECT_TRUE(list.claim(0x1000, 0x1000));
  first->free();
  EXPECT_EQ(freed, 0);
  EXPECT_TRUE(list.vacate(0x4800, 0x1000));
  second->free();
  EXPECT_EQ(freed, 1);
  EXPECT_FALSE(list.claim(0x4000, 0x1000));
}

// A runtime that waits for the device does not make the reader wait with it.
TEST(Leaving, IsNotWaitedForAsLongAsTheDeviceLikes) {
  std::promise<void> deviceIsIdle;
  LeavingList list;
  const auto leaving = list.add(0x1000, 0x1000, [&] { deviceIsIdle.get_future().wait(); });
  EXPECT_FALSE(list.vacate(0x1000, 0x2000));
  deviceIsIdle.set_value();
  leaving->free();
  EXPECT_TRUE(list.vacate(0x1000, 0x2000));
}

class CodeCacheTest : public testing::Test {
 protected:
  CodeCacheTest() : folder(testing::TempDir() + "hip-remote-cache-" + std::to_string(getpid())) {
    std::filesystem::remove_all(folder);
  }
  ~CodeCacheTest() override { std::filesystem::remove_all(folder); }

  static std::vector<std::byte> code(int seed, std::size_t size) {
    return std::vector<std::byte>(size, static_cast<std::byte>(seed));
  }
  static CodeCache::Hash hashOf(const std::vector<std::byte>& bytes) { return access::digestOf(bytes); }
  std::unique_ptr<CodeCache> cache(const std::string& identity = "me", std::uint64_t limit = 1 << 20) {
    return std::make_unique<CodeCache>(folder, identity, limit, meter);
  }
  static void put(CodeCache& cache, const std::vector<std::byte>& bytes) {
    CodeCache::Code out;
    ASSERT_TRUE(cache.receive(hashOf(bytes), bytes, out).ok());
    cache.store(hashOf(bytes));
  }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".co") out.push_back(entry.path());
    return out;
  }
  const std::string folder;
  Meter meter{Limits(), SessionCounters::nobody()};
};

TEST_F(CodeCacheTest, KeepsCodeForTheNextSession) {
  const auto bytes = code(1, 1000);
  CodeCache::Code loaded;
  put(*cache(), bytes);
  const auto next = cache();
  ASSERT_EQ(next->known(), std::vector{hashOf(bytes)});
  ASSERT_TRUE(next->load(hashOf(bytes), loaded).ok());
  EXPECT_EQ(*loaded, bytes);
}

TEST_F(CodeCacheTest, IsNobodyElses) {
  const auto bytes = code(1, 1000);
  put(*cache("me"), bytes);
  CodeCache::Code out;
  EXPECT_TRUE(cache("you")->known().empty());
  EXPECT_EQ(cache("you")->load(hashOf(bytes), out).code(), Code::kNotFound);
}

TEST_F(CodeCacheTest, StoresNothingByItself) {
  const auto bytes = code(1, 1000);
  CodeCache::Code out;
  ASSERT_TRUE(cache()->receive(hashOf(bytes), bytes, out).ok());  // perhaps no code object at all
  EXPECT_TRUE(files().empty());
}

TEST_F(CodeCacheTest, RefusesAWrongHashAndADamagedFile) {
  const auto bytes = code(1, 1000);
  CodeCache::Code out;
  EXPECT_EQ(cache()->receive({{1, 2}}, bytes, out).code(), Code::kInvalid);
  put(*cache(), bytes);
  ASSERT_EQ(files().size(), 1u);
  std::ofstream(files()[0], std::ios::app) << "x";
  EXPECT_EQ(cache()->load(hashOf(bytes), out).code(), Code::kNotFound);
  EXPECT_TRUE(cache()->known().empty());
}

TEST_F(CodeCacheTest, UnpacksWhatWasPackedAndNothingElse) {
  const auto bytes = code(1, 100'000);
  std::vector<std::byte> packed;
  ASSERT_TRUE(net::Packer().pack(bytes, packed));
  const auto mine = cache();
  CodeCache::Code out;
  ASSERT_TRUE(mine->unpack({hashOf(bytes), bytes.size(), packed}).ok());
  ASSERT_TRUE(mine->load(hashOf(bytes), out).ok());
  EXPECT_EQ(*out, bytes);

  EXPECT_EQ(mine->unpack({{{1, 2}}, bytes.size(), packed}).code(), Code::kInvalid);
  EXPECT_EQ(mine->unpack({hashOf(bytes), bytes.size() + 1, packed}).code(), Code::kInvalid);
  EXPECT_EQ(mine->unpack({hashOf(bytes), packed.size(), packed}).code(), Code::kInvalid);
  EXPECT_EQ(mine->unpack({hashOf(bytes), wire::kMaxPayload + 1, packed}).code(), Code::kInvalid);
  Limits little;
  little.set(Quota::kCodeBytes, 1000);
  Meter strict{little, SessionCounters::nobody()};
  EXPECT_EQ(CodeCache(folder, "me", 1 << 20, strict).unpack({hashOf(bytes), bytes.size(), packed}).code(),
            Code::kExhausted);
}

TEST_F(CodeCacheTest, NeverWritesAFileAgain) {
  const auto bytes = code(1, 1000);
  put(*cache(), bytes);
  ASSERT_EQ(files().size(), 1u);
  std::ofstream(files()[0]) << "other";
  put(*cache(), bytes);
  EXPECT_EQ(std::filesystem::file_size(files()[0]), 5u);
}

TEST_F(CodeCacheTest, RemovesWhatWasUsedLongestAgoToStayWithinItsLimit) {
  using namespace std::chrono_literals;
  for (int i = 0; i < 3; ++i) put(*cache("me", 24 << 10), code(i, 1000));  // 8 KiB each, with what a file costs
  ASSERT_EQ(files().size(), 3u);
  for (const auto& file : files())
    std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() - 1h);
  CodeCache::Code out;
  ASSERT_TRUE(cache()->load(hashOf(code(1, 1000)), out).ok());  // used just now
  put(*cache("me", 24 << 10), code(3, 1000));
  EXPECT_EQ(files().size(), 3u);
  EXPECT_TRUE(cache()->load(hashOf(code(1, 1000)), out).ok());
  EXPECT_TRUE(cache()->load(hashOf(code(3, 1000)), out).ok());
  for (int i = 10; i < 30; ++i) {  // one session that never stops
    put(*cache("me", 24 << 10), code(i, 1000));
    EXPECT_LE(files().size(), 3u);
  }
}

TEST_F(CodeCacheTest, WhatASessionWasToldOfStaysWhileItLives) {
  put(*cache("me", 16 << 10), code(1, 1000));
  put(*cache("me", 16 << 10), code(2, 1000));
  const auto told = cache("me", 16 << 10);
  EXPECT_EQ(told->known().size(), 2u);
  put(*cache("me", 16 << 10), code(3, 1000));  // there is no room for it now
  CodeCache::Code out;
  EXPECT_TRUE(told->load(hashOf(code(1, 1000)), out).ok());
  EXPECT_TRUE(told->load(hashOf(code(2, 1000)), out).ok());
  EXPECT_EQ(cache()->load(hashOf(code(3, 1000)), out).code(), Code::kNotFound);
}

TEST_F(CodeCacheTest, WithoutAFolderLastsForTheSession) {
  const auto bytes = code(1, 10);
  CodeCache here("", "me", 1 << 20, meter);
  put(here, bytes);
  CodeCache::Code out;
  EXPECT_TRUE(here.load(hashOf(bytes), out).ok());
  EXPECT_TRUE(here.known().empty());
}

TEST_F(CodeCacheTest, AClientMayHaveSoMuchCode) {
  Limits limits;
  ASSERT_TRUE(limits.set("code-memory=1500").ok());
  Meter small(limits, SessionCounters::nobody());
  CodeCache here("", "me", 1 << 20, small);
  CodeCache::Code out;
  EXPECT_TRUE(here.receive(hashOf(code(1, 1000)), code(1, 1000), out).ok());
  EXPECT_EQ(here.receive(hashOf(code(2, 1000)), code(2, 1000), out).code(), Code::kExhausted);
  EXPECT_TRUE(here.receive(hashOf(code(1, 1000)), code(1, 1000), out).ok());
}

TEST(SessionLimits, AreSetByName) {
  Limits limits;
  EXPECT_TRUE(limits.set("events=7").ok());
  EXPECT_TRUE(limits.set("host-memory=4G").ok());
  EXPECT_EQ(limits[Quota::kEvents], 7u);
  EXPECT_EQ(limits[Quota::kHostBytes], std::uint64_t{4} << 30);
  for (const char* wrong : {"", "events", "events=", "events=-1", "events=0", "events=1X", "cats=1", "events=99999999T",
                            "compute=0", "compute=101"})
    EXPECT_FALSE(limits.set(wrong).ok()) << wrong;
  EXPECT_EQ(limits[Quota::kEvents], 7u);
}

void receiveAll(net::Transport& from, std::span<std::byte> out) {
  while (!out.empty()) {
    std::size_t got = 0;
    ASSERT_TRUE(from.receive({&out, 1}, net::Transport::Patience::kWait, &got).ok());
    out = out.subspan(got);
  }
}

TEST(Outbox, ASmallFrameNeverWaitsForAPeerThatDoesNotRead) {
  auto [near, theirs] = net::loopback();
  net::Channel ours(std::move(near));
  {
    Outbox outbox(ours);
    std::thread bulk(
        [&] { outbox.sendBulk(std::vector<std::byte>(10, std::byte{1}), std::vector<std::byte>(4 << 20), 1); });
    std::vector<std::byte> head(10);
    receiveAll(*theirs, head);  // it has begun: it fills the socket and waits
    EXPECT_EQ(head, std::vector<std::byte>(10, std::byte{1}));
    for (int i = 0; i < 1000; ++i) outbox.post(std::vector<std::byte>(100, std::byte{2}));
    // None of that took any reading by the peer. Now it reads everything, in order.
    std::vector<std::byte> got((4 << 20) + 100000);
    receiveAll(*theirs, got);
    EXPECT_EQ(got.front(), std::byte{0});
    EXPECT_EQ(got[got.size() - 100001], std::byte{0});
    EXPECT_EQ(got[got.size() - 100000], std::byte{2});
    EXPECT_EQ(got.back(), std::byte{2});
    bulk.join();
  }
}

TEST(Outbox, LeftoversAreSentWithoutAnotherPost) {
  auto [near, theirs] = net::loopback();
  net::Channel ours(std::move(near));
  Outbox outbox(ours);
  const std::vector<std::byte> frame(3 << 20, std::byte{7});
  outbox.post(frame);  // more than the socket takes at once
  std::vector<std::byte> got(frame.size());
  receiveAll(*theirs, got);
  EXPECT_EQ(got, frame);
}

TEST(Outbox, BulkDataGoesInSmallerPartsOverAThinLine) {
  auto [near, theirs] = net::loopback();
  net::Channel ours(std::move(near));
  ours.keepSent();
  Outbox outbox(ours);
  constexpr std::size_t kBytes = 2 << 20;
  EXPECT_EQ(outbox.bulkAtOnce(), wire::kMaxDataChunk) << "nothing is known of it";
  std::vector<std::byte> got(kBytes);
  std::thread reader([&] { receiveAll(*theirs, got); });
  outbox.sendBulk({}, std::vector<std::byte>(kBytes), 1);
  reader.join();
  std::this_thread::sleep_for(std::chrono::milliseconds(40));  // which is 52 MB/s
  outbox.acknowledged(kBytes);
  EXPECT_LE(outbox.bulkAtOnce(), wire::kMaxDataChunk / 4);
  EXPECT_GE(outbox.bulkAtOnce(), 64u << 10);
}

TEST(Output, IsReadWhileItsWriterHasStdoutLocked) {
  const pid_t child = fork();
  if (child == 0) {  // it loses its stdout for good
    alarm(60);
    auto [near, theirs] = net::loopback();
    net::Channel ours(std::move(near));
    Outbox outbox(ours);
    const auto relay = OutputRelay::capture();
    relay->forwardTo(outbox);
    flockfile(stdout);
    const std::string text(1 << 20, 'x');  // more than a pipe takes
    _exit(write(STDOUT_FILENO, text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Properties, OfHip5BecomeThoseOfHip6) {
  hipDeviceProp_tR0000 old{};
  std::strcpy(old.name, "Old GPU");
  std::strcpy(old.gcnArchName, "gfx906:sramecc+");
  old.totalGlobalMem = 123;
  old.warpSize = 64;
  old.maxGridSize[2] = 77;
  old.maxSharedMemoryPerMultiProcessor = 65536;
  old.pciBusID = 3;
  const hipDeviceProp_tR0600 now = convertProperties(old);
  EXPECT_STREQ(now.name, "Old GPU");
  EXPECT_STREQ(now.gcnArchName, "gfx906:sramecc+");
  EXPECT_EQ(now.totalGlobalMem, 123u);
  EXPECT_EQ(now.warpSize, 64);
  EXPECT_EQ(now.maxGridSize[2], 77);
  EXPECT_EQ(now.sharedMemPerMultiprocessor, 65536u);
  EXPECT_EQ(now.pciBusID, 3);
}

TEST(RuntimeChoice, TriesTheNewestFirstAndSoftgpuLast) {
  const auto rocm = runtimeCandidates("rocm", "/opt/x/bin/hip-worker");
  EXPECT_EQ(rocm.front().path, "libamdhip64.so.7");
  EXPECT_FALSE(rocm.front().needsDevice);
  const auto all = runtimeCandidates("auto", "/opt/x/bin/hip-worker");
  ASSERT_EQ(all.size(), rocm.size() + 1);
  EXPECT_TRUE(all.front().needsDevice);
  EXPECT_FALSE(all.back().needsDevice);
  EXPECT_EQ(all.back().path, "/opt/x/lib/softgpu/libamdhip64.so.7");
  EXPECT_EQ(runtimeCandidates("/a/b.so", "x").front().path, "/a/b.so");
}

TEST(HipTable, AnAbsentFunctionSaysNotSupported) {
  HipTable hip;
  EXPECT_EQ(hip.hipDeviceReset(), hipErrorNotSupported);
  EXPECT_FALSE(hip.hipDeviceReset);
  EXPECT_STREQ(hip.errorName(hipErrorNoDevice), "unknown error");
}

}  // namespace
}  // namespace hipr::worker
