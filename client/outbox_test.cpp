#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <thread>

#include "client/outbox_fixture.h"

namespace hipr::client {
namespace {

using wire::Opcode;

TEST_F(OutboxTest, MessagesArriveInOrder) {
  for (std::uint64_t i = 0; i < 1000; ++i) post(i);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Frame frame = next();
    wire::StreamDestroy message;
    wire::Reader reader(frame.payload);
    reader.get(message);
    ASSERT_TRUE(reader.ok() && reader.atEnd());
    ASSERT_EQ(message.stream, i);
  }
}

// What nobody waits for is bounded, too: a worker that takes nothing has no reason to hear so much.
TEST_F(OutboxTest, AWorkerThatTakesNothingIsNotToldWithoutLimit) {
  outbox_.stop();
  net::Channel channel(std::move(other_.first));
  Outbox alone(channel, [](Status) {}, [] {});  // nobody sends
  std::size_t said = 0;
  while (said < 1 << 20 && alone.say(Opcode::kNamedDataAnswer, wire::NamedDataAnswer{1, said, true})) ++said;
  EXPECT_GE(said, wire::kMostUnanswered);
  EXPECT_LT(said, 1u << 14);
  alone.flush();
  EXPECT_TRUE(alone.say(Opcode::kNamedDataAnswer, wire::NamedDataAnswer{1, said, true}));
}

TEST_F(OutboxTest, UnopenedBulkStopsAtTheWindowAndSmallMessagesPassIt) {
  std::vector<std::byte> data(wire::kEagerWindow + (3 << 20), std::byte{7});
  const auto upload = std::make_shared<BulkUpload>();
  upload->transfer = 5;
  upload->from = {data.data(), data.size(), data.size(), data.size()};
  outbox_.append(Opcode::kUpload, 0, 0, uploadOf(5), false, [&] { outbox_.enqueue(upload); });
  EXPECT_EQ(next().header.opcode, static_cast<std::uint16_t>(Opcode::kUpload));
  std::size_t got = 0;
  while (got < wire::kEagerWindow) got += next().payload.size() - wire::kDataPrefix;
  EXPECT_EQ(got, wire::kEagerWindow);
  post(1);  // the upload is stuck; this is not
  EXPECT_EQ(next().header.opcode, static_cast<std::uint16_t>(Opcode::kStreamDestroy));
  EXPECT_FALSE(upload->finished);
  outbox_.open(5);
  while (got < data.size()) got += next().payload.size() - wire::kDataPrefix;
  outbox_.waitSent(upload);
  EXPECT_EQ(got, data.size());
}

TEST_F(OutboxTest, PitchedRowsArePacked) {
  std::vector<std::uint8_t> image(100 * 50);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::uint8_t>(i * 31);
  const auto upload = std::make_shared<BulkUpload>();
  upload->transfer = 9;
  upload->from = {reinterpret_cast<std::byte*>(image.data()), 100, 0, 30, 50, 1};
  outbox_.append(Opcode::kUpload, 0, 0, uploadOf(9), false, [&] { outbox_.enqueue(upload); });
  next();
  const Frame data = next();
  ASSERT_EQ(data.payload.size(), wire::kDataPrefix + 30 * 50);
  for (std::size_t row = 0; row < 50; ++row) {
    EXPECT_EQ(std::memcmp(data.payload.data() + wire::kDataPrefix + row * 30, image.data() + row * 100, 30), 0);
  }
  outbox_.waitSent(upload);
}

TEST_F(OutboxTest, MemoryThatIsHeldIsReadWhenItIsLetGo) {
  for (const bool early : {false, true}) {  // it may be let go before it is queued
    std::vector<std::byte> data(1000, std::byte{1});
    const auto upload = std::make_shared<BulkUpload>();
    upload->transfer = 3;
    upload->from = {data.data(), data.size(), data.size(), data.size()};
    upload->late = upload->held = true;
    if (early) outbox_.letGo(*upload);
    outbox_.append(Opcode::kUpload, 0, 0, uploadOf(3), false, [&] { outbox_.enqueue(upload); });
    EXPECT_EQ(next().header.opcode, static_cast<std::uint16_t>(Opcode::kUpload));
    if (!early) {
      post(1);  // neither this nor another upload waits for it
      EXPECT_EQ(next().header.opcode, static_cast<std::uint16_t>(Opcode::kStreamDestroy));
      EXPECT_TRUE(outbox_.uploading());
      std::ranges::fill(data, std::byte{2});
      outbox_.letGo(*upload);
    }
    const Frame frame = next();
    EXPECT_EQ(frame.header.opcode, static_cast<std::uint16_t>(Opcode::kData));
    ASSERT_EQ(frame.payload.size(), wire::kDataPrefix + data.size());
    EXPECT_EQ(std::memcmp(frame.payload.data() + wire::kDataPrefix, data.data(), data.size()), 0);
    while (outbox_.uploading()) std::this_thread::yield();  // it goes on to use the memory for a moment
  }
}

TEST_F(OutboxTest, MemoryThatIsHeldDoesNotKeepTheProcessFromEnding) {
  std::vector<std::byte> data(1000);
  const auto upload = std::make_shared<BulkUpload>();
  upload->from = {data.data(), data.size(), data.size(), data.size()};
  upload->late = upload->held = true;
  outbox_.append(Opcode::kUpload, 0, 0, uploadOf(3), false, [&] { outbox_.enqueue(upload); });
  const auto before = std::chrono::steady_clock::now();
  outbox_.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
  EXPECT_TRUE(upload->finished);
}

TEST_F(OutboxTest, AProcessWithoutThreadsSendsWhatIsQueuedAndGoodbye) {
  outbox_.stop();
  net::Channel channel(std::move(other_.first));
  Outbox alone(channel, [](Status) { ADD_FAILURE(); }, [] {});  // its writer was never started
  alone.append(Opcode::kStreamDestroy, 0, 0, wire::StreamDestroy{7}, false, [] {});
  alone.sayGoodbyeAlone();
  ends_.second = std::move(other_.second);
  EXPECT_EQ(next().header.opcode, static_cast<std::uint16_t>(Opcode::kStreamDestroy));
  EXPECT_EQ(next().header.opcode, static_cast<std::uint16_t>(Opcode::kGoodbye));
}

TEST_F(OutboxTest, AProcessWithoutThreadsSendsNothingAfterHalfAMessage) {
  outbox_.stop();
  net::Channel channel(std::move(other_.first));
  Outbox alone(channel, [](Status) { ADD_FAILURE(); }, [] {});
  alone.append(Opcode::kStreamDestroy, 0, 0, wire::StreamDestroy{7}, false, [&] {
    std::thread([&] { alone.sayGoodbyeAlone(); }).join();  // while a message is being written
  });
  std::byte byte[1];
  std::span<std::byte> room(byte);
  std::size_t got = 0;
  EXPECT_TRUE(other_.second->receive({&room, 1}, net::Transport::Patience::kNone, &got).ok());
  EXPECT_EQ(got, 0u);
}

TEST_F(OutboxTest, APeerThatGoesReleasesEverybody) {
  std::vector<std::byte> data(wire::kEagerWindow * 2);
  const auto upload = std::make_shared<BulkUpload>();
  upload->transfer = 1;
  upload->from = {data.data(), data.size(), data.size(), data.size()};
  ends_.second.reset();
  outbox_.append(Opcode::kUpload, 0, 0, uploadOf(1), false, [&] { outbox_.enqueue(upload); });
  outbox_.waitSent(upload);
  EXPECT_GE(failures_, 1);
}

// --- uploads known by content

constexpr std::size_t kMiB = 1 << 20;

wire::Bits256 firstByte(wire::Bytes bytes) {
  wire::Bits256 name{};
  name[0] = static_cast<std::uint8_t>(bytes[0]);
  return name;
}

class NamedUploads : public OutboxTest {
 protected:
  NamedUploads() {
    outbox_.nameBlocks(net::When::kAlways, firstByte);
    for (std::size_t i = 0; i < data_.size(); ++i) data_[i] = static_cast<std::byte>(1 + i / kMiB);
  }
  BulkUploadPtr start(std::uint64_t transfer, bool late) {
    auto upload = std::make_shared<BulkUpload>();
    upload->transfer = transfer;
    upload->from = {data_.data(), data_.size(), data_.size(), data_.size()};
    upload->late = late;
    outbox_.append(Opcode::kUpload, 0, 0, uploadOf(transfer), false, [&] { outbox_.enqueue(upload); });
    EXPECT_EQ(next().header.opcode, static_cast<std::uint16_t>(Opcode::kUpload));
    return upload;
  }
  wire::NamedData nextName() {
    const Frame frame = next();
    wire::NamedData named;
    EXPECT_EQ(frame.header.opcode, static_cast<std::uint16_t>(Opcode::kNamedData));
    wire::Reader reader(frame.payload);
    reader.get(named);
    EXPECT_TRUE(reader.ok() && reader.atEnd());
    return named;
  }
  // The next frame is data of this place, with what the program had there.
  void expectData(std::uint64_t offset, std::uint32_t flags) {
    const Frame frame = next();
    ASSERT_EQ(frame.header.opcode, static_cast<std::uint16_t>(Opcode::kData));
    EXPECT_EQ(frame.header.flags & wire::HIP_REMOTE_FLAG_KEEP, flags);
    std::uint64_t prefix[2];
    std::memcpy(prefix, frame.payload.data(), sizeof prefix);
    EXPECT_EQ(prefix[1], offset);
    const std::byte expected = static_cast<std::byte>(1 + offset / kMiB);
    EXPECT_TRUE(std::all_of(frame.payload.begin() + sizeof prefix, frame.payload.end(),
                            [&](std::byte byte) { return byte == expected; }));
  }

