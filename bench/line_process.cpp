#include "bench/line_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "bench/timing.h"

namespace hipr::bench {
namespace {

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "%s failed\n", what.c_str());
  std::exit(1);
}

// Starts this program again with these arguments; standard input and output as given.
pid_t startSelf(const std::vector<std::string>& arguments, int in, int out) {
  std::vector<char*> argv = {const_cast<char*>("hip-remote-bench")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  if (in >= 0) dup2(in, 0);
  if (out >= 0) dup2(out, 1);
  execv("/proc/self/exe", argv.data());
  _exit(127);
}

bool endedWell(pid_t process) {
  int status = 0;
  return waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The counters are written when a process ends; so one that does `count` operations is compared with one that does
// none.
Traffic trafficOf(const Line& line, const std::string& library, int count) {
  char file[] = "/tmp/hip-remote-bench-XXXXXX";
  close(mkstemp(file));
  setenv("HIP_REMOTE_STATS", file, 1);
  const bool ok = endedWell(startSelf({"--child-count", line.key, library, std::to_string(count)}, -1, -1));
  unsetenv("HIP_REMOTE_STATS");
  std::string text;
  std::getline(std::ifstream(file), text);
  std::filesystem::remove(file);
  const auto field = [&](const char* name) {
    const std::size_t at = text.find(std::string(" ") + name + "=");
    if (!ok || at == std::string::npos) fail(std::string("counting ") + line.key);
    return std::strtod(text.c_str() + text.find('=', at) + 1, nullptr);
  };
  const double waited = field("waited");
  return {waited, field("posted") + waited - field("joined"), field("sent")};
}

}  // namespace

LineProcess::LineProcess(const Line& line, const Runtime& runtime) : name_(line.key) {
  int orders[2], answers[2];
  if (pipe2(orders, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0) fail("pipe");
  process_ =
      startSelf({"--child-line", line.key, runtime.library, std::to_string(runtime.worker)}, orders[0], answers[1]);
  close(orders[0]);
  close(answers[1]);
  orders_ = fdopen(orders[1], "w");
  answers_ = fdopen(answers[0], "r");
}

LineProcess::~LineProcess() {
  std::fclose(orders_);
  std::fclose(answers_);
  if (!endedWell(process_)) fail(name_);
}

Sample LineProcess::run(int count) {
  Sample sample;
  std::fprintf(orders_, "%d\n", count);
  std::fflush(orders_);
  if (std::fscanf(answers_, "%lf %lf %lf", &sample.time, &sample.spent.processor, &sample.spent.wakeUps) != 3)
    fail(name_);
  return sample;
}

Traffic countTraffic(const Line& line, const Runtime& runtime, int count) {
  const Traffic none = trafficOf(line, runtime.library, 0), some = trafficOf(line, runtime.library, count);
  return {(some.roundTrips - none.roundTrips) / count, (some.messages - none.messages) / count,
          (some.bytesSent - none.bytesSent) / count};
}

int runLineChild(const Line& line, const Runtime& runtime) {
  Scene scene(runtime.library, line.bytes);
  if (line.prepare != nullptr) line.prepare(scene);
  // Looking at the worker costs this process some time: it looks at itself last before, and first afterwards.
  std::vector<pid_t> first = {getpid()}, last = {getpid()};
  if (runtime.worker != 0) {
    first.push_back(runtime.worker);
    last.insert(last.begin(), runtime.worker);
  }
  for (int count; std::scanf("%d", &count) == 1;) {
    const Usage before = Usage::of(last);
    const double time = timeBatch(count, line.pause, [&] { line.operation(scene); });
    scene.finish();  // what was only posted belongs to what is spent, though not to the time
    const Spent spent = Usage::of(first).since(before);
    std::printf("%.12g %.12g %.12g\n", time, spent.processor / count, spent.wakeUps / count);
    std::fflush(stdout);
  }
  return 0;
}

[[noreturn]] void runCountChild(const Line& line, const std::string& library, int count) {
  Scene scene(library, line.bytes);
  if (line.prepare != nullptr) line.prepare(scene);
  for (int i = 0; i < count; ++i) line.operation(scene);
  scene.finish();
  std::exit(0);  // the scene is not taken apart: whether that waits depends on what has been heard of by then
}

}  // namespace hipr::bench
