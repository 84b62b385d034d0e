// Telemetry end to end: a program works on a software GPU through a worker, and the library, the command and the
// metrics page all tell the same about it.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "telemetry/remote.h"
#include "testing/busy_program.h"
#include "testing/eventually.h"
#include "testing/worker_process.h"
#include "wire/frame.h"

namespace hipr {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using telemetry::Remote;
using testing::BusyProgram;
using testing::eventually;
using testing::WorkerProcess;

const std::vector<std::string> kWorker = {"--runtime", "softgpu", "--grace", "1", "--metrics", "0"};

// Nobody else's software GPUs in the sums: other tests may run at the same time.
class Smi : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/hip-remote-smi-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder = name;
    setenv("HIP_REMOTE_SOFTGPU_USAGE", name, 1);
    setenv("HIP_REMOTE_SOFTGPU", "gfx90ax2", 1);
  }
  void TearDown() override { fs::remove_all(folder); }
  std::string folder;
};

struct Outcome {
  int code = -1;
  std::string text;
};

Outcome run(const std::string& arguments) {
  const std::string program = (fs::read_symlink("/proc/self/exe").parent_path() / "smi-remote").string();
  FILE* const pipe = popen(("'" + program + "' " + arguments + " 2>&1").c_str(), "r");
  Outcome outcome;
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) outcome.text.append(buffer, n);
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

std::string hostOption(const WorkerProcess& worker) {
  return "--host 127.0.0.1 --port " + std::to_string(worker.port()) + " ";
}

std::string scrape(int port, const std::string& path = "/metrics") {
  net::Socket socket;
  if (!net::connectTo({"127.0.0.1", static_cast<std::uint16_t>(port)}, 10, socket).ok()) return "";
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  if (!socket.send({reinterpret_cast<const std::byte*>(request.data()), request.size()}).ok()) return "";
  std::string text;
  char buffer[4096];
  for (std::size_t n = 0; socket.receiveSome(buffer, sizeof buffer, &n).ok() && n > 0;) text.append(buffer, n);
  return text;
}

// The value of the sample whose line begins like this; -1 when there is none.
double metric(const std::string& page, const std::string& start) {
  const std::size_t at = page.find("\n" + start);
  if (at == std::string::npos) return -1;
  const std::size_t end = page.find('\n', at + 1);
  return std::atof(page.substr(page.rfind(' ', end) + 1, end).c_str());
}

std::unique_ptr<Remote> connect(const WorkerProcess& worker) {
  std::unique_ptr<Remote> remote;
  const Status status = Remote::connect({{"127.0.0.1", static_cast<std::uint16_t>(worker.port())}, 30, 60}, remote);
  EXPECT_TRUE(status.ok()) << status.message();
  return remote;
}

// Bytes used of GPU 0, as a program written for AMD SMI learns it: from libamd_smi, the one that asks a worker.
std::uint64_t usedByAmdSmi(const WorkerProcess& worker) {
  const fs::path file = fs::read_symlink("/proc/self/exe").parent_path() / "../lib/libamd_smi.so.27";
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_TRUE(library) << dlerror();
  if (!library) return 0;
  const auto find = [&]<class... P>(const char* name, int (*)(P...)) {
    return reinterpret_cast<int (*)(P...)>(dlsym(library, name));
  };
  using Handle = void*;
  const auto init = find("amdsmi_init", static_cast<int (*)(std::uint64_t)>(nullptr));
  const auto shutDown = find("amdsmi_shut_down", static_cast<int (*)()>(nullptr));
  const auto sockets = find("amdsmi_get_socket_handles", static_cast<int (*)(std::uint32_t*, Handle*)>(nullptr));
  const auto processors =
      find("amdsmi_get_processor_handles", static_cast<int (*)(Handle, std::uint32_t*, Handle*)>(nullptr));
  const auto usage =
      find("amdsmi_get_gpu_memory_usage", static_cast<int (*)(Handle, std::uint32_t, std::uint64_t*)>(nullptr));
  worker.use();
  std::uint32_t one = 1;
  Handle socket = nullptr, gpu = nullptr;
  std::uint64_t used = 0;
  EXPECT_EQ(init(2), 0);  // AMD GPUs
  EXPECT_EQ(sockets(&one, &socket), 0);
  one = 1;
  EXPECT_EQ(processors(socket, &one, &gpu), 0);
  EXPECT_EQ(usage(gpu, 0, &used), 0);
  EXPECT_EQ(shutDown(), 0);
  return used;
}

constexpr std::size_t kBytes = 96 << 20;