  std::vector<std::byte> data_ = std::vector<std::byte>(3 * kMiB + 70'000);
};

TEST_F(NamedUploads, AreNamedBlockByBlockAndSentOnlyWhereWanted) {
  const BulkUploadPtr upload = start(5, true);
  for (std::size_t i = 0; i < 4; ++i) {
    const wire::NamedData named = nextName();
    EXPECT_EQ(named.transfer, 5u);
    EXPECT_EQ(named.offset, i * kMiB);
    EXPECT_EQ(named.size, std::min(kMiB, data_.size() - i * kMiB));
    EXPECT_EQ(named.name[0], 1 + i);
  }
  EXPECT_TRUE(outbox_.uploading());
  for (const std::uint64_t offset : {3 * kMiB, 0 * kMiB, 1 * kMiB})
    EXPECT_TRUE(outbox_.answered({5, offset, offset != kMiB}));
  expectData(kMiB, wire::HIP_REMOTE_FLAG_KEEP);
  EXPECT_TRUE(outbox_.uploading());  // the memory may still be wanted
  EXPECT_TRUE(outbox_.answered({5, 2 * kMiB, true}));
  post(7);
  next();  // whoever sent the data is done with it
  EXPECT_FALSE(outbox_.uploading());
}

TEST_F(NamedUploads, AnswersToNoQuestionAreNotUnderstood) {
  start(5, true);
  for (int i = 0; i < 4; ++i) nextName();
  EXPECT_FALSE(outbox_.answered({6, 0, true}));
  EXPECT_FALSE(outbox_.answered({5, 17, true}));
  EXPECT_TRUE(outbox_.answered({5, 0, true}));
  EXPECT_FALSE(outbox_.answered({5, 0, true}));
}

// The call returns before the worker has answered; what it wants then is what the program had, not what it has now.
TEST_F(NamedUploads, ThatTheProgramHasBackAreCopied) {
  const BulkUploadPtr upload = start(5, false);
  outbox_.waitSent(upload);
  std::fill(data_.begin(), data_.end(), std::byte{0xEE});
  for (int i = 0; i < 4; ++i) nextName();
  EXPECT_TRUE(outbox_.stalled());  // somebody must read the answers
  for (const std::uint64_t offset : {0 * kMiB, kMiB, 2 * kMiB, 3 * kMiB}) {
    EXPECT_TRUE(outbox_.answered({5, offset, offset != 2 * kMiB}));
  }
  expectData(2 * kMiB, wire::HIP_REMOTE_FLAG_KEEP);
  post(7);
  next();  // behind it: everything has been settled
  EXPECT_FALSE(outbox_.stalled());
}

TEST_F(NamedUploads, SmallOnesAreSentAsTheyAre) {
  data_.resize(kMiB - 1);
  const BulkUploadPtr upload = start(5, true);
  expectData(0, 0);
}

TEST_F(NamedUploads, AConnectionThatIsLostEndsThem) {
  const BulkUploadPtr upload = start(5, false);
  nextName();
  outbox_.fail();
  outbox_.waitSent(upload);
  EXPECT_TRUE(outbox_.answered({5, 0, true}));  // too late to matter
}

// --- when it pays

TEST(Naming, PaysWhereTheLineIsSlowerThanHashing) {
  Naming naming;
  EXPECT_TRUE(naming.off());
  naming.start(net::When::kWhereItPays);
  EXPECT_TRUE(naming.undecided());
  EXPECT_TRUE(naming.next() && naming.next());  // a few, to know early whether the worker has them
  EXPECT_FALSE(naming.next());
  naming.lineIs(4e9);
  EXPECT_FALSE(naming.undecided() || naming.pays() || naming.next());
  naming.lineIs(125e6);
  EXPECT_TRUE(naming.pays() && naming.next());
  naming.start(net::When::kAlways);
  naming.lineIs(4e9);
  EXPECT_TRUE(naming.pays());
}

TEST(Naming, TriesFewerAndFewerThatAreUnknown) {
  Naming naming;
  naming.start(net::When::kAlways);
  int tried = 0;
  for (int i = 0; i < 1000; ++i) {
    if (!naming.next()) continue;
    ++tried;
    naming.answered(false);
  }
  EXPECT_LT(tried, 1000 / 16 + 16);
  while (!naming.next()) ++tried;
  naming.answered(true);  // one is known: all are tried again
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(naming.next());
}

// What a helper does for a call is done when the call returns, also when its thread is cancelled meanwhile.
TEST_F(OutboxTest, AThreadCancelledWhileAHelperIsAtItsUploadWaitsForIt) {
  std::vector<std::byte> data(1 << 20, std::byte{5});
  std::promise<pthread_t> self;
  std::promise<void> begun, goOn;
  std::atomic<bool> over{false}, returned{false};
  std::thread victim([&] {
    self.set_value(pthread_self());
    const auto upload = std::make_shared<BulkUpload>();
    upload->transfer = 5;
    upload->from = {data.data(), data.size(), data.size(), data.size()};
    outbox_.append(Opcode::kUpload, 0, 0, uploadOf(5), true, [&] { outbox_.enqueue(upload); });
    outbox_.flushBeside(upload, [&] {
      begun.set_value();
      goOn.get_future().wait();
      over = true;
    });
    EXPECT_TRUE(over);
    outbox_.waitSent(upload);
    returned = true;
    pthread_testcancel();
  });
  begun.get_future().wait();  // by a helper: nobody has taken anything, so the caller still sends
  next();
  next();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // now it waits
  pthread_cancel(self.get_future().get());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(returned);
  goOn.set_value();
  victim.join();
  EXPECT_TRUE(returned);
}

TEST(Helpers, SayThatThereIsNoRoomForAThread) {
  const pid_t child = fork();
  if (child == 0) {  // of a user who may have no other
    if (getuid() == 0 && setuid(65534) != 0) _exit(2);
    const rlimit one{1, 1};
    setrlimit(RLIMIT_NPROC, &one);
    Helpers helpers;
    _exit(helpers.add([] {}) ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2) GTEST_SKIP() << "there is no other user here";
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace hipr::client
