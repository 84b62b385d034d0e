// The parts of the telemetry service, without a process or a socket around them.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "platform/process.h"
#include "wire/append.h"
#include "worker/smi/doorway.h"
#include "worker/smi/fake_source.h"
#include "worker/smi/metrics_page.h"
#include "worker/smi/protocol.h"

namespace hipr::worker {
namespace {

using Bytes = std::vector<std::byte>;
using Next = Protocol::Next;
using wire::Opcode;

class Service : public ::testing::Test {
 protected:
  Platform platform;
  SessionBoard board{4};
  Station station{[](telemetry::SourcePtr& source) {
                    source = std::make_unique<FakeSource>();
                    return Status{};
                  },
                  platform, &board, "1.2"};
  SmiProtocol smi{station};
  using Line = HttpProtocol::Line;
  HttpProtocol::Knows knows = [](std::string_view token) { return token == "a token of some length"; };
  HttpProtocol http{station, Line::kLocal, knows};
  Bytes in, out;

  template <Opcode kOp>
  void ask(const typename wire::MessageOf<kOp>::Type& message) {
    wire::appendFrame(in, kOp, 5, 0, message);
  }
  template <class Reply>
  Reply answer(Opcode opcode) {
    wire::Header header;
    EXPECT_GE(out.size(), wire::kHeaderSize);
    EXPECT_TRUE(
        wire::decodeHeader(std::span<const std::byte, wire::kHeaderSize>(out.data(), wire::kHeaderSize), header));
    EXPECT_EQ(header.opcode, static_cast<std::uint16_t>(opcode));
    Reply reply;
    wire::Reader reader(wire::Bytes(out).subspan(wire::kHeaderSize));
    reader.get(reply);
    EXPECT_TRUE(reader.ok() && reader.atEnd());
    out.clear();
    return reply;
  }
  std::string request(const std::string& text) {
    in.assign(reinterpret_cast<const std::byte*>(text.data()),
              reinterpret_cast<const std::byte*>(text.data()) + text.size());
    out.clear();
    EXPECT_EQ(http.serve(in, out), Next::kEnd);
    return std::string(reinterpret_cast<const char*>(out.data()), out.size());
  }
};

TEST_F(Service, AnswersInOrderOneAtATime) {
  ask<Opcode::kSmiOpen>({});
  ask<Opcode::kSmiRead>({wire::kSmiReadings});
  EXPECT_EQ(smi.serve(in, out), Next::kAnswered);
  const auto greeting = answer<wire::SmiOpenReply>(Opcode::kSmiOpen);
  EXPECT_EQ(greeting.workerVersion, "1.2");
  EXPECT_EQ(greeting.source, "fake");
  ASSERT_EQ(greeting.gpus.size(), 2u);
  EXPECT_EQ(smi.serve(in, out), Next::kAnswered);
  const auto read = answer<wire::SmiReadReply>(Opcode::kSmiRead);
  ASSERT_EQ(read.readings.size(), 2u);
  EXPECT_EQ(read.readings[0].memoryUsedBytes, FakeSource::kUsed);
  EXPECT_TRUE(read.processes.empty());
  EXPECT_EQ(smi.serve(in, out), Next::kWait);
  ask<Opcode::kPing>({});
  EXPECT_EQ(smi.serve(in, out), Next::kAnswered);
  answer<wire::Done>(Opcode::kPing);
  ask<Opcode::kGoodbye>({});
  EXPECT_EQ(smi.serve(in, out), Next::kEnd);
}

TEST_F(Service, WaitsForTheRestOfARequest) {
  Bytes whole;
  wire::appendFrame(whole, Opcode::kSmiOpen, 1, 0, wire::SmiOpen{});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    in.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(smi.serve(in, out), Next::kWait) << size;
  }
  EXPECT_TRUE(out.empty());
}

TEST_F(Service, RefusesWhatIsNotForIt) {
  const auto refused = [&](const Bytes& bytes) {
    SmiProtocol fresh(station);
    in = bytes;
    out.clear();
    EXPECT_EQ(fresh.serve(in, out), Next::kEnd);
    return answer<wire::Refused>(Opcode::kRefused).text;
  };
  Bytes frame;
  wire::appendFrame(frame, Opcode::kSmiRead, 1, 0, wire::SmiRead{});
  EXPECT_NE(refused(frame).find("before SmiOpen"), std::string::npos);
  frame.clear();
  wire::appendFrame(frame, Opcode::kMapMemory, 1, 0, wire::MapMemory{});
  EXPECT_NE(refused(frame).find("MapMemory"), std::string::npos);
  frame.clear();
  wire::appendFrame(frame, Opcode::kSmiOpen, 1, 0, wire::Ping{});  // malformed
  EXPECT_NE(refused(frame).find("malformed"), std::string::npos);
  EXPECT_NE(refused(Bytes(64)).find("not a HIP Remote frame"), std::string::npos);
  wire::encodeHeader({.opcode = 0x0801, .length = Protocol::kMaxInput}, frame.data());
  EXPECT_NE(refused(frame).find("long"), std::string::npos);
  wire::encodeHeader({.version = 7, .opcode = 0x0801}, frame.data());
  EXPECT_NE(refused(frame).find("version 7"), std::string::npos);
}

TEST_F(Service, ASourceThatCannotBeOpenedIsToldInWords) {
  Station broken([](telemetry::SourcePtr&) { return Status::notFound("no sensors here"); }, platform, nullptr, "1");
  EXPECT_NE(broken.greeting().status, 0);
  EXPECT_EQ(broken.greeting().text, "no sensors here");
  EXPECT_NE(broken.read(3).status, 0);
  EXPECT_NE(broken.metricsPage(true).find("hip_worker_info"), std::string::npos);
}

TEST_F(Service, HipTellsWhatTheSourceDoesNot) {
  hipDeviceProp_tR0600& props = platform.devices.emplace_back().props;
  props = {};
  props.pciBusID = 3;
  props.multiProcessorCount = 104;
  std::strcpy(props.gcnArchName, "gfx90a:sramecc+:xnack-");
  const std::vector<telemetry::Gpu> gpus = station.greeting().gpus;
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(gpus[1].hipDevice, 0u);
  EXPECT_EQ(gpus[1].computeUnits, 104u);
  EXPECT_EQ(gpus[1].target, "gfx90a");
  EXPECT_FALSE(gpus[0].hipDevice);  // a device that HIP does not have
  EXPECT_FALSE(gpus[0].computeUnits);
}

TEST_F(Service, WhoMayHaveSomeDevicesSeesNoOthers) {
  hipDeviceProp_tR0600& props = platform.devices.emplace_back().props;
  props = {};
  props.pciBusID = 3;  // the second GPU
  SmiProtocol one(station, {0}), none(station, {1});
  ask<Opcode::kSmiOpen>({});
  EXPECT_EQ(one.serve(in, out), Next::kAnswered);
  const auto greeting = answer<wire::SmiOpenReply>(Opcode::kSmiOpen);
  ASSERT_EQ(greeting.gpus.size(), 1u);
  EXPECT_EQ(greeting.gpus[0].uuid, "fake-1");
  EXPECT_EQ(greeting.gpus[0].hipDevice, 0u);
  EXPECT_TRUE(greeting.links.empty());
  ask<Opcode::kSmiRead>({wire::kSmiReadings | wire::kSmiProcesses});
  EXPECT_EQ(one.serve(in, out), Next::kAnswered);
  const auto read = answer<wire::SmiReadReply>(Opcode::kSmiRead);
  ASSERT_EQ(read.readings.size(), 1u);
  EXPECT_EQ(read.readings[0].powerWatts, 300.5);
  EXPECT_TRUE(read.processes.empty());  // the one there is uses the first GPU
  ask<Opcode::kSmiOpen>({});
  EXPECT_EQ(none.serve(in, out), Next::kAnswered);
  EXPECT_TRUE(answer<wire::SmiOpenReply>(Opcode::kSmiOpen).gpus.empty());
}

TEST_F(Service, SessionsAreNamedAfterTheirClients) {
  board.sit(2, getpid());
  board.page(2).introduce("desk:99", "/usr/bin/train");
  const auto read = station.read(wire::kSmiProcesses);
  ASSERT_EQ(read.processes.size(), 1u);  // the fake source tells of this very process
  EXPECT_EQ(read.processes[0].client, "desk:99");
  EXPECT_EQ(read.processes[0].name, "train");
}

TEST_F(Service, SpeaksEnoughHttp) {
  EXPECT_TRUE(request("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(request("GET /metrics?x=1 HTTP/1.0\r\n\r\n").starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(request("GET /index HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404 "));
  const std::string page = request("GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(page.starts_with("HTTP/1.1 200 "));
  EXPECT_NE(page.find("Content-Security-Policy: default-src 'none'"), std::string::npos);
  EXPECT_EQ(page.find("src="), std::string::npos);  // it needs nothing but itself
  EXPECT_TRUE(page.ends_with("</script>\n"));
  EXPECT_TRUE(request("POST /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405 "));
  EXPECT_TRUE(request("nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(request(std::string(Protocol::kMaxInput, 'x')).starts_with("HTTP/1.1 431 "));
  const std::string head = request("HEAD /metrics HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
  in.resize(5);
  out.clear();
  EXPECT_EQ(http.serve(in, out), Next::kWait);
}

// Who runs what from where is nobody else's business.
TEST_F(Service, NamesAreForThisMachineAndThoseWithTheToken) {
  board.sit(1, getpid(), "alice");
  board.page(1).introduce("desk:99", "/usr/bin/train");
  const std::string pid = "\"" + std::to_string(getpid()) + "\"";
  const auto page = [&](Line line, const std::string& more, const std::string& host = "Host: localhost:9400\r\n") {
    const std::string text = "GET /metrics HTTP/1.1\r\n" + host + more + "\r\n";
    in.assign(reinterpret_cast<const std::byte*>(text.data()),
              reinterpret_cast<const std::byte*>(text.data()) + text.size());
    out.clear();
    EXPECT_EQ(HttpProtocol(station, line, knows).serve(in, out), Next::kEnd);
    return std::string(reinterpret_cast<const char*>(out.data()), out.size());
  };
  for (const std::string& open :
       {page(Line::kLocal, ""), page(Line::kShielded, "aUTHorization:  Bearer a token of some length\r\n")}) {
    for (const std::string& name :
         {std::string("desk:99"), std::string("train"), std::string("identity=\"alice\""), pid})
      EXPECT_NE(open.find(name), std::string::npos) << name;
  }
  EXPECT_TRUE(page(Line::kOpen, "Authorization: Bearer a token of some length\r\n").starts_with("HTTP/1.1 403 "));
  const std::string closed = page(Line::kOpen, "");
  EXPECT_TRUE(closed.starts_with("HTTP/1.1 200 "));
  EXPECT_NE(closed.find("hip_worker_session_memory_bytes{session=\"seat 1\"}"), std::string::npos) << closed;
  for (const std::string& name : {std::string("desk"), std::string("train"), std::string("alice"), pid})
    EXPECT_EQ(closed.find(name), std::string::npos) << name;
  EXPECT_TRUE(page(Line::kShielded, "Authorization: Bearer a token of some lengthy\r\n").starts_with("HTTP/1.1 401 "));
  EXPECT_TRUE(page(Line::kLocal, "Authorization: Basic x\r\n").starts_with("HTTP/1.1 401 "));
  for (const std::string& host :
       {std::string(), std::string("Host: 127.0.0.1:9400\r\n"), std::string("Host: [::1]:9400\r\n"),
        std::string("Host: LocalHost\r\n"), "hOST: " + platform::hostName() + ":9400\r\n"})
    EXPECT_NE(page(Line::kLocal, "", host).find("desk:99"), std::string::npos) << host;
  // A page in a browser of this machine, by a name that its owner lets lead here.
  for (const std::string host : {"elsewhere.example", "localhost.elsewhere.example:9400", "127.0.0.1.example", "x"}) {
    const std::string foreign = page(Line::kLocal, "", "Host: " + host + "\r\n");
    EXPECT_TRUE(foreign.starts_with("HTTP/1.1 200 ")) << host;
    EXPECT_EQ(foreign.find("desk"), std::string::npos) << host;
  }
}

// Every line of the page is a comment or a sample, every sample belongs to the family named last, no family comes
// twice.
TEST_F(Service, TheMetricsPageIsWellFormed) {
  board.sit(0, getpid());
  SessionCounters& counters = board.page(0).counters;
  board.page(0).introduce("evil\"host\\\n:1", "a\nb");
  counters.received(static_cast<std::uint16_t>(Opcode::kLaunchKernel), 100);
  const std::string page = station.metricsPage(true);
  const std::regex sample(R"(([a-z_]+)(\{([a-z]+="([^"\\]|\\["\\])*",?)+\})? -?[0-9.e+-]+)");
  std::istringstream lines(page);
  std::string family;
  std::set<std::string> families;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (line.starts_with("# TYPE ")) {
      family = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_TRUE(families.insert(family).second) << family;
    } else if (!line.starts_with("# HELP ")) {
      ASSERT_TRUE(std::regex_match(line, match, sample)) << line;
      EXPECT_EQ(match[1], family);
    }
  }
  EXPECT_NE(page.find("hip_gpu_memory_used_bytes{gpu=\"0\",uuid=\"fake-0\"} 123456789\n"), std::string::npos) << page;
  EXPECT_NE(page.find("hip_gpu_power_watts{gpu=\"1\",uuid=\"fake-1\"} 300.5\n"), std::string::npos);
  EXPECT_NE(page.find("hip_worker_requests_total{call=\"LaunchKernel\"} 1\n"), std::string::npos);
  EXPECT_NE(page.find("hip_worker_sessions 1\n"), std::string::npos);
  EXPECT_NE(page.find("client=\"evil\\\"host\\\\?:1\""), std::string::npos);
}

std::set<std::string> metricNames(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::stringstream stream;
  stream << file.rdbuf();
  const std::string text = stream.str();
  const std::regex name("hip_(gpu|worker)_[a-z_]+[a-z]");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at) names.insert(at->str());
  return names;
}

// The page, the dashboard and the manual name metrics that exist.
TEST(MetricsPage, DashboardAndManualAskForWhatThereIs) {
  const std::string root = HIPR_SOURCE_DIR;
  const std::set<std::string> served = metricNames(root + "/worker/smi/metrics_page.cpp");
  EXPECT_GT(served.size(), 30u);
  for (const char* reader : {"/deploy/grafana/hip-worker.json", "/docs/smi.md", "/worker/smi/page.html"}) {
    const std::set<std::string> asked = metricNames(root + reader);
    EXPECT_GT(asked.size(), 10u) << reader;
    for (const std::string& name : asked) {
      EXPECT_TRUE(served.contains(name)) << reader << " names " << name;
    }
  }
}

TEST(SessionBoard, WhatASessionDidOutlivesIt) {
  SessionBoard board(2);
  board.sit(1, getpid());
  SessionCounters& counters = board.page(1).counters;
  counters.received(static_cast<std::uint16_t>(Opcode::kHello), 10);
  counters.received(0xfff0, 5);  // unknown: its bytes count
  counters.sent(7);
  SessionCounters::add(counters.errors);
  counters.memoryBytes = 99;
  board.page(1).introduce("client", "program");
  EXPECT_NE(board.sitter(1).process, 0u);
  EXPECT_EQ(board.sitter(1).client, "client");
  board.leave(1);
  EXPECT_EQ(board.sitter(1).process, 0u);
  EXPECT_EQ(board.counters(1).bytesReceived, 0u);
  EXPECT_EQ(board.counters(1).memoryBytes, 0u);
  EXPECT_EQ(board.past().bytesReceived, 15u);
  EXPECT_EQ(board.past().bytesSent, 7u);
  EXPECT_EQ(board.past().errors, 1u);
  EXPECT_EQ(board.past().requests[messageKind(0x0001)], 1u);
  EXPECT_EQ(board.sessionsStarted(), 1u);
}

TEST(SessionBoard, EveryMessageHasAKind) {
#define MESSAGE(number, Name, verb) EXPECT_STREQ(messageKindName(messageKind(number)), #Name);
#include "wire/messages.def"
  EXPECT_EQ(messageKind(0xffff), kMessageKinds);
  EXPECT_EQ(messageKind(0x0000), kMessageKinds);
}

TEST(Doorway, PassesSocketsWithWhatTheyHold) {
  Doorway doorway;
  ASSERT_TRUE(Doorway::make(doorway).ok());
  net::Socket taken;
  Passenger client;
  EXPECT_FALSE(doorway.take(taken, client));
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  net::Socket near(ends[0]), far(ends[1]);
  Bytes frame;
  wire::appendFrame(frame, Opcode::kSmiOpen, 3, 0, wire::SmiOpen{});
  ASSERT_TRUE(near.send(frame).ok());
  ASSERT_TRUE(doorway.handOver(far, {}).ok());
  far.close();
  ASSERT_TRUE(doorway.take(taken, client));
  EXPECT_FALSE(client.shield);
  EXPECT_TRUE(client.devices.empty());
  Bytes got(frame.size());
  ASSERT_TRUE(taken.receive(got.data(), got.size()).ok());
  EXPECT_EQ(got, frame);
  tls::Shield agreed;
  agreed.cipher = tls::Cipher::kChaCha20Poly1305;
  agreed.receiving = {{1, 2, 3}, 7};
  ASSERT_TRUE(doorway.handOver(taken, {agreed, {3, 1}}).ok());
  ASSERT_TRUE(doorway.take(taken, client));
  ASSERT_TRUE(client.shield);
  EXPECT_EQ(client.devices, (std::vector<std::int32_t>{3, 1}));
  EXPECT_EQ(client.shield->cipher, agreed.cipher);
  EXPECT_EQ(client.shield->receiving.secret, agreed.receiving.secret);
  EXPECT_EQ(client.shield->receiving.records, 7u);
}

}  // namespace
}  // namespace hipr::worker