TEST_F(Smi, LibraryCommandAndPageAgree) {
  const WorkerProcess worker(kWorker);
  const BusyProgram program(worker, kBytes);
  const std::unique_ptr<Remote> remote = connect(worker);
  ASSERT_TRUE(remote);
  ASSERT_EQ(remote->gpus().size(), 2u);

  ASSERT_TRUE(eventually([&] { return *remote->read()[0].busyPercent > 0; }));
  const std::uint64_t used = *remote->read()[0].memoryUsedBytes;
  EXPECT_GE(used, kBytes);
  EXPECT_LE(used, kBytes + (64 << 20));  // code, stacks, rounding
  EXPECT_EQ(*remote->read()[1].memoryUsedBytes, 0u);

  const std::vector<telemetry::Process> processes = remote->processes();
  ASSERT_EQ(processes.size(), 1u);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  EXPECT_EQ(processes[0].client, std::string(host) + ":" + std::to_string(program.pid()));
  EXPECT_EQ(processes[0].memoryBytes, used);
  EXPECT_EQ(processes[0].name, "e2e_smi_test");

  EXPECT_EQ(usedByAmdSmi(worker), used);
  const Outcome metrics = run(hostOption(worker) + "--json metrics");
  ASSERT_EQ(metrics.code, 0) << metrics.text;
  const json gpu = json::parse(metrics.text)["hosts"][0]["gpus"][0];
  EXPECT_EQ(gpu["metrics"]["memory_used_bytes"], used);
  EXPECT_GT(gpu["metrics"]["busy_percent"], 0.0);
  EXPECT_TRUE(gpu["metrics"]["power_watts"].is_null());
  EXPECT_EQ(gpu["origin"], "software");
  EXPECT_EQ(gpu["hip_device"], 0);
  EXPECT_EQ(gpu["uuid"], remote->gpus()[0].uuid);

  const std::string page = scrape(worker.metricsPort());
  const std::string label = "{gpu=\"0\",uuid=\"" + remote->gpus()[0].uuid + "\"";
  EXPECT_EQ(metric(page, "hip_gpu_memory_used_bytes" + label), static_cast<double>(used)) << page;
  EXPECT_GT(metric(page, "hip_gpu_busy_percent" + label), 0);
  EXPECT_EQ(metric(page, "hip_worker_sessions "), 1);
  EXPECT_GE(metric(page, "hip_worker_session_memory_bytes{"), static_cast<double>(kBytes));
  EXPECT_GT(metric(page, "hip_worker_requests_total{call=\"LaunchKernel\"}"), 0);
  EXPECT_GT(metric(page, "hip_worker_round_trips_total "), 0);
  EXPECT_GT(metric(page, "hip_worker_received_bytes_total "), 0);
  EXPECT_GT(metric(page, "hip_worker_sent_bytes_total "), 0);
  EXPECT_EQ(metric(page, "hip_worker_errors_total "), 0);
}

TEST_F(Smi, MemoryComesBackWhenTheProgramEnds) {
  const WorkerProcess worker(kWorker);
  const std::unique_ptr<Remote> remote = connect(worker);
  ASSERT_TRUE(remote);
  {
    const BusyProgram program(worker, kBytes);
    EXPECT_TRUE(eventually([&] { return *remote->read()[0].memoryUsedBytes >= kBytes; }));
  }
  EXPECT_TRUE(eventually([&] { return *remote->read()[0].memoryUsedBytes == 0; }));
  EXPECT_TRUE(eventually([&] { return remote->processes().empty(); }));
  EXPECT_TRUE(eventually([&] { return metric(scrape(worker.metricsPort()), "hip_worker_sessions ") == 0; }));
  EXPECT_EQ(metric(scrape(worker.metricsPort()), "hip_worker_sessions_total "), 1);
}

TEST_F(Smi, AFullWorkerStillTells) {
  std::vector<std::string> arguments = kWorker;
  arguments.insert(arguments.end(), {"--max-sessions", "1"});
  const WorkerProcess worker(arguments);
  const BusyProgram program(worker, 1 << 20);
  EXPECT_EQ(run(hostOption(worker) + "list").code, 0);
}

TEST_F(Smi, TheServiceComesBackAndSessionsNeverNotice) {
  const WorkerProcess worker({"--runtime", "softgpu", "--grace", "1"});  // no metrics: started by the first who asks
  const BusyProgram program(worker, 1 << 20);
  const std::vector<pid_t> before = worker.sessions();
  ASSERT_EQ(before.size(), 1u);
  const std::unique_ptr<Remote> remote = connect(worker);
  ASSERT_TRUE(remote);
  const auto service = [&]() -> pid_t {
    for (const pid_t child : worker.sessions())
      if (child != before[0]) return child;
    return 0;
  };
  ASSERT_TRUE(eventually([&] { return worker.sessions().size() == 2; }));
  const pid_t first = service();
  ASSERT_EQ(kill(first, SIGKILL), 0);
  // The connection is lost with it; asking again starts a new one.
  ASSERT_TRUE(eventually([&] { return remote->processes().size() == 1; })) << remote->failure().message();
  EXPECT_NE(service(), first);
  EXPECT_EQ(kill(before[0], 0), 0);
  EXPECT_EQ(kill(program.pid(), 0), 0);
}

