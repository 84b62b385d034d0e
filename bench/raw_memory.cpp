#include "bench/raw_memory.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "bench/timing.h"

namespace hipr::bench {
namespace {

void awaitChange(std::atomic<std::uint32_t>& word, std::uint32_t old) {
  while (word.load() == old) syscall(SYS_futex, &word, FUTEX_WAIT, old, nullptr, nullptr, 0);
}

void change(std::atomic<std::uint32_t>& word) {
  ++word;
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace

double RawCopy::time(int count, double pause) {
  return timeBatch(count, pause, [this] {
    std::memcpy(to_.data(), from_.data(), from_.size());
    asm volatile("" : : "r"(to_.data()) : "memory");  // somebody might read it
  });
}

RawFutex::RawFutex() {
  void* const shared = mmap(nullptr, sizeof(Words), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) std::perror("mmap"), std::exit(1);
  words_ = new (shared) Words{};
  peer_ = fork();
  if (peer_ < 0) std::perror("fork"), std::exit(1);
  if (peer_ != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (std::uint32_t seen = 0;; ++seen) {
    awaitChange(words_->asked, seen);
    change(words_->answered);
  }
}

RawFutex::~RawFutex() {
  kill(peer_, SIGKILL);
  waitpid(peer_, nullptr, 0);
  munmap(words_, sizeof(Words));
}

double RawFutex::time(int count, double pause) {
  return timeBatch(count, pause, [this] {
    const std::uint32_t before = words_->answered;
    change(words_->asked);
    awaitChange(words_->answered, before);
  });
}

}  // namespace hipr::bench
