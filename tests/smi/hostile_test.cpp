// libamd_smi against a worker that lies: every answer is an error or a value that fits, never a crash.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cmath>
#include <functional>
#include <thread>

#include "amdsmi/exports.h"
#include "net/socket.h"
#include "wire/append.h"

using namespace hipr::smi;
namespace net = hipr::net;
namespace wire = hipr::wire;

extern "C" {
Code amdsmi_init(std::uint64_t);
Code amdsmi_shut_down();
Code amdsmi_get_socket_handles(std::uint32_t*, Handle*);
Code amdsmi_get_processor_handles(Handle, std::uint32_t*, Handle*);
Code amdsmi_get_gpu_asic_info(Handle, caller::Asic*);
Code amdsmi_get_gpu_metrics_info(Handle, caller::Metrics*);
Code amdsmi_get_power_cap_info(Handle, std::uint32_t, PowerCap*);
Code amdsmi_get_gpu_memory_usage(Handle, std::uint32_t, std::uint64_t*);
Code amdsmi_get_energy_count(Handle, std::uint64_t*, float*, std::uint64_t*);
Code amdsmi_get_gpu_process_list(Handle, std::uint32_t*, caller::Process*);
}

namespace {

using Bytes = std::vector<std::byte>;

// Answers each request with what `reply` makes of its opcode and number; hangs up when that is nothing, or after it.
class Liar {
 public:
  explicit Liar(std::function<Bytes(const wire::Header&)> reply, bool hangsUp = false)
      : reply_(std::move(reply)), hangsUp_(hangsUp) {
    std::uint16_t port = 0;
    EXPECT_TRUE(net::listenOn("127.0.0.1", 0, listener_, &port).ok());
    setenv("TF_WORKER_HOST", "127.0.0.1", 1);
    setenv("TF_WORKER_PORT", std::to_string(port).c_str(), 1);
    thread_ = std::thread([this] { serve(); });
  }
  ~Liar() {
    while (amdsmi_shut_down() == kSuccess) {
    }
    listener_.shutdown();
    thread_.join();
  }

 private:
  void serve() {
    for (int fd; (fd = accept(listener_.fd(), nullptr, nullptr)) >= 0;) {
      net::Socket client(fd);
      std::byte bytes[wire::kHeaderSize];
      while (client.receive(bytes, sizeof bytes).ok()) {
        wire::Header header;
        if (!wire::decodeHeader(bytes, header)) break;
        Bytes payload(header.length);
        if (!client.receive(payload.data(), payload.size()).ok()) break;
        const Bytes answer = reply_(header);
        if (answer.empty() || !client.send(answer).ok() || hangsUp_) break;
      }
    }
  }

  const std::function<Bytes(const wire::Header&)> reply_;
  const bool hangsUp_;
  net::Socket listener_;
  std::thread thread_;
};

template <class Message>
Bytes frame(const wire::Header& request, const Message& message) {
  Bytes out;
  wire::appendFrame(out, static_cast<wire::Opcode>(request.opcode), request.request, wire::HIP_REMOTE_FLAG_REPLY,
                    message);
  return out;
}

bool opens(const wire::Header& request) {
  return request.opcode == static_cast<std::uint16_t>(wire::Opcode::kSmiOpen);
}

wire::SmiOpenReply oneGpu() {
  wire::SmiOpenReply reply;
  reply.gpus.resize(1);
  reply.gpus[0].name = std::string(1000, 'x');
  reply.gpus[0].name[0] = '\xff';  // no text in any encoding
  reply.gpus[0].serial = "not hexadecimal";
  reply.gpus[0].target = "gfx";
  reply.gpus[0].bdf = "nowhere";
  reply.gpus[0].powerCapWatts = std::nan("");
  return reply;
}

Handle firstGpu() {
  std::uint32_t count = 1;
  Handle socket = nullptr, gpu = nullptr;
  EXPECT_EQ(amdsmi_get_socket_handles(&count, &socket), kSuccess);
  count = 1;
  EXPECT_EQ(amdsmi_get_processor_handles(socket, &count, &gpu), kSuccess);
  return gpu;
}

TEST(Hostile, NoWorkerAtAll) {
  const Liar hangsUp([](const wire::Header&) { return Bytes{}; });
  EXPECT_EQ(amdsmi_init(2), kNoDriver);
}

TEST(Hostile, SomethingElse) {
  const Liar speaksHttp([](const wire::Header&) { return Bytes(200, std::byte{'H'}); });
  EXPECT_EQ(amdsmi_init(2), kNoDriver);
}

TEST(Hostile, ShortMessages) {
  const wire::Header open{.opcode = static_cast<std::uint16_t>(wire::Opcode::kSmiOpen), .request = 1};
  const Bytes whole = frame(open, oneGpu());
  for (const std::size_t length : {std::size_t{1}, wire::kHeaderSize - 1, wire::kHeaderSize, whole.size() - 1}) {
    const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    const Liar cutsOff([&](const wire::Header&) { return part; }, true);
    EXPECT_EQ(amdsmi_init(2), kNoDriver) << length;
  }
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{3}, std::size_t{40}, whole.size() - wire::kHeaderSize - 1}) {
    Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(wire::kHeaderSize + length));
    wire::Header header = open;
    header.flags = wire::HIP_REMOTE_FLAG_REPLY;
    header.length = length;
    wire::encodeHeader(header, part.data());
    const Liar leavesOut([&](const wire::Header&) { return part; });
    EXPECT_EQ(amdsmi_init(2), kNoDriver) << length;
  }
}

