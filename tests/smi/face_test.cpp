// The exported functions of libamd_smi over a fake source, compiled for each soname: rules of starting, handles and
// arguments, values and the marks of "not available", and how often the worker is asked.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <thread>

#include "amdsmi/exports.h"
#include "tests/smi/fake_source.h"

using namespace hipr::smi;

extern "C" {
Code amdsmi_init(std::uint64_t);
Code amdsmi_shut_down();
Code amdsmi_get_lib_version(Version*);
Code amdsmi_status_code_to_string(Code, const char**);
Code amdsmi_get_socket_handles(std::uint32_t*, Handle*);
Code amdsmi_get_socket_info(Handle, std::size_t, char*);
Code amdsmi_get_processor_handles(Handle, std::uint32_t*, Handle*);
Code amdsmi_get_processor_handle_from_bdf(std::uint64_t, Handle*);
Code amdsmi_get_gpu_asic_info(Handle, caller::Asic*);
Code amdsmi_get_gpu_board_info(Handle, caller::Board*);
Code amdsmi_get_gpu_driver_info(Handle, caller::Driver*);
Code amdsmi_get_gpu_vbios_info(Handle, caller::Vbios*);
Code amdsmi_get_gpu_vram_info(Handle, caller::Vram*);
Code amdsmi_get_gpu_device_bdf(Handle, std::uint64_t*);
Code amdsmi_get_gpu_bdf_id(Handle, std::uint64_t*);
Code amdsmi_get_gpu_device_uuid(Handle, unsigned*, char*);
Code amdsmi_get_power_cap_info(Handle, std::uint32_t, PowerCap*);
Code amdsmi_get_gpu_virtualization_mode(Handle, std::uint32_t*);
#if HIPR_SMI_ABI >= 26
Code amdsmi_get_gpu_enumeration_info(Handle, caller::Enumeration*);
#endif
Code amdsmi_get_gpu_metrics_info(Handle, caller::Metrics*);
Code amdsmi_get_gpu_activity(Handle, Usage*);
Code amdsmi_get_power_info(Handle, caller::Power*);
Code amdsmi_get_clock_info(Handle, std::uint32_t, caller::Clock*);
Code amdsmi_get_temp_metric(Handle, std::uint32_t, std::uint32_t, std::int64_t*);
Code amdsmi_get_gpu_memory_usage(Handle, std::uint32_t, std::uint64_t*);
Code amdsmi_get_energy_count(Handle, std::uint64_t*, float*, std::uint64_t*);
Code amdsmi_get_gpu_fan_speed(Handle, std::uint32_t, std::int64_t*);
Code amdsmi_get_pcie_info(Handle, Pcie*);
Code amdsmi_get_gpu_pci_throughput(Handle, std::uint64_t*, std::uint64_t*, std::uint64_t*);
Code amdsmi_get_gpu_total_ecc_count(Handle, Errors*);
Code amdsmi_get_gpu_process_list(Handle, std::uint32_t*, caller::Process*);
Code amdsmi_is_P2P_accessible(Handle, Handle, bool*);
Code amdsmi_topo_get_link_type(Handle, Handle, std::uint64_t*, std::uint32_t*);
Code amdsmi_topo_get_link_weight(Handle, Handle, std::uint64_t*);
Code amdsmi_get_minmax_bandwidth_between_processors(Handle, Handle, std::uint64_t*, std::uint64_t*);
Code amdsmi_get_gpu_cache_info(Handle, void*);
}

