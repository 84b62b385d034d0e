// A worker that says what no worker should: whatever it is, the client reports it and lives.
#include "telemetry/remote.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "wire/append.h"

namespace hipr::telemetry {
namespace {

using Frames = std::vector<std::byte>;

// Answers each message with what the test says; an empty answer closes the connection.
class FakeWorker {
 public:
  explicit FakeWorker(std::function<Frames(const wire::Header&)> answer) : answer_(std::move(answer)) {
    EXPECT_TRUE(net::listenOn("127.0.0.1", 0, listener_, &port_).ok());
    thread_ = std::thread([this] { serve(); });
  }
  ~FakeWorker() {
    listener_.shutdown();
    thread_.join();
  }
  RemoteOptions options() const { return {{"127.0.0.1", port_}, 5, 5}; }
  int connections() const { return connections_; }

 private:
  void serve() {
    for (;;) {
      net::Socket socket(accept(listener_.fd(), nullptr, nullptr));
      if (!socket.open()) return;
      ++connections_;
      std::byte bytes[wire::kHeaderSize];
      while (socket.receive(bytes, sizeof bytes).ok()) {
        wire::Header header;
        wire::decodeHeader(bytes, header);
        std::vector<std::byte> payload(header.length);
        if (!socket.receive(payload.data(), payload.size()).ok()) break;
        const Frames frames = answer_(header);
        if (frames.empty() || !socket.send(frames).ok()) break;
      }
    }
  }

