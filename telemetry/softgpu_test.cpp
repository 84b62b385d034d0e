// What processes publish about software GPUs, and what telemetry makes of it.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "backends/softgpu/usage.h"
#include "telemetry/softgpu_usage.h"
#include "telemetry/source.h"

namespace hipr::telemetry {
namespace {

namespace fs = std::filesystem;
using softgpu::DeviceMeter;
using softgpu::Usage;

class SoftgpuTelemetry : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/hip-remote-usage-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder = name;
    setenv("HIP_REMOTE_SOFTGPU_USAGE", name, 1);
    setenv("HIP_REMOTE_SOFTGPU", "gfx90a,gfx942", 1);
    setenv("HIP_REMOTE_SOFTGPU_MEMORY", "512", 1);
  }
  void TearDown() override {
    fs::remove_all(folder);
    for (const char* name : {"HIP_REMOTE_SOFTGPU_USAGE", "HIP_REMOTE_SOFTGPU", "HIP_REMOTE_SOFTGPU_MEMORY"})
      unsetenv(name);
  }

  SourcePtr open() {
    SourcePtr source;
    const Status status = openSoftgpu(source);
    EXPECT_TRUE(status.ok()) << status.message();
    return source;
  }

  fs::path folder;
};

TEST_F(SoftgpuTelemetry, DescribesTheConfiguredDevices) {
  const SourcePtr source = open();
  ASSERT_EQ(source->gpus().size(), 2u);
  const Gpu& gpu = source->gpus()[0];
  EXPECT_EQ(gpu.origin, Origin::Software);
  EXPECT_EQ(gpu.target, "gfx90a");
  EXPECT_EQ(gpu.memoryBytes, std::uint64_t{512} << 20);
  EXPECT_NE(gpu.uuid, source->gpus()[1].uuid);
  EXPECT_EQ(gpu.uuid.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos);
  EXPECT_LE(gpu.uuid.size(), 63u);
  EXPECT_EQ(source->links().size(), 2u);
  const std::vector<Reading> readings = source->read();
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[0].memoryUsedBytes, 0u);
  EXPECT_EQ(readings[0].busyPercent, 0.0);
  EXPECT_FALSE(readings[0].powerWatts);  // not modelled, so not told
}

TEST_F(SoftgpuTelemetry, AddsUpMemoryOfAllProcesses) {
  Usage usage(2);
  DeviceMeter meter(usage.device(1));
  meter.allocated(3000);
  meter.freed(1000);

  int ready[2], leave[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(leave), 0);
  const pid_t child = fork();
  if (child == 0) {
    Usage own(2);  // as a forked program does it: a page of its own
    DeviceMeter(own.device(1)).allocated(500);
    char c = 'r';
    (void)!write(ready[1], &c, 1);
    (void)!read(leave[0], &c, 1);
    _exit(0);  // leaves its page behind, as a killed process does
  }
  char c = 0;
  ASSERT_EQ(read(ready[0], &c, 1), 1);

  SourcePtr source = open();
  EXPECT_EQ(source->read()[1].memoryUsedBytes, 2500u);
  const std::vector<Process> processes = source->processes();
  ASSERT_EQ(processes.size(), 2u);
  for (const Process& process : processes) {
    EXPECT_EQ(process.gpu, 1u);
    EXPECT_EQ(process.memoryBytes, process.pid == static_cast<std::uint64_t>(child) ? 500u : 2000u);
  }
  EXPECT_TRUE(fs::exists(folder / std::to_string(child)));

  ASSERT_EQ(write(leave[1], "x", 1), 1);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  source = open();
  EXPECT_EQ(source->read()[1].memoryUsedBytes, 2000u);
  EXPECT_FALSE(fs::exists(folder / std::to_string(child)));
  for (const int fd : {ready[0], ready[1], leave[0], leave[1]}) close(fd);
}