TEST(Hostile, ValuesThatFitNowhere) {
  const Liar exaggerates([](const wire::Header& request) {
    if (opens(request)) return frame(request, oneGpu());
    wire::SmiReadReply reply;
    reply.readings.resize(1);
    reply.readings[0].powerWatts = 1e300;
    reply.readings[0].hotspotCelsius = -std::numeric_limits<double>::infinity();
    reply.readings[0].busyPercent = std::nan("");
    reply.readings[0].energyJoules = 1e300;
    reply.readings[0].engineMHz = 4'000'000'000;
    return frame(request, reply);
  });
  ASSERT_EQ(amdsmi_init(2), kSuccess);
  const Handle gpu = firstGpu();
  caller::Asic asic;
  ASSERT_EQ(amdsmi_get_gpu_asic_info(gpu, &asic), kSuccess);
  EXPECT_EQ(std::strlen(asic.name), sizeof asic.name - 1);
  EXPECT_EQ(asic.name[0], '?');
  EXPECT_STREQ(asic.serial, "");
  PowerCap cap;
  EXPECT_EQ(amdsmi_get_power_cap_info(gpu, 0, &cap), kNotSupported);
  caller::Metrics metrics;
  ASSERT_EQ(amdsmi_get_gpu_metrics_info(gpu, &metrics), kSuccess);
  EXPECT_EQ(metrics.socketPower, 0xFFFF);
  EXPECT_EQ(metrics.head.hotspot, 0xFFFF);
  EXPECT_EQ(metrics.head.engineBusy, 0xFFFF);
  EXPECT_EQ(metrics.head.engineClock, 0xFFFF);
  std::uint64_t counter = 0;
  EXPECT_EQ(amdsmi_get_energy_count(gpu, &counter, nullptr, nullptr), kNotSupported);
}

TEST(Hostile, ReadingsOfOtherGpus) {
  const Liar miscounts([](const wire::Header& request) {
    if (opens(request)) return frame(request, oneGpu());
    wire::SmiReadReply reply;
    reply.readings.resize(3);
    reply.processes.resize(1);
    reply.processes[0].gpu = 77;
    return frame(request, reply);
  });
  ASSERT_EQ(amdsmi_init(2), kSuccess);
  std::uint64_t used = 0;
  std::uint32_t count = 0;
  EXPECT_EQ(amdsmi_get_gpu_memory_usage(firstGpu(), 0, &used), kIo);
  EXPECT_EQ(amdsmi_get_gpu_process_list(firstGpu(), &count, nullptr), kIo);
}

TEST(Hostile, AWorkerThatFails) {
  const Liar fails([](const wire::Header& request) {
    if (opens(request)) return frame(request, oneGpu());
    wire::SmiReadReply reply;
    reply.status = 1;
    reply.text = "out of order";
    return frame(request, reply);
  });
  ASSERT_EQ(amdsmi_init(2), kSuccess);
  std::uint64_t used = 0;
  EXPECT_EQ(amdsmi_get_gpu_memory_usage(firstGpu(), 0, &used), kIo);
}

}  // namespace
