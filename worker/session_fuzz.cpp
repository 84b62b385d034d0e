// Fuzzes a whole session: after a valid Hello the input is what the client sends, byte for byte. The runtime is a fake,
// so whatever goes wrong is our doing. When the client has left, the session must have given everything back.
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

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
  const code::ContentHash hash = code::hashContent(code);
  return script.add<Opcode::kModuleLoad>({kC, 0, {hash.low, hash.high}, code, {"counter"}})
      .add<Opcode::kFunctionGet>({kD, kC, "scale"});
}

template <class Message>
Message with(auto&& set) {
  Message m;
  set(m);
  return m;
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
      .add<Opcode::kMemoryCredit>({0, 100})
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
    (void)client.send({reinterpret_cast<const std::byte*>(data), size});
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