TEST_F(SoftgpuTelemetry, ActivityIsTheTimeKernelsRan) {
  Usage usage(1);
  DeviceMeter meter(usage.device(0));
  const SourcePtr source = open();
  meter.kernelStarted();
  meter.kernelStarted();  // two at once count once
  EXPECT_EQ(source->read()[0].busyPercent, 100.0);
  EXPECT_EQ(source->processes().at(0).busyPercent, 100.0);
  meter.kernelEnded();
  meter.kernelEnded();
  EXPECT_EQ(usage.device(0).kernels, 2u);
  const std::vector<softgpu::ProcessUsage> now = softgpu::readUsage(folder, softgpu::monotonicNs());
  const std::vector<softgpu::ProcessUsage> later = softgpu::readUsage(folder, softgpu::monotonicNs() + 1'000'000'000);
  ASSERT_EQ(now.size(), 1u);
  EXPECT_GT(now[0].devices[0].busyNs, 0u);
  EXPECT_EQ(now[0].devices[0].busyNs, later[0].devices[0].busyNs);  // at rest it stands still
}

TEST_F(SoftgpuTelemetry, HostilePagesAreHarmless) {
  const std::string mine = std::to_string(getpid()), parent = std::to_string(getppid());
  std::string page(sizeof(softgpu::UsagePage), '\xff');
  const auto put = [&](const std::string& name, const std::string& content) {
    std::ofstream(folder / name, std::ios::binary) << content;
  };
  put(mine, page);              // all ones
  put(parent, "short");         // cut
  put("notanumber", page);      // not a process
  put("99999999999999", page);  // no such process
  fs::create_directory(folder / "1");
  fs::create_symlink("/dev/zero", folder / "2");
  EXPECT_TRUE(softgpu::readUsage(folder, 1).empty());

  // Ours in form, with absurd contents: understood, and bounded.
  softgpu::UsagePage absurd{};
  absurd.magic = softgpu::UsagePage::kMagic;
  absurd.process = static_cast<std::uint64_t>(getpid());
  absurd.started = softgpu::processStartTicks(absurd.process);
  absurd.devices = softgpu::kMaxDevices;
  std::memset(absurd.program, 'x', sizeof absurd.program);
  for (auto& device : absurd.device) device.memoryBytes = ~0ull, device.busy = ~0ull;
  put(mine, std::string(reinterpret_cast<const char*>(&absurd), sizeof absurd));
  const auto usage = softgpu::readUsage(folder, 1);
  ASSERT_EQ(usage.size(), 1u);
  EXPECT_EQ(usage[0].program.size(), sizeof absurd.program);
  EXPECT_EQ(usage[0].devices.size(), softgpu::kMaxDevices);
  for (const Reading& reading : open()->read()) EXPECT_LE(*reading.busyPercent, 100.0);
  absurd.devices = softgpu::kMaxDevices + 1;
  put(mine, std::string(reinterpret_cast<const char*>(&absurd), sizeof absurd));
  EXPECT_TRUE(softgpu::readUsage(folder, 1).empty());
}

TEST_F(SoftgpuTelemetry, GoesOnWhereNothingCanBePublished) {
  for (const char* place : {"none", "/proc/nowhere"}) {
    setenv("HIP_REMOTE_SOFTGPU_USAGE", place, 1);
    Usage usage(1);
    DeviceMeter(usage.device(0)).allocated(10);
    EXPECT_EQ(usage.device(0).memoryBytes, 10u);
    EXPECT_EQ(open()->read()[0].memoryUsedBytes, 0u);
  }
}

TEST_F(SoftgpuTelemetry, NothingIsSharedInAFolderOfSomebodyElse) {
  EXPECT_NE(makeSoftgpuComputeFile(0), "");
  const std::string real = folder.string() + "-real";
  fs::rename(folder, real);
  fs::create_directory_symlink(real, folder);
  EXPECT_EQ(makeSoftgpuComputeFile(0), "");
  fs::remove(folder);
  fs::rename(real, folder);
  if (geteuid() != 0) GTEST_SKIP() << "only root can have a folder that is another's";
  ASSERT_EQ(chown(folder.c_str(), 65534, 65534), 0);
  EXPECT_EQ(makeSoftgpuComputeFile(0), "");
}

TEST_F(SoftgpuTelemetry, AWrongListIsAnErrorThatNamesIt) {
  setenv("HIP_REMOTE_SOFTGPU", "gfx9000", 1);
  SourcePtr source;
  const Status status = openSoftgpu(source);
  EXPECT_NE(status.message().find("HIP_REMOTE_SOFTGPU=gfx9000"), std::string::npos);
}

}  // namespace
}  // namespace hipr::telemetry
