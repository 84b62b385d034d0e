// Hand-over: a supervisor ends and another one goes on in its place, without any session noticing. This happens at an
// upgrade, or whenever somebody restarts the worker. What the next supervisor has to know is here as a value; the
// descriptors that belong to it travel beside it (heritage.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "access/identity.h"
#include "base/status.h"
#include "wire/messages.h"
#include "worker/heritage.h"
#include "worker/probe.h"

namespace hipr::worker {

// Raise it when a field changes here, or in what sessions and their supervisor say to each other (supervisor_link.h,
// return.h, pass_socket.h): a program with another number leaves running sessions to the old one.
inline constexpr std::uint32_t kHandOverFormat = 4;

struct HandedSession {
  std::int32_t process = 0, account = 0;
  std::string peer;
  std::string identity;
  std::uint64_t identityMemory = 0;
  std::int32_t identitySessions = 0;
  bool standsBack = false;
  std::vector<std::int32_t> devices;  // of the worker, by the session's numbers
  wire::Bits256 resumeKey{};
  bool waits = false;
  std::uint64_t client = 0;             // its process, if it waits for one of this machine
  std::int64_t endsIn = -1;             // milliseconds; -1: nobody has set it an end
  std::vector<std::uint64_t> promised;  // device memory, by device
  static auto fields(auto& m) {
    return std::tie(m.process, m.account, m.peer, m.identity, m.identityMemory, m.identitySessions, m.standsBack,
                    m.devices, m.resumeKey, m.waits, m.client, m.endsIn, m.promised);
  }
};

struct HandedShare {  // memory that a session lets others have (shares.h)
  wire::Secret secret{};
  std::int32_t account = 0;
  std::string identity;
  std::uint64_t bytes = 0;
  static auto fields(auto& m) { return std::tie(m.secret, m.account, m.identity, m.bytes); }
};

struct HandedCompiler {  // that a session waits for (compilers.h)
  std::int32_t account = 0, process = 0;
  std::string folder;
  static auto fields(auto& m) { return std::tie(m.account, m.process, m.folder); }
};

struct HandedState {
  std::uint32_t format = kHandOverFormat;
  std::uint64_t pageLayout = 0;  // of the pages that sessions count in; pages of another layout are no use to us
  std::string runtime;           // ProbeResult; the devices are in use and need not be looked for
  std::int32_t status = 0;
  std::string statusName;
  std::vector<std::uint8_t> platform;
  std::vector<std::int32_t> devices;
  std::vector<std::uint64_t> freeMemory;  // before any session had some of it
  std::string folder;                     // of the sessions' temporary folders
  std::string bind, unixPath, metrics;    // where the listeners are, as the options said
  std::string nearName;                   // Doors
  std::uint16_t port = 0;                 // 0: any
  std::vector<HandedSession> sessions;
  std::vector<HandedShare> shares;
  std::vector<HandedCompiler> compilers;
  static auto fields(auto& m) {
    return std::tie(m.format, m.pageLayout, m.runtime, m.status, m.statusName, m.platform, m.devices, m.freeMemory,
                    m.folder, m.bind, m.unixPath, m.metrics, m.nearName, m.port, m.sessions, m.shares, m.compilers);
  }
  void setRuntime(const ProbeResult& found);
  ProbeResult probeResult() const;
};

// What a page of a session's counters looks like in this program (session_counters.h).
std::uint64_t pageLayout();

// As a file in memory; a closed one when there is no memory.
net::Socket writeState(const HandedState& state);
// nullopt: there is none, or it is of another format (which is logged).
std::optional<HandedState> readState(Heritage& heritage);

bool isChild(int process);  // of this process; also one that has ended and is not buried

// Names of descriptors in the heritage.
inline constexpr char kStateName[] = "state";
std::string nameOf(const char* what, int number);

// Asks the program on disk whether it could go on where this one stops, before anything is given up for it: it knows
// the format, and its options and files make sense.
Status takesOver(const std::string& program);
// The other side. True: this program was started to be asked, and what it was asked is taken out of its arguments.
bool isAskedToTakeOver(int& argc, char**& argv, bool& knowsFormat);

}  // namespace hipr::worker
