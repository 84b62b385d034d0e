// Fuzzes a whole session: after a valid Hello the input is what the client sends, byte for byte; or, when it begins
// with kOrders, each pair of bytes is a well-formed message and what it names, so that the input is an order of
// messages. The runtime is a fake, so whatever goes wrong is our doing. When the client has left, the session must have
// given everything back.
#include <sys/socket.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "access/digest.h"
#include "base/log.h"
#include "code_object/test_image.h"
#include "mirror/changes.h"
#include "net/socket_transport.h"
#include "tests/fuzz/fuzz.h"
#include "worker/fake_credit.h"
#include "worker/fake_hip.h"
#include "worker/session.h"

using namespace hipr;
using wire::Opcode;

namespace {

constexpr std::uint64_t kDevice = 0x260000000000, kHost = 0x270000000000, kMiB = 1 << 20;
constexpr std::uint64_t kA = wire::kFirstObject, kB = kA + 1, kC = kA + 2, kD = kA + 3;

class Script {
 public:
  template <Opcode kOp>
  Script& add(const typename wire::MessageOf<kOp>::Type& message) {
    worker::appendFrame(bytes_, kOp, 7, 0, message);
    return *this;
  }
  Script& data(std::uint64_t transfer, std::size_t size) {
    const std::size_t at = bytes_.size();
    worker::appendFrame(bytes_, Opcode::kData, 0, 0, wire::Data{transfer, 0});
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
  m.deviceSize = 64 * kMiB;
  m.hostBase = kHost;
  m.hostSize = 8 * kMiB;
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

// The messages of an input that is an order of messages. There are few objects, so that most exist now and then.
Script ordered(const std::uint8_t* data, std::size_t size) {
  static const code::testing::Buffer code = code::testing::sampleElf();
  static const wire::Bits256 hash = access::digestOf(code);
  static const std::vector<std::byte> bytes(64);
  Script script;
  for (std::size_t i = 0; i + 1 < size; i += 2) {
    const std::uint64_t which = data[i + 1] % 3, object = kA + which, place = kDevice + which * kMiB;
    const std::uint64_t stream = data[i + 1] & 0x80 ? wire::kNullStream : object;
    const wire::Shape rows{place, 16, 64, 8, 2, 4};
    switch (data[i] % 30) {
      case 0:
        script.add<Opcode::kMapMemory>({0, place, kMiB});
        break;
      case 1:
        script.add<Opcode::kUnmapMemory>({place});
        break;
      case 2:
        script.add<Opcode::kStreamCreate>(with<wire::StreamCreate>([&](auto& m) { m.stream = object; }));
        break;
      case 3:
        script.add<Opcode::kStreamDestroy>({object});
        break;
      case 4:
        script.add<Opcode::kEventCreate>({object, 0, 0});
        break;
      case 5:
        script.add<Opcode::kEventDestroy>({object});
        break;
      case 6:
        script.add<Opcode::kEventRecord>({object, stream});
        break;
      case 7:
        script.add<Opcode::kEventSynchronize>({object});
        break;
      case 8:
        script.add<Opcode::kStreamWaitEvent>({stream, object});
        break;
      case 9:
        script.add<Opcode::kStreamSynchronize>({stream});
        break;
      case 10:
        script.add<Opcode::kStreamFence>({stream});
        break;
      case 11:
        script.add<Opcode::kStreamWatch>({stream});
        break;
      case 12:
        script.add<Opcode::kHostFunction>({stream, which});
        break;
      case 13:
        script.add<Opcode::kHostFunctionDone>({which});
        break;
      case 14:
        script.add<Opcode::kDeviceSynchronize>({0});
        break;
      case 15:
        script.add<Opcode::kDeviceFence>({0});
        break;
      case 16:
        script.add<Opcode::kDeviceReset>({0});
        break;
      case 17:
        script.add<Opcode::kModuleLoad>({object, 0, hash, data[i + 1] & 0x40 ? wire::Bytes() : code, {}});
        break;
      case 18:
        script.add<Opcode::kModuleUnload>({object});
        break;
      case 19:
        script.add<Opcode::kFunctionGet>({object, kA + data[i + 1] / 3 % 3, "scale"});
        break;
      case 20:
        script.add<Opcode::kLaunchKernel>(with<wire::LaunchKernel>([&](auto& m) {
          m.stream = stream, m.function = object, m.groups = m.block = {1, 1, 1},
          m.arguments = wire::Bytes(bytes).first(12);
        }));
        break;
      case 21:
        script.add<Opcode::kUpload>(
            with<wire::Upload>([&](auto& m) { m.stream = stream, m.to = rows, m.bytes = bytes; }));
        break;
      case 22:
        script.add<Opcode::kUpload>(
            with<wire::Upload>([&](auto& m) { m.stream = stream, m.to = rows, m.transfer = object; }));
        break;
      case 23:
        script.data(object, 64);
        break;
      case 24:
        script.add<Opcode::kDownload>({stream, rows, object});
        break;
      case 25:
        script.add<Opcode::kExposeHost>({kHost + which * kMiB, 8192, i + 1});
        break;
      case 26:
        script.add<Opcode::kConcealHost>({kHost + which * kMiB});
        break;
      case 27:
        script.add<Opcode::kMemoryCredit>({0, which * kMiB, 4 * kMiB});
        break;
      case 28:
        script.add<Opcode::kEventWatch>({object});
        break;
      default:
        script.add<Opcode::kPing>({});
        break;
    }
  }
  return script;
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
      .add<Opcode::kDeviceCopy>(with<wire::DeviceCopy>(
          [&](auto& m) { m.stream = 1, m.to = rows, m.from = kDevice + 4096, m.fromPitch = 8, m.fromSlice = 16; }))
      .add<Opcode::kFillMemory>(with<wire::FillMemory>([&](auto& m) { m.stream = 1, m.to = rows, m.elementSize = 2; }))
      .add<Opcode::kDownload>({1, rows, 10})
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
  std::vector<fuzz::Input> out;
  for (const Script& script : {memory, streams, launch, hostMemory, graphs}) out.push_back(fuzz::input(script.bytes()));
  // Memory, a stream, an event and a module, used; then what holds a stream, with work behind it.
  out.push_back({kOrders, 0, 0, 2, 0, 4, 0, 17, 1, 19, 5, 20, 0, 21, 0, 6, 0, 8, 0x80, 24, 0, 7, 0, 9, 0});
  out.push_back({kOrders, 0, 0, 2, 0, 12, 0, 21, 0, 22, 0, 24, 0, 10, 0, 1, 0, 3, 0, 13, 0, 23, 0, 14, 0, 16, 0});
  out.push_back({kOrders, 25, 0, 26, 0, 25, 0, 27, 1, 0, 1, 1, 1, 0, 1, 15, 0, 9, 0x80});
  return out;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::quietLog();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) std::abort();
  net::Socket client(ends[0]);
  worker::FakeHip fake({.cpuReachesMemory = size % 2 == 0, .runsKernels = false});
  worker::Ledger ledger({64 * kMiB}, 1);
  worker::FakeCredit credit(ledger, 0);
  std::thread sender([&] {
    (void)client.send(hello().bytes());
    if (size && data[0] == kOrders) {
      (void)client.send(ordered(data + 1, std::min<std::size_t>(size - 1, 400)).bytes());
    } else {
      (void)client.send({reinterpret_cast<const std::byte*>(data), size});
    }
    ::shutdown(client.fd(), SHUT_WR);
  });
  std::thread receiver([&] {
    std::vector<std::byte> sink(64 << 10);
    for (std::size_t got = 1; got && client.receiveSome(sink.data(), sink.size(), &got).ok();) {
    }
  });
  {
    worker::SessionOptions options;
    options.devices = {0};
    options.credit = &credit;
    options.limits.set(worker::Quota::kOperations, 20);  // so that they are met
    options.limits.set(worker::Quota::kWaits, 8);
    options.limits.set(worker::Quota::kThreads, 3);
    worker::Session session(net::overSocket(net::Socket(ends[1]), 60), fake.table(), options);
    (void)session.run();
  }
  sender.join();
  receiver.join();
  if (fake.liveObjects() != 0) {
    std::printf("left behind:%s\n", fake.leaks().c_str());
    std::fflush(stdout);
    std::abort();
  }
  return 0;
}
