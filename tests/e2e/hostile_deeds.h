// What hostile_hip.cpp can be asked to try.
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
  kThread,
};

}  // namespace hipr