TEST_F(Smi, ManyHostsAndDeadOnes) {
  const WorkerProcess one(kWorker), two(kWorker);
  net::Socket listener;
  std::uint16_t dead = 0;
  ASSERT_TRUE(net::listenOn("127.0.0.1", 0, listener, &dead).ok());
  listener.close();
  const std::string alive = "127.0.0.1:" + std::to_string(one.port()) + ",localhost:" + std::to_string(two.port());
  const std::string gone = "127.0.0.1:" + std::to_string(dead);

  const Outcome both = run("--host " + alive + " list");
  EXPECT_EQ(both.code, 0);
  EXPECT_EQ(both.text.find("HOST"), 0u);
  EXPECT_NE(both.text.find("\n127.0.0.1 "), std::string::npos);
  EXPECT_NE(both.text.find("\nlocalhost "), std::string::npos);

  const Outcome mixed = run("--host " + alive + "," + gone + " metrics");
  EXPECT_EQ(mixed.code, 1);
  EXPECT_NE(mixed.text.find(gone), std::string::npos);  // who is missing
  EXPECT_NE(mixed.text.find("\nlocalhost "), std::string::npos);
  EXPECT_EQ(json::parse(run("--host " + alive + " --json processes").text)["hosts"].size(), 2u);
  EXPECT_EQ(run("--host " + gone + " list").code, 3);
  EXPECT_EQ(run("--host " + alive + " metrics 7").code, 4);
  EXPECT_EQ(run("frobnicate").code, 2);
}

TEST_F(Smi, EveryCommandAndFormat) {
  const WorkerProcess worker(kWorker);
  for (const std::string command : {"list", "metrics", "info", "power", "processes", "topology"}) {
    for (const std::string format : {"", "--json ", "--csv "}) {
      const Outcome outcome = run(hostOption(worker) + format + command);
      EXPECT_EQ(outcome.code, 0) << command << outcome.text;
      if (format == "--json ") {
        EXPECT_EQ(json::parse(outcome.text)["command"], command);
      }
    }
  }
  const Outcome watched = run(hostOption(worker) + "watch --interval 0.1 --count 2 </dev/null");
  EXPECT_EQ(watched.code, 0);
  EXPECT_NE(watched.text.find("MEMORY"), watched.text.rfind("MEMORY"));  // two tables, one after the other
  EXPECT_NE(run("--local list").text.find("softgpu-"), std::string::npos);
}

TEST_F(Smi, TheJsonFollowsItsSchema) {
  const WorkerProcess worker(kWorker);
  const std::string file = folder + "/metrics.json";
  std::ofstream(file) << run("--host 127.0.0.1:" + std::to_string(worker.port()) + " --json metrics").text;
  const std::string check =
      "import json, jsonschema, sys; jsonschema.validate(json.load(open(sys.argv[1])), "
      "json.load(open(sys.argv[2])))";
  const auto valid = [&] {
    return std::system(("python3 -c '" + check + "' " + file + " " HIPR_SMI_SCHEMA " 2>/dev/null").c_str()) == 0;
  };
  EXPECT_TRUE(valid());
  json document = json::parse(std::ifstream(file));
  document["hosts"][0]["gpus"][0]["metrics"]["memory_used_bytes"] = "much";
  std::ofstream(file) << document;
  EXPECT_FALSE(valid());  // the schema says something
}

TEST_F(Smi, HostileBytesEndOneConnectionOnly) {
  const WorkerProcess worker(kWorker);
  const std::unique_ptr<Remote> remote = connect(worker);
  ASSERT_TRUE(remote);
  for (int i = 0; i < 20; ++i) {
    net::Socket socket;
    ASSERT_TRUE(net::connectTo({"127.0.0.1", static_cast<std::uint16_t>(worker.port())}, 10, socket).ok());
    std::byte bytes[256];
    for (std::size_t k = 0; k < sizeof bytes; ++k) bytes[k] = static_cast<std::byte>(k * 31 + static_cast<unsigned>(i));
    wire::encodeHeader({.opcode = 0x0801, .length = static_cast<std::uint64_t>(i) << (3 * i)}, bytes);
    (void)socket.send(bytes);
    if (i % 2) continue;  // half of them leave at once
    std::size_t got = 0;
    (void)socket.receiveSome(bytes, sizeof bytes, &got);
  }
  EXPECT_EQ(remote->read().size(), 2u);
  EXPECT_TRUE(remote->failure().ok());
  EXPECT_NE(scrape(worker.metricsPort(), "/healthz").find("ok"), std::string::npos);
}

}  // namespace
}  // namespace hipr
