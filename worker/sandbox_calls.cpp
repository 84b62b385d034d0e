// Which system calls a session can make: a seccomp filter, for all its threads. What is not listed fails with EPERM.
#include <asm/ioctls.h>
#include <asm/sockios.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <span>

#include "worker/sandbox.h"

#if defined(__x86_64__)
#define HIPR_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define HIPR_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

namespace hipr::worker {

#ifndef HIPR_AUDIT_ARCH

Status restrictCalls(const SandboxPlan&) {
  return Status::unavailable("not built for this processor");
}
Status withoutNetwork() {
  return restrictCalls({});
}
Status withoutPrograms() {
  return restrictCalls({});
}

#else
namespace {

constexpr int kPlain[] = {
#define CALL(name) SYS_##name,
#include "worker/sandbox_calls.def"
};

constexpr int kOfGpu[] = {
#define GPU_CALL(name) SYS_##name,
#include "worker/sandbox_calls.def"
};

constexpr std::uint32_t kDenied = SECCOMP_RET_ERRNO | EPERM;
// A library that is told so uses the older call, whose flags can be seen.
constexpr std::uint32_t kUnknown = SECCOMP_RET_ERRNO | ENOSYS;

// What looks into other processes, or asks the system for more than a compiler or a bridge needs.
constexpr int kOfOthers[] = {SYS_ptrace,
                             SYS_io_uring_setup,
                             SYS_process_vm_readv,
                             SYS_process_vm_writev,
                             SYS_pidfd_getfd,
                             SYS_bpf,
                             SYS_unshare,
                             SYS_setns,
                             SYS_mount,
                             SYS_keyctl,
                             SYS_add_key,
                             SYS_userfaultfd,
                             SYS_perf_event_open};
constexpr int kOfNetworks[] = {SYS_socket, SYS_socketpair, SYS_connect, SYS_bind};
constexpr int kOfPrograms[] = {SYS_execve, SYS_execveat};

class Filter {
 public:
  static Filter listed(const SandboxPlan& plan) {
    Filter out;
    if (plan.accepts) out.when(SYS_accept4, SECCOMP_RET_ALLOW);
    out.allowListed(plan.mode == SandboxMode::kGpu);
    return out;
  }
  // All but those of others and `denied`.
  static Filter allBut(std::span<const int> denied) {
    Filter out;
#ifdef __X32_SYSCALL_BIT  // the same calls under other numbers
    out.jump(BPF_JGE, __X32_SYSCALL_BIT, 0, 1);
    out.give(kDenied);
#endif
    for (const int call : kOfOthers) out.when(call, kDenied);
    for (const int call : denied) out.when(call, kDenied);
    out.give(SECCOMP_RET_ALLOW);
    return out;
  }

  Status install() const {
    const sock_fprog program{static_cast<unsigned short>(code_.size()), const_cast<sock_filter*>(code_.data())};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0) return {};
    return Status::unavailable(std::string("seccomp: ") + std::strerror(errno));
  }

 private:
  Filter() {
    load(offsetof(seccomp_data, arch));
    jump(BPF_JEQ, HIPR_AUDIT_ARCH, 1, 0);
    give(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
  }
  void allowListed(bool gpu) {
    // Signals that a descriptor sends on its own are not for others either.
    for (const int command : {F_SETOWN, F_SETOWN_EX, F_SETSIG}) denyWith(SYS_fcntl, 1, command);
    for (const int command : {FIOSETOWN, SIOCSPGRP, TIOCSTI}) denyWith(SYS_ioctl, 1, command);
    for (const int argument : {0, 1}) denyWithout(SYS_setpriority, argument, 0);  // but that of the thread itself
    for (const int call : kPlain) when(call, SECCOMP_RET_ALLOW);
    if (gpu)
      for (const int call : kOfGpu) when(call, SECCOMP_RET_ALLOW);
    when(SYS_clone3, kUnknown);
    allowWithBits(SYS_clone, 0, CLONE_THREAD);  // threads, no processes
    for (const int call : {SYS_kill, SYS_tgkill}) allowWith(call, 0, static_cast<std::uint32_t>(getpid()));  // itself
    allowWith(SYS_prctl, 0, PR_SET_NAME);
    allowWith(SYS_prlimit64, 0, 0);
    // softgpu interprets: nothing that was written becomes code.
    for (const int call : {SYS_mmap, SYS_mprotect}) allowWithoutBits(call, 2, PROT_EXEC);
    give(kDenied);
  }

  void load(std::uint32_t offset) { code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)); }
  void give(std::uint32_t what) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, what)); }
  void jump(unsigned kind, std::uint32_t value, std::uint8_t then, std::uint8_t otherwise) {
    code_.push_back(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | kind | BPF_K), value, then, otherwise));
  }
  // REQUIRES, here and below: the call's number is loaded. It still is when the call is another one.
  void when(int call, std::uint32_t what) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1);
    give(what);
  }
  // The lower half of an argument: all of those looked at have 32 bits. `what` is for calls whose argument compares
  // like that, or for all others.
  void test(int call, int argument, unsigned kind, std::uint32_t value, bool alike, std::uint32_t what) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 4);
    load(static_cast<std::uint32_t>(offsetof(seccomp_data, args) +
                                    sizeof(std::uint64_t) * static_cast<unsigned>(argument)));
    jump(kind, value, alike ? 0 : 1, alike ? 1 : 0);
    give(what);
    load(offsetof(seccomp_data, nr));
  }
  void allowWith(int call, int argument, std::uint32_t value) {
    test(call, argument, BPF_JEQ, value, true, SECCOMP_RET_ALLOW);
  }
  void allowWithBits(int call, int argument, std::uint32_t bits) {
    test(call, argument, BPF_JSET, bits, true, SECCOMP_RET_ALLOW);
  }
  void allowWithoutBits(int call, int argument, std::uint32_t bits) {
    test(call, argument, BPF_JSET, bits, false, SECCOMP_RET_ALLOW);
  }
  void denyWith(int call, int argument, int value) {
    test(call, argument, BPF_JEQ, static_cast<std::uint32_t>(value), true, kDenied);
  }
  void denyWithout(int call, int argument, std::uint32_t value) {
    test(call, argument, BPF_JEQ, value, false, kDenied);
  }

  std::vector<sock_filter> code_;
};

}  // namespace

Status restrictCalls(const SandboxPlan& plan) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return Status::unavailable("sanitizers make calls of their own");
#endif
  return Filter::listed(plan).install();
}

// What it may do with files is Landlock's.
Status withoutNetwork() {
  return Filter::allBut(kOfNetworks).install();
}
Status withoutPrograms() {
  return Filter::allBut(kOfPrograms).install();
}
#endif

}  // namespace hipr::worker
