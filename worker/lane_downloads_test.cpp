// Downloads over lanes: every byte comes, nothing that implies them comes before, whatever becomes of a lane.
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <future>
#include <set>

#include "worker/session_fixture.h"

namespace hipr::worker {
namespace {

using wire::Opcode;

constexpr std::uint64_t kUp = 5, kDown = 6;

bool same(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

// A client whose downloads have lanes. One thread: it takes in whatever comes, from wherever, until it has what it
// wants.
class DownloadClient {
 public:
  explicit DownloadClient(std::size_t size, bool direct = false, Peering peering = {}, const Limits& limits = {})
      : bytes(pattern(size)),
        memory(size),
        s({.cpuReachesMemory = direct}, 4096 * kMiB, limits, {}, std::move(peering)) {
    s.client->hello();
    s.client->send<Opcode::kMapMemory>({0, kTestDeviceBase, 128 * kMiB});
    s.client->send<Opcode::kUpload>(uploadLater(kNull, shape(), kUp));
    for (std::size_t at = 0; at < size; at += kMiB)
      s.client->sendData(kUp, at, wire::Bytes(bytes).subspan(at, std::min<std::size_t>(kMiB, size - at)));
    EXPECT_EQ(s.client->ask<Opcode::kStreamSynchronize>({kNull}), hipSuccess);
    s.client->seen.clear();
  }

  wire::Shape shape() const { return {kTestDeviceBase, 0, 0, bytes.size()}; }

  void join(std::uint32_t number) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) std::abort();
    auto& lane = *lanes.emplace(number, std::make_unique<TestClient>(net::Socket(ends[0]))).first->second;
    s.session().lanes().join(number, net::overSocket(net::Socket(ends[1]), 60));
    const auto frame = lane.next();
    EXPECT_TRUE(frame && frame->opcode() == Opcode::kJoin);
  }
  void use(std::vector<std::uint32_t> numbers, bool all = true, std::uint64_t least = 0) {
    s.client->send<Opcode::kDownloadLanes>({std::move(numbers), least, all});
  }
  void begin() { request = s.client->send<Opcode::kDownload>({kNull, shape(), kDown}); }

  // Takes in what comes next. False: nothing does, for so long.
  bool takeOne(int milliseconds = 20000) {
    std::vector<pollfd> ends{{s.client->socket().fd(), POLLIN, 0}};
    std::vector<std::uint32_t> numbers{0};
    for (const auto& [number, lane] : lanes) {
      if (!lane || onlyOwn || early.contains(number)) continue;
      ends.push_back({lane->socket().fd(), POLLIN, 0});
      numbers.push_back(number);
    }
    if (poll(ends.data(), ends.size(), milliseconds) <= 0) return false;
    const auto ready = static_cast<std::size_t>(
        std::ranges::find_if(ends, [](const pollfd& end) { return end.revents != 0; }) - ends.begin());
    if (ready == 0) return takeOwn();
    auto frame = lanes[numbers[ready]]->next();
    if (!frame) {
      lanes[numbers[ready]].reset();  // the worker has ended it
      return true;
    }
    early.emplace(numbers[ready], std::move(*frame));
    match();
    return true;
  }
  template <class Condition>
  void until(Condition condition) {
    while (!condition()) ASSERT_TRUE(takeOne()) << "nothing comes";
  }
  void expectAll() {
    until([&] { return answers.contains(request); });
    EXPECT_EQ(answers[request], hipSuccess);
    EXPECT_TRUE(same(memory, bytes));
  }
  void lose(std::uint32_t number) {
    lanes[number].reset();
    early.erase(number);
    lost.insert(number);
    match();
  }
  void answer(std::uint64_t offset, bool came) { s.client->send<Opcode::kNamedDataAnswer>({kDown, offset, came}); }
  void speak() {  // what was not said, and from now on
    silent = false;
    for (const auto& [offset, came] : std::exchange(unsaid, {})) answer(offset, came);
  }

