// Fuzzes a whole session: after a valid Hello the input is what the client sends, byte for byte; or, when it begins
// with kOrders, an order of well-formed messages (fuzz_orders.h) and how the client behaves besides. The runtime is a
// fake, so whatever goes wrong is our doing. When the client has left, the session must have given everything back.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <span>
#include <thread>

#include "access/digest.h"
#include "base/log.h"
#include "code_object/test_image.h"
#include "mirror/changes.h"
#include "net/socket_transport.h"
#include "tests/fuzz/fuzz.h"
#include "worker/fake_credit.h"
#include "worker/fake_hip.h"
#include "worker/fuzz_orders.h"
#include "worker/session.h"

using namespace hipr;
using wire::Opcode;

namespace {

constexpr std::uint64_t kDevice = worker::kOrdersDevice, kHost = worker::kOrdersHost, kMiB = 1 << 20;
constexpr std::size_t kMostOrders = 600;  // bytes of an input, two for each
constexpr std::uint64_t kA = wire::kFirstObject, kB = kA + 1, kC = kA + 2, kD = kA + 3;

class Script {
 public:
  template <Opcode kOp>
  Script& add(const typename wire::MessageOf<kOp>::Type& message) {
    worker::appendFrame(bytes_, kOp, 7, 0, message);
    return *this;
  }
  Script& data(std::uint64_t transfer, std::size_t size, std::uint64_t offset = 0) {
    const std::size_t at = bytes_.size();
    worker::appendFrame(bytes_, Opcode::kData, 0, 0, wire::Data{transfer, offset});
    wire::encodeHeader({.opcode = static_cast<std::uint16_t>(Opcode::kData), .length = wire::kDataPrefix + size},
                       bytes_.data() + at);
    bytes_.resize(bytes_.size() + size);
    return *this;
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

Script hello() {
  wire::Hello m;
  m.deviceBase = kDevice;
  m.deviceSize = worker::kOrdersDeviceSize;
  m.hostBase = kHost;
  m.hostSize = worker::kOrdersHostSize;
  return Script().add<Opcode::kHello>(m);
}

Script& addModule(Script& script, const code::testing::Buffer& code) {
  const wire::Bits256 hash = access::digestOf(code);
  return script.add<Opcode::kModuleLoad>({kC, 0, hash, code, {"counter"}}).add<Opcode::kFunctionGet>({kD, kC, "scale"});
}

template <class Message>
Message with(auto&& set) {
  Message m;
  set(m);
  return m;
}

constexpr std::uint8_t kOrders = 0xff;  // no frame begins with it

// What the client is like, when the input is an order of messages.
enum Manner : std::uint8_t { kRunsFunctions = 1, kLeavesAbruptly = 2, kDiscrete = 4, kKeepsToRules = 8 };

// The client's end of the connection. Two threads: the one that sends the input, and the one that reads.
class Client {
 public:
  Client(net::Socket socket, bool runsFunctions) : socket_(std::move(socket)), runsFunctions_(runsFunctions) {}

  bool send(std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    return socket_.send(bytes).ok();
  }
  void finish(bool abruptly) { ::shutdown(socket_.fd(), abruptly ? SHUT_RDWR : SHUT_WR); }

  // Until the session closes the connection.
  void listen() {
    std::byte head[wire::kHeaderSize];
    wire::Header header;
    for (std::vector<std::byte> payload; socket_.receive(head, sizeof head).ok();) {
      if (!wire::decodeHeader(head, header)) std::abort();  // whatever it was sent, a session makes sense
      payload.resize(header.length);
      if (!socket_.receive(payload.data(), payload.size()).ok()) return;
      if (!runsFunctions_) continue;
      if (header.opcode == static_cast<std::uint16_t>(Opcode::kNamedDataAnswer)) answer(payload);
      if (header.opcode == static_cast<std::uint16_t>(Opcode::kLaneData)) miss(payload);
      if (header.opcode != static_cast<std::uint16_t>(Opcode::kRunHostFunction)) continue;
      wire::RunHostFunction run;
      wire::Reader(payload).get(run);
      std::vector<std::byte> done;
      wire::appendFrame(done, Opcode::kHostFunctionDone, 0, 0, wire::HostFunctionDone{run.id});
      (void)send(done);
    }
  }

 private:
  // Data that is wanted follows; not always as much as was named.
  void answer(wire::Bytes payload) {
    wire::NamedDataAnswer answer;
    wire::Reader(payload).get(answer);
    if (answer.known) return;
    Script script;
    (void)send(script.data(answer.transfer, 64, answer.offset).bytes());
  }

  // Nobody reads the lane: what is announced for it does not come, or so this client says.
  void miss(wire::Bytes payload) {
    wire::LaneData piece;
    wire::Reader(payload).get(piece);
    std::vector<std::byte> frame;
    wire::appendFrame(frame, Opcode::kNamedDataAnswer, 0, 0,
                      wire::NamedDataAnswer{piece.transfer, piece.offset, piece.transfer % 2 == 0});
    (void)send(frame);
  }

  net::Socket socket_;
  const bool runsFunctions_;
  std::mutex mutex_;
};

// How many messages sessions have taken so far: said now and then, because that is what was asked of this fuzzer, and
// libFuzzer ends without destructors.
class Messages {
 public:
  void add(const worker::SessionCounters& counters) {
    for (const auto& kind : counters.requests) count_ += kind.load();
    if (count_ < next_) return;
    std::printf("%llu messages\n", static_cast<unsigned long long>(count_));
    std::fflush(stdout);
    next_ = count_ + 1000;
  }

 private:
  std::uint64_t count_ = 0, next_ = 1000;
};

// Where sessions keep what was uploaded, for those that follow.
// A connection whose other end is gone.
worker::Descriptor deserted(int kind) {
  int ends[2];
  if (socketpair(AF_UNIX, kind | SOCK_CLOEXEC, 0, ends) != 0) return worker::Descriptor();
  close(ends[1]);
  return worker::Descriptor(ends[0]);
}

const std::string& dataFolder() {
  static const std::string folder = std::filesystem::temp_directory_path() / ("hipr-fuzz-" + std::to_string(getpid()));
  [[maybe_unused]] static const int removed = std::atexit([] { std::filesystem::remove_all(dataFolder()); });
  return folder;
}

}  // namespace

std::vector<fuzz::Input> fuzz::seeds() {
  static const code::testing::Buffer code = code::testing::sampleElf();
  static const std::vector<std::byte> bytes(64);
  const wire::Shape rows{kDevice, 16, 64, 8, 2, 4};
  Script memory, streams, launch, hostMemory;
  memory.add<Opcode::kMapMemory>({0, kDevice, kMiB})
      .add<Opcode::kUpload>(with<wire::Upload>([&](auto& m) { m.stream = 1, m.to = rows, m.bytes = bytes; }))
      .add<Opcode::kUpload>(with<wire::Upload>([&](auto& m) { m.stream = 1, m.to = rows, m.transfer = 9; }))
      .data(9, 64)
      .add<Opcode::kUpload>(with<wire::Upload>([&](auto& m) { m.stream = 1, m.to = rows, m.transfer = 11; }))
      .add<Opcode::kNamedData>({11, 0, 64, access::digestOf(bytes)})
      .add<Opcode::kUpload>(with<wire::Upload>([&](auto& m) { m.stream = 1, m.to = rows, m.transfer = 12; }))
      .add<Opcode::kLaneData>({12, 0, 64, worker::kOrdersLane})
      .add<Opcode::kDeviceCopy>(with<wire::DeviceCopy>(
          [&](auto& m) { m.stream = 1, m.to = rows, m.from = kDevice + 4096, m.fromPitch = 8, m.fromSlice = 16; }))
      .add<Opcode::kFillMemory>(with<wire::FillMemory>([&](auto& m) { m.stream = 1, m.to = rows, m.elementSize = 2; }))
      .add<Opcode::kDownload>({1, rows, 10})
      .add<Opcode::kDownloadLanes>({{worker::kOrdersLane}, 0, true})
      .add<Opcode::kDownload>({1, {kDevice, 0, 0, kMiB / 2}, 13})
      .add<Opcode::kNamedDataAnswer>({13, 0, false})
      .add<Opcode::kMemoryCredit>({0, 100, 200})
      .add<Opcode::kMemoryInfo>({0})
      .add<Opcode::kCompileSource>({})
      .add<Opcode::kUnmapMemory>({kDevice});
  streams.add<Opcode::kStreamCreate>(with<wire::StreamCreate>([](auto& m) { m.stream = kA; }))
      .add<Opcode::kEventCreate>({kB, 0, 0})
      .add<Opcode::kEventRecord>({kB, kA})
      .add<Opcode::kStreamWaitEvent>({1, kB})
      .add<Opcode::kWordSteps>(
          {kA, {{WordAction::kWrite, 4, kDevice, 1, 0}, {WordAction::kWaitEqual, 8, kDevice, 1, 1}}})
      .add<Opcode::kHostFunction>({kA, 3})
      .add<Opcode::kHostFunctionDone>({3})
      .add<Opcode::kEventSynchronize>({kB})
      .add<Opcode::kEventElapsed>({kB, kB})
      .add<Opcode::kStreamSynchronize>({kA})
      .add<Opcode::kDeviceSynchronize>({0})
      .add<Opcode::kDeviceReset>({0})
      .add<Opcode::kEventDestroy>({kB})
      .add<Opcode::kStreamDestroy>({kA})
      .add<Opcode::kGoodbye>({});
  addModule(launch, code)
      .add<Opcode::kLaunchKernel>(with<wire::LaunchKernel>([](auto& m) {
        m.stream = 1, m.function = kD, m.groups = m.block = {1, 1, 1}, m.arguments = wire::Bytes(bytes).first(12);
      }))
      .add<Opcode::kModuleUnload>({kC})
      .add<Opcode::kPing>({});
  mirror::ChangeWriter changes;
  changes.put(1, 5, bytes.data(), bytes.size());
  changes.put(1, 9000, bytes.data(), 4);
  hostMemory.add<Opcode::kExposeHost>({kHost, 10000, 1})
      .add<Opcode::kHostBytes>(changes.message())
      .add<Opcode::kDownload>({1, {kHost, 0, 0, 100}, 4})
      .add<Opcode::kConcealHost>({kHost});
  static std::vector<std::byte> kernel, copy, fill;
  if (kernel.empty()) {
    wire::Writer(kernel).put(with<wire::LaunchKernel>(
        [](auto& m) { m.function = kD, m.groups = m.block = {1, 1, 1}, m.arguments = wire::Bytes(bytes).first(12); }));
    wire::Writer(copy).put(with<wire::DeviceCopy>(
        [&](auto& m) { m.to = rows, m.from = kDevice + 4096, m.fromPitch = 8, m.fromSlice = 16; }));
    wire::Writer(fill).put(with<wire::FillMemory>([&](auto& m) { m.to = rows, m.elementSize = 2; }));
  }
  const auto step = [](Opcode opcode, std::vector<std::uint32_t> after, wire::Bytes work) {
    return wire::GraphStep{static_cast<std::uint16_t>(opcode), 0, std::move(after), work};
  };
  const auto steps = [&] {
    return std::vector{step(Opcode::kLaunchKernel, {}, kernel), step(Opcode::kDeviceCopy, {0}, copy),
                       step({}, {0, 1}, {}), step(Opcode::kFillMemory, {2}, fill)};
  };
  Script graphs;
  addModule(graphs, code)
      .add<Opcode::kMapMemory>({0, kDevice, kMiB})
      .add<Opcode::kGraphCreate>({kA, 0, steps()})
      .add<Opcode::kGraphLaunch>({1, kA})
      .add<Opcode::kHostFunction>({1, 3})
      .add<Opcode::kGraphLaunch>({1, kA})
      .add<Opcode::kGraphUpdate>({kA, {0, 3}, {step(Opcode::kLaunchKernel, {}, kernel), step({}, {}, {})}})
      .add<Opcode::kGraphLaunch>({1, kA})
      .add<Opcode::kUnmapMemory>({kDevice})
      .add<Opcode::kGraphLaunch>({1, kA})
      .add<Opcode::kModuleUnload>({kC})
      .add<Opcode::kGraphDestroy>({kA});
  Script images;
  static std::vector<std::byte> arrays;
  const auto texels = with<wire::ArrayCopy>([&](auto& m) {
    m.to.array = kA, m.from.address = kDevice, m.from.pitch = 16, m.from.slice = 64;
    m.width = 8, m.height = 2, m.depth = 4;
  });
  if (arrays.empty()) wire::Writer(arrays).put(texels);
  images.add<Opcode::kMapMemory>({0, kDevice, kMiB})
      .add<Opcode::kArrayCreate>({kA, 0, 8, 4, 4, HIP_AD_FORMAT_UNSIGNED_INT8, 1, hipArraySurfaceLoadStore})
      .add<Opcode::kArrayCopy>(with<wire::ArrayCopy>([&](auto& m) { m = texels, m.stream = 1; }))
      .add<Opcode::kTextureCreate>(with<wire::TextureCreate>([](auto& m) {
        m.texture = kB, m.source.array = kA, m.view.emplace().format = hipResViewFormatUnsignedChar1;
      }))
      .add<Opcode::kTextureCreate>(with<wire::TextureCreate>([](auto& m) {
        m.texture = kC, m.source.type = hipResourceTypePitch2D, m.source.address = kDevice,
        m.source.bits = {8, 0, 0, 0};
        m.source.width = m.source.height = m.source.pitch = 64;
      }))
      .add<Opcode::kGraphCreate>({kD, 0, {step(Opcode::kArrayCopy, {}, arrays)}})
      .add<Opcode::kGraphLaunch>({1, kD})
      .add<Opcode::kArrayDestroy>({kA})
      .add<Opcode::kTextureDestroy>({kB})
      .add<Opcode::kGraphLaunch>({1, kD});
  std::vector<fuzz::Input> out;
  for (const Script& script : {memory, streams, launch, hostMemory, graphs, images})
    out.push_back(fuzz::input(script.bytes()));
  // Memory, streams, events and code, used; what holds a stream, with work behind it; memory that comes and goes.
  out.push_back({kOrders, kRunsFunctions | kKeepsToRules,
                 0,       0,
                 12,      0,
                 19,      0,
                 29,      0,
                 31,      0,
                 32,      0,
                 37,      0,
                 21,      0,
                 23,      0x80,
                 40,      0,
                 22,      0,
                 14,      0});
  out.push_back({kOrders, 0, 0, 0, 12, 0, 17, 0, 37, 0, 38, 0, 40, 0, 15, 0, 1, 0, 13, 0, 39, 0, 26, 0, 43, 0});
  out.push_back({kOrders, kDiscrete, 2, 0, 3, 0, 2, 0, 4, 3, 5, 1, 0, 1, 1, 0, 0, 1, 6, 0, 7, 0, 9, 0, 8, 0, 10, 0});
  out.push_back(
      {kOrders, kLeavesAbruptly | kKeepsToRules, 0, 0, 29, 0, 31, 0, 33, 1, 34, 0x80, 35, 0, 34, 0, 36, 0, 14, 0});
  // Data that is kept, named where it is found and where it is not, and sent when it is wanted.
  out.push_back(
      {kOrders, kRunsFunctions | kDiscrete, 0, 0, 38, 0, 39, 1, 38, 0, 40, 8, 38, 0, 40, 10, 38, 0, 40, 14, 14, 0});
  // Data that is packed, kept and named, and some that only says that it is packed.
  out.push_back({kOrders, kRunsFunctions, 0, 0, 38, 0, 39, 2, 38, 0, 39, 3, 38, 0, 40, 8, 38, 0, 39, 0x76, 14, 0});
  // Data over a lane, in its order and before it, and some that is other data than was announced.
  out.push_back(
      {kOrders, kRunsFunctions, 0, 0, 38, 0, 40, 9, 38, 0, 40, 13, 39, 0, 38, 0, 40, 0x79, 38, 0, 40, 9, 14, 0});
  // Downloads over a lane, that come and that do not, until it is not used any more.
  out.push_back({kOrders, kRunsFunctions, 0, 0, 40, 2, 40, 4, 40, 4, 14, 0, 40, 3, 40, 4, 14, 0});
  out.push_back({kOrders, kRunsFunctions | kDiscrete, 0, 0, 40, 2, 40, 4, 40, 4, 40, 4, 14, 0});
  // Arrays and textures: made, copied both ways, within a graph too, and given up while something may use them.
  out.push_back({kOrders, kRunsFunctions,
                 0,       0,
                 44,      0,
                 44,      1,
                 45,      0,
                 45,      4,
                 45,      8,
                 46,      0,
                 46,      1,
                 46,      2,
                 17,      0,
                 33,      2,
                 34,      0,
                 44,      8,
                 46,      8,
                 45,      0,
                 44,      8,
                 34,      0,
                 14,      0});
  out.push_back({kOrders, kKeepsToRules | kDiscrete, 0, 0, 44, 0, 46, 0, 45, 4, 17, 0, 45, 0, 44, 8, 43, 0, 44, 0});
  return out;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::quietLog();
  static Messages messages;
  const bool orders = size >= 2 && data[0] == kOrders;
  const std::uint8_t manner = orders ? data[1] : size % 2 ? kDiscrete : 0;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) std::abort();
  Client client(net::Socket(ends[0]), manner & kRunsFunctions);
  // Whoever keeps to the rules must not make work fault.
  worker::FakeHip fake(
      {.cpuReachesMemory = !(manner & kDiscrete), .runsKernels = false, .forgiving = !(manner & kKeepsToRules)});
  const worker::Frames frames =
      orders ? worker::playOrders({data + 2, std::min(size - 2, kMostOrders)}, manner & kKeepsToRules)
             : worker::Frames{};
  worker::Ledger ledger({64 * kMiB}, 1);
  worker::FakeCredit credit(ledger, 0);
  std::thread sender([&] {
    (void)client.send(hello().bytes());
    if (orders) {
      for (const auto& frame : frames.own)
        if (!client.send(frame)) break;
    } else {
      (void)client.send({reinterpret_cast<const std::byte*>(data), size});
    }
    client.finish(manner & kLeavesAbruptly);
  });
  std::thread receiver([&] { client.listen(); });
  const auto page = std::make_unique<worker::SessionPage>();
  {
    worker::SessionOptions options;
    options.devices = {0};
    options.credit = &credit;
    options.page = page.get();
    options.dataFolder = dataFolder();
    options.dataLimit = 64 << 10;
    options.invite = [](wire::Bits256&) { return deserted(SOCK_SEQPACKET); };
    options.connect = [](const std::string& worker) {
      return worker == "there" ? deserted(SOCK_STREAM) : worker::Descriptor();
    };
    options.limits.set(worker::Quota::kOperations, 20);  // so that they are met
    options.limits.set(worker::Quota::kWaits, 8);
    options.limits.set(worker::Quota::kThreads, 3);
    worker::Session session(net::overSocket(net::Socket(ends[1]), 60), fake.table(), options);
    auto [lane, sessionsLane] = net::loopback();
    session.lanes().join(worker::kOrdersLane, std::move(sessionsLane));
    std::thread overLane([&, &link = *lane] {
      for (const auto& frame : frames.lane)
        if (!link.send(net::Transport::Part(frame)).ok()) break;
      link.finishSending();
    });
    (void)session.run();
    lane->shutdown();
    overLane.join();
  }
  messages.add(page->counters);
  sender.join();
  receiver.join();
  if (fake.liveObjects() != 0) {
    std::printf("left behind:%s\n", fake.leaks().c_str());
    std::fflush(stdout);
    std::abort();
  }
  return 0;
}