  std::function<Frames(const wire::Header&)> answer_;
  net::Socket listener_;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_{0};
  std::thread thread_;
};

wire::SmiOpenReply greeting() {
  wire::SmiOpenReply reply;
  reply.hostName = "rack7";
  reply.source = "softgpu";
  reply.gpus.resize(2);
  reply.gpus[1].name = "second";
  return reply;
}

wire::SmiReadReply readings() {
  wire::SmiReadReply reply;
  reply.readings.resize(2);
  reply.readings[1].memoryUsedBytes = 42;
  reply.processes.resize(1);
  return reply;
}

template <class Message>
Frames reply(const wire::Header& to, const Message& message) {
  Frames frames;
  wire::appendFrame(frames, static_cast<wire::Opcode>(to.opcode), to.request, wire::HIP_REMOTE_FLAG_REPLY, message);
  return frames;
}

bool isOpen(const wire::Header& header) {
  return header.opcode == static_cast<std::uint16_t>(wire::Opcode::kSmiOpen);
}

Status connect(const FakeWorker& worker) {
  std::unique_ptr<Remote> remote;
  return Remote::connect(worker.options(), remote);
}

TEST(Remote, GivesWhatTheWorkerSays) {
  FakeWorker worker([](const auto& h) { return isOpen(h) ? reply(h, greeting()) : reply(h, readings()); });
  std::unique_ptr<Remote> remote;
  ASSERT_TRUE(Remote::connect(worker.options(), remote).ok());
  EXPECT_EQ(remote->kind(), "softgpu");
  EXPECT_EQ(remote->hostName(), "rack7");
  EXPECT_EQ(remote->gpus()[1].name, "second");
  EXPECT_EQ(remote->read()[1].memoryUsedBytes, 42u);
  EXPECT_EQ(remote->processes().size(), 1u);
  EXPECT_TRUE(remote->failure().ok());
  remote.reset();  // before the worker: it waits for the connection to end
}

// A client of the worker chose the name of its program.
TEST(Remote, NamesSayNothingToATerminal) {
  FakeWorker worker([](const auto& h) {
    wire::SmiOpenReply hello = greeting();
    hello.hostName = "rack\x1b[2J7";
    hello.gpus[1].name = "sec\nond";
    wire::SmiReadReply busy = readings();
    busy.processes[0].name = "a\x1b]0;title\a";
    return isOpen(h) ? reply(h, hello) : reply(h, busy);
  });
  std::unique_ptr<Remote> remote;
  ASSERT_TRUE(Remote::connect(worker.options(), remote).ok());
  EXPECT_EQ(remote->hostName(), "rack [2J7");
  EXPECT_EQ(remote->gpus()[1].name, "sec ond");
  EXPECT_EQ(remote->processes().at(0).name, "a ]0;title ");
  remote.reset();
}

TEST(Remote, ConnectsAgainWhenTheWorkerWasRestarted) {
  std::atomic<int> reads{0};
  FakeWorker worker([&](const auto& h) {
    if (isOpen(h)) return reply(h, greeting());
    return ++reads == 2 ? Frames{} : reply(h, readings());
  });
  std::unique_ptr<Remote> remote;
  ASSERT_TRUE(Remote::connect(worker.options(), remote).ok());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(remote->read()[1].memoryUsedBytes, 42u);
  EXPECT_EQ(worker.connections(), 2);
  remote.reset();
}

TEST(Remote, AFailureIsKeptAndReadingsAreEmpty) {
  FakeWorker worker([&](const auto& h) { return isOpen(h) ? reply(h, greeting()) : Frames{}; });
  std::unique_ptr<Remote> remote;
  ASSERT_TRUE(Remote::connect(worker.options(), remote).ok());
  const std::vector<Reading> none = remote->read();
  ASSERT_EQ(none.size(), 2u);
  EXPECT_FALSE(none[1].memoryUsedBytes);
  EXPECT_TRUE(remote->failure().away());
  remote.reset();
}

TEST(Remote, HostileGreetingsAreRefused) {
  const auto answering = [](Frames frames) { return [frames](const wire::Header&) { return frames; }; };
  EXPECT_FALSE(connect(FakeWorker(answering({}))).ok());
  EXPECT_FALSE(connect(FakeWorker(answering(Frames(100, std::byte{0x41})))).ok());
  const auto changed = [](auto change) {
    return [change](const wire::Header& h) {
      Frames frames = reply(h, greeting());
      change(frames);
      return frames;
    };
  };
  const auto header = [&](auto edit) {
    return changed([edit](Frames& frames) {
      wire::Header h;
      wire::decodeHeader(std::span<const std::byte, wire::kHeaderSize>(frames.data(), wire::kHeaderSize), h);
      edit(h);
      wire::encodeHeader(h, frames.data());
    });
  };
  EXPECT_FALSE(connect(FakeWorker(header([](auto& h) { h.length = wire::kMaxPayload; }))).ok());
  EXPECT_FALSE(connect(FakeWorker(header([](auto& h) { h.length -= 1; }))).ok());
  EXPECT_FALSE(connect(FakeWorker(header([](auto& h) { h.version = 9; }))).ok());
  EXPECT_FALSE(connect(FakeWorker(header([](auto& h) { h.request += 1; }))).ok());
  EXPECT_FALSE(connect(FakeWorker(header([](auto& h) { h.opcode = 0x0802; }))).ok());
  EXPECT_FALSE(connect(FakeWorker(header([](auto& h) { h.flags = 0; }))).ok());

  wire::SmiOpenReply badLink = greeting();
  badLink.links.resize(1);
  badLink.links[0].to = 2;
  EXPECT_FALSE(connect(FakeWorker([&](const auto& h) { return reply(h, badLink); })).ok());
  wire::SmiOpenReply failed;
  failed.status = 1;
  failed.text = "no sensors";
  EXPECT_NE(connect(FakeWorker([&](const auto& h) { return reply(h, failed); })).message().find("no sensors"),
            std::string::npos);
}

TEST(Remote, HostileReadingsAreRefused) {
  const auto failsWith = [](const wire::SmiReadReply& answer) {
    FakeWorker worker([&](const auto& h) { return isOpen(h) ? reply(h, greeting()) : reply(h, answer); });
    std::unique_ptr<Remote> remote;
    if (!Remote::connect(worker.options(), remote).ok()) return false;
    std::vector<Reading> readings;
    std::vector<Process> processes;
    return !remote->sample(readings, processes).ok();
  };
  EXPECT_FALSE(failsWith(readings()));
  wire::SmiReadReply few = readings(), foreign = readings();
  few.readings.pop_back();
  foreign.processes[0].gpu = 2;
  EXPECT_TRUE(failsWith(few));
  EXPECT_TRUE(failsWith(foreign));
}

TEST(Remote, NobodyThereIsAnError) {
  net::Socket listener;
  std::uint16_t port = 0;
  ASSERT_TRUE(net::listenOn("127.0.0.1", 0, listener, &port).ok());
  listener.close();
  std::unique_ptr<Remote> remote;
  EXPECT_EQ(Remote::connect({{"127.0.0.1", port}, 5, 5}, remote).code(), Code::kUnavailable);
}

}  // namespace
}  // namespace hipr::telemetry
