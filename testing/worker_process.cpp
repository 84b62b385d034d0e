#include "testing/worker_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace hipr::testing {
namespace fs = std::filesystem;

WorkerProcess::WorkerProcess(const std::vector<std::string>& arguments, std::string program) {
  if (program.empty()) program = (fs::read_symlink("/proc/self/exe").parent_path() / "hip-worker").string();
  int out[2];
  if (pipe(out) != 0) std::abort();
  process_ = fork();
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(out[1], 1);
    close(out[0]);
    close(out[1]);
    std::vector<char*> argv = {const_cast<char*>("hip-worker"), const_cast<char*>("-p"), const_cast<char*>("0")};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    std::perror(program.c_str());
    _exit(127);
  }
  close(out[1]);
  output_ = out[0];
  std::string text;
  for (char c; read(output_, &c, 1) == 1;) {
    text += c;
    const std::size_t at = text.find("Listening on port ");
    if (c != '\n' || at == std::string::npos) continue;
    port_ = std::atoi(text.c_str() + at + 18);
    const std::size_t metrics = text.find("Metrics at http://127.0.0.1:");
    if (metrics != std::string::npos) metricsPort_ = std::atoi(text.c_str() + metrics + 28);
    return;
  }
  std::fprintf(stderr, "the worker did not start; it said:\n%s", text.c_str());
  std::exit(1);
}

WorkerProcess::~WorkerProcess() {
  end(SIGTERM);
  close(output_);
}

int WorkerProcess::end(int signal) {
  if (process_ < 0) return 0;
  ::kill(process_, signal);
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void WorkerProcess::kill() {
  end(SIGKILL);
}
int WorkerProcess::terminate() {
  return end(SIGTERM);
}

std::vector<pid_t> WorkerProcess::sessions() const {
  std::vector<pid_t> found;
  const std::string pid = std::to_string(process_);
  std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
  for (pid_t child; children >> child;) found.push_back(child);
  return found;
}

int WorkerProcess::openDescriptors() const {
  int count = 0;
  for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(process_) + "/fd")) {
    (void)entry;
    ++count;
  }
  return count;
}

void WorkerProcess::use() const {
  setenv("TF_WORKER_HOST", "127.0.0.1", 1);
  setenv("TF_WORKER_PORT", std::to_string(port_).c_str(), 1);
}

}  // namespace hipr::testing
