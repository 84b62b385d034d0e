// Shares of a GPU's compute units: programs see a GPU of that size, use no more of it, and compute the same.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "testing/eventually.h"
#include "testing/hip.h"
#include "testing/worker_process.h"
#include "tests/e2e/metrics.h"

namespace hipr {
namespace {

using testing::eventually;
using testing::WorkerProcess;

// A program that keeps the GPU as busy as it may, until it is ended. It ends by itself when a result is wrong.
class Busy {
 public:
  Busy() : process_(fork()) {
    if (process_ == 0) work();
  }
  ~Busy() {
    kill(process_, SIGKILL);
    int status = 0;
    waitpid(process_, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it ended by itself, with " << WEXITSTATUS(status);
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  [[noreturn]] static void work() {
    constexpr int kItems = 64 * 64, kDepth = 2000;
    testing::Hip hip;
    if (!hip.load(testing::remoteLibrary()).ok()) _exit(3);
    float* out = nullptr;
    HIPR_CHECK(hip, hipMalloc(reinterpret_cast<void**>(&out), kItems * sizeof(float)));
    int depth = kDepth;
    void* arguments[] = {&out, &depth};
    for (;;) {
      for (int i = 0; i < 64; ++i) hip.launch(hip.work, kItems / 64, 64, arguments);
      float last = 0;
      HIPR_CHECK(hip, hipMemcpyAsync(&last, out + kItems - 1, sizeof last, hipMemcpyDeviceToHost, hip.stream));
      HIPR_CHECK(hip, hipStreamSynchronize(hip.stream));
      if (last != testing::workResult(kItems - 1, kDepth)) _exit(4);
    }
  }

  const pid_t process_;
};

// Percent of a GPU that each session has used lately, by its name on the metrics page.
std::map<std::string, double> used(const WorkerProcess& worker) {
  std::map<std::string, double> out;
  const std::string page = metricsPage(worker), name = "\nhip_worker_session_used{", label = "limit=\"compute\"} ";
  for (std::size_t at = 0; (at = page.find(name, at)) != std::string::npos; ++at) {
    const std::string line = page.substr(at + 1, page.find('\n', at + 1) - at - 1);
    if (const std::size_t found = line.find(label); found != std::string::npos)
      out[line.substr(0, found)] = std::stod(line.substr(found + label.size()));
  }
  return out;
}

// What the sessions used, each and together, while all of them were at work. Other programs of this machine may keep
// them from using what they have: so the mean is held against the most they may use, and the best moment, which may be
// a while in coming, against what they should get.
struct Use {
  double sum = 0, best = 0;
  int looks = 0;
  void add(double percent) {
    sum += percent;
    best = std::max(best, percent);
    ++looks;
  }
  double mean() const { return sum / looks; }
};

struct Uses {
  std::vector<Use> each;
  Use all;
};

Uses measure(const WorkerProcess& worker, std::size_t sessions, double eachShould, double allShould) {
  constexpr int kLooks = 12;
  EXPECT_TRUE(eventually([&] {
    const auto now = used(worker);
    return now.size() == sessions && std::ranges::all_of(now, [](const auto& entry) { return entry.second > 0; });
  }));
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // what is shown now began before
  Uses out{std::vector<Use>(sessions), {}};
  const bool got = eventually([&] {
    const auto now = used(worker);
    EXPECT_EQ(now.size(), sessions);
    double all = 0;
    std::size_t next = 0;
    for (const auto& [session, percent] : now) {
      if (next < sessions) out.each[next++].add(percent);
      all += percent;
    }
    out.all.add(all);
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    return out.all.looks >= kLooks && out.all.best >= allShould &&
           std::ranges::all_of(out.each, [&](const Use& use) { return use.best >= eachShould; });
  });
  for (const Use& use : out.each) EXPECT_TRUE(got) << "at best " << use.best << ", together " << out.all.best;
  return out;
}

int unitsSeen(const WorkerProcess& worker) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  worker.use();
  const pid_t child = fork();
  if (child == 0) {
    testing::Hip hip;
    int units = -1;
    if (hip.load(testing::remoteLibrary()).ok())
      HIPR_CHECK(hip, hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, 0));
    _exit(write(ends[1], &units, sizeof units) == sizeof units ? 0 : 1);
  }
  int units = -1;
  EXPECT_EQ(read(ends[0], &units, sizeof units), static_cast<ssize_t>(sizeof units));
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  return units;
}

std::vector<std::string> limited(const char* percent) {
  return {"--runtime", "softgpu", "--grace", "1", "--metrics", "0", "--limit", std::string("compute=") + percent};
}

TEST(Compute, EachSessionHasItsShare) {
  const int whole = unitsSeen(WorkerProcess());
  const WorkerProcess worker(limited("30"));
  EXPECT_EQ(unitsSeen(worker), (whole * 30 + 50) / 100);
  const Busy first, second;
  for (const Use& use : measure(worker, 2, 27, 54).each) EXPECT_LE(use.mean(), 33);
}

// Its threads pause only as long as they must.
TEST(Compute, ALargeShareCanBeUsedToo) {
  const WorkerProcess worker(limited("60"));
  worker.use();
  const Busy one;
  EXPECT_LE(measure(worker, 1, 54, 54).all.mean(), 66);
}

TEST(Compute, SessionsOfAWorkerShareWhatItHas) {
  setenv("TF_CUDA_SM_PERCENT_LIMIT", "40", 1);
  const WorkerProcess worker(limited("100"));
  unsetenv("TF_CUDA_SM_PERCENT_LIMIT");
  worker.use();
  const Busy first, second;
  EXPECT_LE(measure(worker, 2, 14, 36).all.mean(), 44);
}

}  // namespace
}  // namespace hipr