namespace {

constexpr std::uint64_t kGpus = 2;

class Face : public ::testing::Test {
 protected:
  void SetUp() override {
    fakeWorker() = {};
    ASSERT_EQ(amdsmi_init(kGpus), kSuccess);
    std::uint32_t count = 1;
    ASSERT_EQ(amdsmi_get_socket_handles(&count, &socket_), kSuccess);
    count = 2;
    ASSERT_EQ(amdsmi_get_processor_handles(socket_, &count, gpu_), kSuccess);
    ASSERT_EQ(count, 2u);
  }
  void TearDown() override {
    while (amdsmi_shut_down() == kSuccess) {
    }
  }
  Handle socket_ = nullptr, gpu_[2] = {};
};

TEST(FaceStart, IsCounted) {
  fakeWorker() = {};
  EXPECT_EQ(amdsmi_shut_down(), kNotInitialized);
  EXPECT_EQ(amdsmi_init(kGpus), kSuccess);
  EXPECT_EQ(amdsmi_init(0), kSuccess);
  EXPECT_EQ(fakeWorker().opened, 1);
  std::uint32_t count = 0;
  EXPECT_EQ(amdsmi_shut_down(), kSuccess);
  EXPECT_EQ(amdsmi_get_socket_handles(&count, nullptr), kSuccess);
  EXPECT_EQ(amdsmi_shut_down(), kSuccess);
  EXPECT_EQ(amdsmi_get_socket_handles(&count, nullptr), kNotInitialized);
}

TEST(FaceStart, WithoutGpusNeedsNoWorker) {
  fakeWorker() = {.reachable = false};
  std::uint32_t count = 7;
  EXPECT_EQ(amdsmi_init(0), kSuccess);
  EXPECT_EQ(amdsmi_get_socket_handles(&count, nullptr), kSuccess);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(amdsmi_shut_down(), kSuccess);
}

TEST(FaceStart, FailsWithoutAWorkerAndCanBeTriedAgain) {
  fakeWorker() = {.reachable = false};
  EXPECT_EQ(amdsmi_init(kGpus), kNoDriver);
  std::uint32_t count = 0;
  EXPECT_EQ(amdsmi_get_socket_handles(&count, nullptr), kNotInitialized);
  fakeWorker().reachable = true;
  EXPECT_EQ(amdsmi_init(kGpus), kSuccess);
  EXPECT_EQ(amdsmi_shut_down(), kSuccess);
}

TEST(FaceStart, VersionAndStatusTextNeedNone) {
  Version version{};
  ASSERT_EQ(amdsmi_get_lib_version(&version), kSuccess);
  EXPECT_EQ(version.words[0], static_cast<std::uint32_t>(HIPR_SMI_ABI));
  EXPECT_NE(std::strstr(version.build, "hip-remote"), nullptr);
  const char* text = nullptr;
  ASSERT_EQ(amdsmi_status_code_to_string(kNotSupported, &text), kSuccess);
  EXPECT_NE(std::strstr(text, "NOT_SUPPORTED"), nullptr);
  EXPECT_EQ(amdsmi_status_code_to_string(12345, &text), kSuccess);
  EXPECT_NE(text, nullptr);
  EXPECT_EQ(amdsmi_get_lib_version(nullptr), kInvalid);
}

TEST_F(Face, CountsThenFills) {
  std::uint32_t count = 99;
  EXPECT_EQ(amdsmi_get_socket_handles(&count, nullptr), kSuccess);
  EXPECT_EQ(count, 1u);  // two functions of one device
  EXPECT_EQ(amdsmi_get_processor_handles(socket_, &count, nullptr), kSuccess);
  EXPECT_EQ(count, 2u);
  Handle handles[3] = {nullptr, &count, &count};
  count = 1;
  EXPECT_EQ(amdsmi_get_processor_handles(socket_, &count, handles), kSuccess);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(handles[0], gpu_[0]);
  EXPECT_EQ(handles[1], &count);
  char name[32];
  EXPECT_EQ(amdsmi_get_socket_info(socket_, sizeof name, name), kSuccess);
  EXPECT_STREQ(name, "0000:c3:00");
  Handle found = nullptr;
  EXPECT_EQ(amdsmi_get_processor_handle_from_bdf(0xc301, &found), kSuccess);
  EXPECT_EQ(found, gpu_[1]);
  EXPECT_EQ(amdsmi_get_processor_handle_from_bdf(0xc400, &found), kNotFound);
}

TEST_F(Face, ChecksHandlesAndArguments) {
  caller::Asic asic;
  int elsewhere = 0;
  EXPECT_EQ(amdsmi_get_gpu_asic_info(nullptr, &asic), kInvalid);
  EXPECT_EQ(amdsmi_get_gpu_asic_info(&elsewhere, &asic), kNotFound);
  EXPECT_EQ(amdsmi_get_gpu_asic_info(reinterpret_cast<Handle>(0x1234), &asic), kNotFound);
  EXPECT_EQ(amdsmi_get_gpu_asic_info(socket_, &asic), kNotSupported);
  EXPECT_EQ(amdsmi_get_gpu_asic_info(gpu_[0], nullptr), kInvalid);
  EXPECT_EQ(amdsmi_get_gpu_memory_usage(gpu_[0], 0, nullptr), kInvalid);
  EXPECT_EQ(amdsmi_get_gpu_process_list(gpu_[0], nullptr, nullptr), kInvalid);
  unsigned size = 37;
  char uuid[64];
  EXPECT_EQ(amdsmi_get_gpu_device_uuid(gpu_[0], &size, uuid), kInvalid);
  EXPECT_EQ(amdsmi_get_gpu_cache_info(nullptr, nullptr), kNotSupported);
}

TEST_F(Face, DescribesAGpu) {
  caller::Asic asic;
  ASSERT_EQ(amdsmi_get_gpu_asic_info(gpu_[0], &asic), kSuccess);
  EXPECT_STREQ(asic.name, "AMD Instinct MI210");
  EXPECT_EQ(asic.vendorId, 0x1002u);
  EXPECT_EQ(asic.deviceId, 0x740fu);
  EXPECT_STREQ(asic.serial, "18b6f2c000a1d3e4");
  caller::Board board;
  ASSERT_EQ(amdsmi_get_gpu_board_info(gpu_[0], &board), kSuccess);
  EXPECT_STREQ(board.model, "102-D67301");
  caller::Driver driver;
  ASSERT_EQ(amdsmi_get_gpu_driver_info(gpu_[0], &driver), kSuccess);
  EXPECT_STREQ(driver.name, "amdgpu");
  EXPECT_STREQ(driver.version, "6.12.12");
  caller::Vbios vbios;
  ASSERT_EQ(amdsmi_get_gpu_vbios_info(gpu_[0], &vbios), kSuccess);
  EXPECT_STREQ(vbios.version, "022.040.003");
  caller::Vram vram;
  ASSERT_EQ(amdsmi_get_gpu_vram_info(gpu_[0], &vram), kSuccess);
  EXPECT_EQ(vram.megabytes, 65536u);
  std::uint64_t bdf = 0;
  ASSERT_EQ(amdsmi_get_gpu_device_bdf(gpu_[1], &bdf), kSuccess);
  EXPECT_EQ(bdf, 0xc301u);
  ASSERT_EQ(amdsmi_get_gpu_bdf_id(gpu_[0], &bdf), kSuccess);
  EXPECT_EQ(bdf, 0xc300u);
  unsigned size = 38;
  char uuid[38];
  ASSERT_EQ(amdsmi_get_gpu_device_uuid(gpu_[0], &size, uuid), kSuccess);
  EXPECT_STREQ(uuid, "18ff740f-0000-1000-80b6-f2c000a1d3e4");
  ASSERT_EQ(amdsmi_get_gpu_device_uuid(gpu_[1], &size, uuid), kSuccess);
  EXPECT_EQ(std::strlen(uuid), 36u);  // made from a label of another form
  PowerCap cap;
  ASSERT_EQ(amdsmi_get_power_cap_info(gpu_[0], 0, &cap), kSuccess);
  EXPECT_EQ(cap.cap, 300'000'000u);
  std::uint32_t mode = 0;
  ASSERT_EQ(amdsmi_get_gpu_virtualization_mode(gpu_[0], &mode), kSuccess);
  EXPECT_EQ(mode, 4u);
  EXPECT_EQ(fakeWorker().reads, 0);  // all of it was learned at the start
}

TEST_F(Face, TellsWhatAGpuDoes) {
  std::int64_t number = 0;
  EXPECT_EQ(amdsmi_get_temp_metric(gpu_[0], 1, 0, &number), kSuccess);
  EXPECT_EQ(number, 51);
  EXPECT_EQ(amdsmi_get_temp_metric(gpu_[0], 1, 5, &number), kSuccess);
  EXPECT_EQ(number, 100);
  EXPECT_EQ(amdsmi_get_temp_metric(gpu_[0], 0, 0, &number), kNotSupported);
  EXPECT_EQ(amdsmi_get_temp_metric(gpu_[0], 100, 0, &number), kNotSupported);
  Usage usage;
  ASSERT_EQ(amdsmi_get_gpu_activity(gpu_[0], &usage), kSuccess);
  EXPECT_EQ(usage.engine, 83u);
  EXPECT_EQ(usage.memory, 0xFFFFu);
  caller::Power power;
  ASSERT_EQ(amdsmi_get_power_info(gpu_[0], &power), kSuccess);
  EXPECT_EQ(power.current, 95u);
  EXPECT_EQ(power.engineVoltage, 806u);
  EXPECT_EQ(power.memoryVoltage, HIPR_SMI_ABI < 27 ? 0xFFFF : ~std::uint64_t{0});  // each Python package knows its own
  EXPECT_EQ(power.limit, 300'000'000u);
  caller::Clock clock;
  ASSERT_EQ(amdsmi_get_clock_info(gpu_[0], 0, &clock), kSuccess);
  EXPECT_EQ(clock.now, 1655u);
  EXPECT_EQ(clock.most, 1700u);
  EXPECT_EQ(clock.least, HIPR_SMI_ABI == 24 ? 0xFFFFu : 0xFFFFFFFFu);
  EXPECT_EQ(amdsmi_get_clock_info(gpu_[0], 6, &clock), kNotSupported);
  std::uint64_t used = 0, counter = 0, stamp = 0;
  EXPECT_EQ(amdsmi_get_gpu_memory_usage(gpu_[0], 0, &used), kSuccess);
  EXPECT_EQ(used, std::uint64_t{3} << 30);
  float resolution = 0;
  EXPECT_EQ(amdsmi_get_energy_count(gpu_[0], &counter, &resolution, &stamp), kSuccess);
  EXPECT_NEAR(static_cast<double>(counter) * static_cast<double>(resolution), 153e6, 20);
  EXPECT_EQ(amdsmi_get_gpu_fan_speed(gpu_[0], 0, &number), kSuccess);
  EXPECT_EQ(number, 102);
  Pcie pcie;
  ASSERT_EQ(amdsmi_get_pcie_info(gpu_[0], &pcie), kSuccess);
  EXPECT_EQ(pcie.maxSpeed, 16000u);
  EXPECT_EQ(pcie.width, 16);
  EXPECT_EQ(pcie.replays, ~std::uint64_t{0});
  std::uint64_t sent = 0, received = 0, unit = 0;
  ASSERT_EQ(amdsmi_get_gpu_pci_throughput(gpu_[0], &sent, &received, &unit), kSuccess);
  EXPECT_EQ(sent * unit, 5'000'000u);  // so amd-smi computes it
  EXPECT_EQ(received * unit, 3'000'000u);
  Errors errors;
  ASSERT_EQ(amdsmi_get_gpu_total_ecc_count(gpu_[0], &errors), kSuccess);
  EXPECT_EQ(errors.correctable, 7u);
}

TEST_F(Face, FillsMetricsAndNotAByteMore) {
  struct {
    caller::Metrics metrics;
    std::uint64_t behind = 0x1122334455667788;
  } out;
  ASSERT_EQ(amdsmi_get_gpu_metrics_info(gpu_[0], &out.metrics), kSuccess);
  EXPECT_EQ(out.behind, 0x1122334455667788u);
  EXPECT_EQ(out.metrics.head.header.size, sizeof out.metrics);
  EXPECT_EQ(out.metrics.head.hotspot, 51);
  EXPECT_EQ(out.metrics.head.edge, 0xFFFF);
  EXPECT_EQ(out.metrics.head.engineBusy, 83);
  EXPECT_EQ(out.metrics.socketPower, 95);
  EXPECT_EQ(out.metrics.engineClocks[0], 1655);
  EXPECT_EQ(out.metrics.engineClocks[1], 0xFFFF);
  EXPECT_EQ(out.metrics.head.throttle, 0u);
#if HIPR_SMI_ABI == 27
  EXPECT_EQ(out.metrics.rest[548], 0u);  // callers look behind it
#endif
  ASSERT_EQ(amdsmi_get_gpu_metrics_info(gpu_[1], &out.metrics), kSuccess);
  EXPECT_EQ(out.metrics.head.hotspot, 0xFFFF);
  EXPECT_EQ(out.metrics.socketPower, 0xFFFF);
}

TEST_F(Face, SaysNotSupportedOfAGpuThatTellsNothing) {
  std::uint64_t number = 0;
  std::int64_t degrees = 0;
  PowerCap cap;
  caller::Clock clock;
  Pcie pcie;
  EXPECT_EQ(amdsmi_get_gpu_memory_usage(gpu_[1], 0, &number), kNotSupported);
  EXPECT_EQ(amdsmi_get_temp_metric(gpu_[1], 1, 0, &degrees), kNotSupported);
  if (HIPR_SMI_ABI == 24) {  // its amd-smi cannot do without
    EXPECT_EQ(amdsmi_get_power_cap_info(gpu_[1], 0, &cap), kSuccess);
    EXPECT_EQ(cap.cap, 0u);
    EXPECT_EQ(cap.most, 0u);
  } else {
    EXPECT_EQ(amdsmi_get_power_cap_info(gpu_[1], 0, &cap), kNotSupported);
  }
  EXPECT_EQ(amdsmi_get_clock_info(gpu_[1], 0, &clock), kNotSupported);
  EXPECT_EQ(amdsmi_get_pcie_info(gpu_[1], &pcie), kNotSupported);
  caller::Asic asic;
  ASSERT_EQ(amdsmi_get_gpu_asic_info(gpu_[1], &asic), kSuccess);
  EXPECT_STREQ(asic.serial, "");  // callers parse it as a hexadecimal number
  EXPECT_EQ(asic.oamId, static_cast<decltype(asic.oamId)>(~0U));
  EXPECT_EQ(asic.deviceId, HIPR_SMI_ABI == 24 ? 0 : ~std::uint64_t{0});
  EXPECT_EQ(asic.revision, HIPR_SMI_ABI == 24 ? 0u : HIPR_SMI_ABI == 26 ? 0xFFFFu : 0xFFFFFFFFu);
}

#if HIPR_SMI_ABI == 24
TEST_F(Face, NumbersThingsAsRocm6Did) {
  caller::Vram vram;
  ASSERT_EQ(amdsmi_get_gpu_vram_info(gpu_[0], &vram), kSuccess);
  EXPECT_EQ(vram.type, 6u);    // HBM of any kind
  EXPECT_EQ(vram.vendor, 0u);  // nobody's number
  ASSERT_EQ(amdsmi_get_gpu_vram_info(gpu_[1], &vram), kSuccess);
  EXPECT_EQ(vram.type, 0u);  // amd-smi looks it up without asking whether it is there
  caller::Clock clock;
  ASSERT_EQ(amdsmi_get_clock_info(gpu_[0], 0, &clock), kSuccess);
  EXPECT_EQ(clock.sleep, 0xFFFFu);
}
#else
TEST_F(Face, TellsWhatNewerStructuresHaveRoomFor) {
  caller::Asic asic;
  ASSERT_EQ(amdsmi_get_gpu_asic_info(gpu_[0], &asic), kSuccess);
  EXPECT_EQ(asic.subvendorId, 0xFFFFFFFFu);
  EXPECT_EQ(asic.computeUnits, 104u);
  EXPECT_EQ(asic.target, 0x90au);
  ASSERT_EQ(amdsmi_get_gpu_asic_info(gpu_[1], &asic), kSuccess);
  EXPECT_EQ(asic.target, ~std::uint64_t{0});
  caller::Vram vram;
  ASSERT_EQ(amdsmi_get_gpu_vram_info(gpu_[0], &vram), kSuccess);
  EXPECT_EQ(vram.type, 3u);
  EXPECT_EQ(vram.bits, 4096u);
  caller::Enumeration enumeration;
  ASSERT_EQ(amdsmi_get_gpu_enumeration_info(gpu_[0], &enumeration), kSuccess);
  EXPECT_EQ(enumeration.renderNode, 129u);
  EXPECT_EQ(enumeration.hip, 0u);
  caller::Power power;
  ASSERT_EQ(amdsmi_get_power_info(gpu_[0], &power), kSuccess);
  EXPECT_EQ(power.socket, 95u);
  EXPECT_EQ(power.board, HIPR_SMI_ABI == 26 ? 0xFFFFu : 0xFFFFFFFFu);
  std::uint32_t count = 3;
  caller::Process list[3];
  ASSERT_EQ(amdsmi_get_gpu_process_list(gpu_[0], &count, list), kSuccess);
  EXPECT_EQ(list[2].computeUnits, 0xFFFFFFFFu);
}
#endif

TEST_F(Face, ListsProcesses) {
  std::uint32_t count = 0;
  EXPECT_EQ(amdsmi_get_gpu_process_list(gpu_[0], &count, nullptr), kSuccess);
  EXPECT_EQ(count, 3u);
  auto list = std::make_unique<caller::Process[]>(8);
  count = 2;
  EXPECT_EQ(amdsmi_get_gpu_process_list(gpu_[0], &count, list.get()), kOutOfResources);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(list[1].pid, 200u);
  EXPECT_EQ(list[2].pid, 0u);
  count = 8;
  EXPECT_EQ(amdsmi_get_gpu_process_list(gpu_[0], &count, list.get()), kSuccess);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(list[2].pid, 300u);
  EXPECT_STREQ(list[2].name, "python3");
  EXPECT_STREQ(list[2].container, "laptop:300");
  EXPECT_EQ(list[2].vram, 1u << 20);
  count = 8;
  EXPECT_EQ(amdsmi_get_gpu_process_list(gpu_[1], &count, list.get()), kSuccess);
  EXPECT_EQ(count, 0u);
}

TEST_F(Face, KnowsTheLinks) {
  std::uint64_t hops = 0, weight = 0, least = 0, most = 0;
  std::uint32_t type = 0;
  bool accessible = false;
  EXPECT_EQ(amdsmi_topo_get_link_type(gpu_[0], gpu_[1], &hops, &type), kSuccess);
  EXPECT_EQ(hops, 1u);
  EXPECT_EQ(type, 2u);
  EXPECT_EQ(amdsmi_topo_get_link_weight(gpu_[0], gpu_[1], &weight), kSuccess);
  EXPECT_EQ(weight, 15u);
  EXPECT_EQ(amdsmi_get_minmax_bandwidth_between_processors(gpu_[0], gpu_[1], &least, &most), kSuccess);
  EXPECT_EQ(most, 100'000u);
  EXPECT_EQ(amdsmi_is_P2P_accessible(gpu_[0], gpu_[1], &accessible), kSuccess);
  EXPECT_TRUE(accessible);
  EXPECT_EQ(amdsmi_is_P2P_accessible(gpu_[0], gpu_[0], &accessible), kSuccess);
  EXPECT_FALSE(accessible);
  EXPECT_EQ(amdsmi_topo_get_link_weight(gpu_[1], gpu_[0], &weight), kSuccess);  // not known, so the usual one
  EXPECT_EQ(weight, 40u);
  EXPECT_EQ(amdsmi_is_P2P_accessible(gpu_[1], gpu_[0], &accessible), kSuccess);
  EXPECT_FALSE(accessible);
  EXPECT_EQ(amdsmi_get_minmax_bandwidth_between_processors(gpu_[1], gpu_[0], &least, &most), kNotSupported);
  EXPECT_EQ(amdsmi_topo_get_link_weight(gpu_[0], gpu_[0], &weight), kInvalid);
}

TEST_F(Face, AsksTheWorkerOnceForManyCalls) {
  const auto begin = Live::Clock::now();
  std::int64_t celsius = 0;
  for (int i = 0; i < 200; ++i) amdsmi_get_temp_metric(gpu_[i & 1], 1, 0, &celsius);
  const auto took = Live::Clock::now() - begin;
  EXPECT_LE(fakeWorker().reads, 1 + took / Live::kFresh);
}

TEST_F(Face, FailsWhenTheWorkerIsGone) {
  fakeWorker().readable = false;
  std::uint64_t used = 0;
  std::uint32_t count = 0;
  caller::Asic asic;
  EXPECT_EQ(amdsmi_get_gpu_memory_usage(gpu_[0], 0, &used), kIo);
  EXPECT_EQ(amdsmi_get_gpu_process_list(gpu_[0], &count, nullptr), kIo);
  EXPECT_EQ(amdsmi_get_gpu_asic_info(gpu_[0], &asic), kSuccess);
}

TEST_F(Face, AForkedChildHasItsOwnConnection) {
  const pid_t child = fork();
  if (child == 0) {
    std::uint64_t used = 0;
    const bool good = amdsmi_get_gpu_memory_usage(gpu_[0], 0, &used) == kSuccess && fakeWorker().opened == 2;
    _exit(good ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(Face, ServesManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this] {
      for (int i = 0; i < 200; ++i) {
        std::uint64_t used = 0;
        caller::Metrics metrics;
        EXPECT_EQ(amdsmi_init(kGpus), kSuccess);
        EXPECT_EQ(amdsmi_get_gpu_memory_usage(gpu_[0], 0, &used), kSuccess);
        EXPECT_EQ(amdsmi_get_gpu_metrics_info(gpu_[0], &metrics), kSuccess);
        EXPECT_EQ(amdsmi_shut_down(), kSuccess);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(LiveReadings, StayFreshForATenthOfASecond) {
  fakeWorker() = {};
  Live live(fakeSource());
  const Live::Clock::time_point start{std::chrono::hours(1)};
  live.readings(start);
  live.readings(start + std::chrono::milliseconds(99));
  EXPECT_EQ(fakeWorker().reads, 1);
  live.readings(start + std::chrono::milliseconds(100));
  EXPECT_EQ(fakeWorker().reads, 2);
  live.processes(start);
  live.processes(start + std::chrono::milliseconds(99));
  EXPECT_EQ(fakeWorker().lists, 1);
}

}  // namespace
