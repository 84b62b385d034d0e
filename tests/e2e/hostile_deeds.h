// What somebody tries who has taken over a process of a worker: hostile_hip.cpp in a session, hostile_smi.cpp in the
// telemetry service.
#pragma once

namespace hipr {

enum class Deed {
  kNothing,
  kReadShadow,
  kReadSecret,  // the file HIPR_TEST_SECRET names, which the worker's user can read
  kWriteTmp,
  kWriteOwnTmp,
  kWriteHome,
  kSocket,
  kFork,
  kExec,
  kKillSupervisor,
  kTraceSupervisor,
  kPeekSupervisor,
  kReadSupervisorsMemory,
  kBecomeRoot,
  kMakeExecutable,
  kSharedMemory,
  kPrivileges,
  kToken,
  kUserNamespace,
  kBpf,
  kOwnSignals,      // a descriptor that signals the supervisor
  kSlowSupervisor,  // down
  kReadEtc,         // a file there that is for everybody, but for nobody in here
  kThread,
  kLast = kThread,
};

int attempt(Deed deed);  // 0 when it worked, else errno

}  // namespace hipr