  std::vector<std::byte> bytes, memory;
  SessionOnFake s;
  std::uint32_t request = 0;
  std::map<std::uint32_t, std::unique_ptr<TestClient>> lanes;     // null: it has ended
  std::map<std::uint32_t, std::deque<wire::LaneData>> announced;  // and not answered, of each
  std::map<std::uint32_t, Frame> early;                           // of a lane: it has come, and is not announced
  std::set<std::uint32_t> lost;
  std::map<std::uint32_t, int> answers;         // by request
  std::map<std::uint32_t, std::size_t> pieces;  // that came, by lane; 0: the session's own connection
  std::size_t packed = 0;
  bool onlyOwn = false;  // it takes nothing from lanes
  bool silent = false;   // it says nothing about what comes
  std::deque<std::pair<std::uint64_t, bool>> unsaid;

 private:
  bool takeOwn() {
    auto frame = s.client->next();
    if (!frame) return false;
    if (frame->isReply()) {
      answers[frame->header.request] = TestClient::decode<wire::Done>(*frame).status;
    } else if (frame->opcode() == Opcode::kLaneData) {
      const auto piece = TestClient::decode<wire::LaneData>(*frame);
      EXPECT_EQ(piece.offset, std::exchange(next_, next_ + piece.size));
      announced[piece.lane].push_back(piece);
    } else if (frame->opcode() == Opcode::kData || frame->opcode() == Opcode::kPackedData) {
      const std::uint64_t offset = place(0, *frame);
      if (offset == next_) {
        next_ += size_;
      } else {
        EXPECT_TRUE(again_.erase(offset)) << "data out of order";
      }
    } else {
      s.client->seen.push_back(std::move(*frame));
    }
    match();
    return true;
  }
  // Pieces and the words about them.
  void match() {
    for (auto& [number, words] : announced) {
      while (!words.empty() && (lost.contains(number) || early.contains(number))) {
        const wire::LaneData word = words.front();
        words.pop_front();
        const bool came = !lost.contains(number);
        if (came) {
          EXPECT_EQ(place(number, early.at(number)), word.offset);
          EXPECT_EQ(size_, word.size);
          early.erase(number);
        } else {
          again_.insert(word.offset);
        }
        silent ? unsaid.emplace_back(word.offset, came), void() : answer(word.offset, came);
      }
    }
  }
  std::uint64_t place(std::uint32_t from, const Frame& frame) {
    const bool isPacked = frame.opcode() == Opcode::kPackedData;
    std::uint64_t prefix[3] = {};
    const std::size_t prefixed = isPacked ? wire::kPackedDataPrefix : wire::kDataPrefix;
    std::memcpy(prefix, frame.payload.data(), prefixed);
    const wire::Bytes came = wire::Bytes(frame.payload).subspan(prefixed);
    size_ = isPacked ? prefix[2] : came.size();
    EXPECT_EQ(prefix[0], kDown);
    EXPECT_LE(prefix[1] + size_, memory.size());
    const auto room = std::span(memory).subspan(prefix[1], size_);
    if (isPacked) {
      EXPECT_TRUE(net::Unpacker().unpack(came, room));
      ++packed;
    } else {
      std::memcpy(room.data(), came.data(), came.size());
    }
    ++pieces[from];
    return prefix[1];
  }

