// Compiling for clients, in a process of its own, hip-compile, so that what it takes, uses up or does wrong harms
// nobody else. The supervisor starts it, because a session starts no processes; the session that asked talks to it
// through a socket. It has the session's kind of sandbox (sandbox.h) and user, limited time and memory, and a folder of
// its own; it needs no GPU.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "worker/sandbox.h"
#include "worker/supervisor_link.h"

namespace hipr::worker {

// hip-compile beside the program that is running; empty when there is none.
std::string compileProgram();

// In the supervisor. `plan` is the session's, `folder` where it may write. The process has a group of its own.
Status startCompiler(const std::string& program, SandboxPlan plan, const std::string& folder, pid_t& process,
                     Descriptor& socket);

// In the session: the encoded result, or nothing when the process failed or `over` said so. Waits.
std::string compileThrough(const Descriptor& socket, std::string_view request, const std::function<bool()>& over);

// The other end: hip-compile's main.
int serveOneRequest();

}  // namespace hipr::worker