  std::uint64_t next_ = 0, size_ = 0;
  std::set<std::uint64_t> again_;  // lost, and to come once more
};

class LaneDownload : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Memory, LaneDownload, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Direct" : "Staged"; });

TEST_P(LaneDownload, GoesOverTheLanesAlone) {
  DownloadClient c(9 * kMiB + 100000, GetParam());
  c.join(1);
  c.join(2);
  c.use({1, 2});
  c.begin();
  c.expectAll();
  EXPECT_EQ(c.pieces[0], 0u);
  EXPECT_GT(c.pieces[1], 0u);
  EXPECT_GT(c.pieces[2], 0u);
}

TEST_P(LaneDownload, GoesOverAllConnections) {
  DownloadClient c(24 * kMiB, GetParam());
  c.join(1);
  c.use({1}, false);
  c.onlyOwn = true;
  c.begin();
  c.until([&] { return c.pieces[0] > 0; });  // the lane has enough for the moment
  c.onlyOwn = false;
  c.expectAll();
  EXPECT_GT(c.pieces[1], 0u);
}

TEST_P(LaneDownload, OfLittleDoesNot) {
  DownloadClient c(2 * kMiB, GetParam());
  c.join(1);
  c.use({1}, true, 2 * kMiB + 1);
  c.begin();
  c.expectAll();
  EXPECT_EQ(c.pieces[1], 0u);
}

TEST_P(LaneDownload, WhatALaneLosesComesOverTheOwnConnection) {
  DownloadClient c(12 * kMiB, GetParam());
  c.join(1);
  c.use({1});
  c.begin();
  c.until([&] { return c.pieces[1] == 2; });
  c.lose(1);
  c.expectAll();
  EXPECT_EQ(c.pieces[1], 2u);
  EXPECT_GT(c.pieces[0], 0u);
}

TEST_P(LaneDownload, ALaneThatIsLostBeforeItCarriesAnythingIsNoLoss) {
  DownloadClient c(12 * kMiB, GetParam());
  c.join(1);
  c.lose(1);
  c.use({1});
  c.begin();
  c.expectAll();
  EXPECT_EQ(c.pieces[1], 0u);
}

// Another lane goes on, and has what it can.
TEST_P(LaneDownload, OneOfTwoIsLost) {
  DownloadClient c(40 * kMiB, GetParam());
  c.join(1);
  c.join(2);
  c.use({1, 2});
  c.begin();
  c.until([&] { return c.pieces[1] == 1; });
  c.lose(1);
  c.use({2});
  c.expectAll();
  EXPECT_GT(c.pieces[2], 8u);
}

// The client learns by no answer that the download is done before it has said that every piece came.
TEST_P(LaneDownload, NobodyTellsOfWhatHasNotArrived) {
  DownloadClient c(2 * kMiB, GetParam());
  c.join(1);
  c.use({1});
  c.silent = true;
  c.begin();
  const std::uint32_t wait = c.s.client->send<Opcode::kStreamSynchronize>({kNull});
  c.s.client->send<Opcode::kStreamWatch>({kNull});
  c.until([&] { return c.unsaid.size() == 2; });
  while (c.takeOne(150)) {
  }
  EXPECT_TRUE(c.answers.empty());
  EXPECT_FALSE(c.s.client->sawPush(Opcode::kProgress));
  EXPECT_EQ(c.s.client->ask<Opcode::kPing>({}), hipSuccess) << "others do not wait";
  c.answer(c.unsaid[0].first, true);
  EXPECT_FALSE(c.takeOne(150));
  c.answer(c.unsaid[1].first, true);
  c.expectAll();
  c.until([&] { return c.answers.contains(wait); });
  EXPECT_EQ(c.answers[wait], hipSuccess);
}

// What is said to be lost comes before the answer, though several threads wait for it.
TEST_P(LaneDownload, WhatIsLostInTheEndComesBeforeTheAnswer) {
  DownloadClient c(3 * kMiB, GetParam());
  c.join(1);
  c.use({1});
  c.silent = true;
  c.begin();
  const std::uint32_t wait = c.s.client->send<Opcode::kStreamSynchronize>({kNull});
  c.until([&] { return c.pieces[1] == 1; });
  c.lose(1);
  c.speak();
  c.until([&] { return c.answers.contains(wait); });
  EXPECT_EQ(c.pieces[0], 2u);
  EXPECT_TRUE(same(c.memory, c.bytes));
  c.expectAll();
}

TEST(LaneDownloads, ArePackedWhereThatWasAsked) {
  DownloadClient c(4 * kMiB);
  c.bytes.assign(4 * kMiB, std::byte{7});
  c.s.client->send<Opcode::kPackDownloads>({true});
  c.s.client->send<Opcode::kFillMemory>(fillWith(kNull, c.shape(), 7, 1));
  c.join(1);
  c.use({1});
  c.begin();
  c.expectAll();
  EXPECT_EQ(c.packed, 4u);
  EXPECT_EQ(c.pieces[1], 4u);
}

TEST(LaneDownloads, ALaneThatIsNotUsedAnyMoreEndsBehindItsLastPiece) {
  DownloadClient c(80 * kMiB);
  c.join(1);
  c.use({1});
  c.silent = true;  // so that 64 pieces at most are given to the lane before the worker hears
  c.begin();
  c.until([&] { return c.pieces[1] == 1; });
  c.use({});
  c.speak();
  c.expectAll();
  EXPECT_GT(c.pieces[0], 0u);
  c.until([&] { return !c.lanes[1]; });
  EXPECT_TRUE(c.lost.empty());
}

TEST(LaneDownloads, AClientThatSaysNothingGetsSoMuchAndNoMore) {
  DownloadClient c(100 * kMiB);
  c.join(1);
  c.use({1});
  c.silent = true;
  c.begin();
  c.until([&] { return c.pieces[1] == 64; });
  while (c.takeOne(100)) {
  }
  EXPECT_EQ(c.pieces[1], 64u);
  c.speak();
  c.expectAll();
}

// What is kept for a client that is slow to answer must not make the download fail.
TEST(LaneDownloads, ALittlePinnedMemoryIsEnough) {
  for (const std::uint64_t most : {24, 40}) {
    DownloadClient c(64 * kMiB, false, {}, with(Quota::kStagedBytes, most * kMiB));
    c.join(1);
    c.use({1});
    c.silent = true;
    c.begin();
    c.until([&] { return c.pieces[1] >= most / 2; });
    while (c.takeOne(100)) {
    }
    c.speak();
    c.expectAll();
  }
}

// A download that fails is answered at once, and nothing of it follows, whatever is said about its pieces afterwards.
TEST(LaneDownloads, AFailureWaitsForNoPiece) {
  DownloadClient c(32 * kMiB);
  c.join(1);
  c.use({1});
  c.silent = true;
  c.begin();
  c.until([&] { return c.unsaid.size() == 2; });
  c.s.fake.failWork(hipErrorLaunchFailure);
  c.until([&] { return c.answers.contains(c.request); });
  EXPECT_EQ(c.answers[c.request], hipErrorLaunchFailure);
  c.lose(1);
  c.speak();
  while (c.takeOne(100)) {
  }
  EXPECT_EQ(c.pieces[0], 0u);
  EXPECT_EQ(c.s.client->ask<Opcode::kPing>({}), hipSuccess);
}

// Whoever answers something else meanwhile, and finds it among what is to be sent first, sends nothing of it either.
TEST(LaneDownloads, NobodySendsOfOneThatHasFailed) {
  constexpr std::uint64_t kOther = 4 * kMiB, kLast = wire::kFirstObject + 9;
  std::promise<void> failed, goOn;
  DownloadClient c(8 * kMiB);
  TestClient& client = *c.s.client;
  for (const std::uint64_t stream : {kStream, kLast})
    client.send<Opcode::kStreamCreate>({stream, 0, hipStreamNonBlocking});
  client.send<Opcode::kExposeHost>({kTestHostBase, kOther, 1});
  c.join(1);
  c.use({1}, true, kOther + 1);
  const auto other = client.send<Opcode::kDownload>({kNull, {kTestHostBase, 0, 0, kOther}, kDown + 1});
  pollfd begun{client.socket().fd(), POLLIN, 0};
  ASSERT_EQ(poll(&begun, 1, 20000), 1);  // it has begun, and waits for this side to read

  const int before = c.s.fake.commands();
  c.s.fake.hold();
  const auto failing = client.send<Opcode::kDownload>({kStream, c.shape(), kDown});
  const wire::Shape there{kTestDeviceBase + 64 * kMiB, 0, 0, 4096};
  client.send<Opcode::kFillMemory>(fillWith(kStream, there, 7, 1));
  client.send<Opcode::kFillMemory>(fillWith(kLast, {there.address, 0, 0, 2048}, 7, 2));  // all has been read by then
  for (int i = 0; i < 2000 && c.s.fake.commands() < before + 9; ++i)  // four pieces, their events, the last one
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  c.s.fake.stopNext("hipMemsetAsync", [&] {  // what is behind it begins
    failed.set_value();
    goOn.get_future().wait();
  });
  c.s.fake.failNext("hipMemcpyAsync");
  c.s.fake.release();
  ASSERT_EQ(failed.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
  c.s.fake.awaitIdle();

  bool answered = false, announced = false;
  while (!answered && !announced) {
    const auto frame = client.next();
    if (!frame) break;
    answered = frame->isReply() && frame->header.request == other;
    announced = frame->opcode() == Opcode::kLaneData;
  }
  goOn.set_value();
  ASSERT_TRUE(answered);
  EXPECT_EQ(client.status(failing), hipErrorInvalidValue);
}

TEST(LaneDownloads, ASessionThatEndsWaitsForNobody) {
  for (const bool direct : {false, true}) {
    DownloadClient c(100 * kMiB, direct);
    c.join(1);
    c.use({1});
    c.silent = true;
    c.begin();
    c.s.client->send<Opcode::kStreamSynchronize>({kNull});
    c.until([&] { return c.unsaid.size() == 3; });
    c.s.end();
  }
}

// It tells of itself behind the download, on a thread of its own.
TEST(LaneDownloads, ACopyToAnotherWorkerBehindOneEndsWithTheSession) {
  std::atomic<bool> began{false};
  DownloadClient c(kMiB, false, {.connect = [&](const std::string&) {
                     began = true;
                     return Descriptor();
                   }});
  c.join(1);
  c.use({1});
  c.silent = true;
  c.begin();
  c.s.client->send<Opcode::kBring>({kNull, c.shape(), "there", {}});
  c.until([&] { return c.unsaid.size() == 1; });
  for (int i = 0; i < 2000 && !began; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_TRUE(began);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until it waits
  c.s.end();
}

TEST(LaneDownloads, WhatCannotBeEndsTheSession) {
  const std::vector<std::function<void(DownloadClient&)>> mistakes = {
      [](DownloadClient& c) { c.use({2}); },
      [](DownloadClient& c) { c.use({0}); },
      [](DownloadClient& c) { c.use({1, 1, 1, 1, 1}); },
      [](DownloadClient& c) { c.answer(3 * kMiB, true); },
      [](DownloadClient& c) { c.s.client->send<Opcode::kNamedDataAnswer>({kDown + 1, 0, true}); },
      [](DownloadClient& c) {  // twice
        c.answer(0, true);
        c.answer(0, true);
      },
      [](DownloadClient& c) {
        c.answer(0, false);
        c.answer(0, false);
      }};
  for (std::size_t i = 0; i < mistakes.size(); ++i) {
    SCOPED_TRACE(i);
    DownloadClient c(kMiB);
    c.join(1);
    c.use({1});
    c.silent = true;
    c.begin();
    c.until([&] { return c.unsaid.size() == 1; });
    mistakes[i](c);
    EXPECT_TRUE(c.s.client->expectPush<wire::Refused>(Opcode::kRefused));
    c.s.client->socket().shutdown();
    EXPECT_EQ(c.s.finish().code(), Code::kInvalid);
  }
}

}  // namespace
}  // namespace hipr::worker
