// Sessions that one supervisor leaves to the next (hand_over.h).
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "worker/running_sessions.h"

namespace hipr::worker {
namespace {

constexpr char kClient[] = "client", kControl[] = "control", kDoor[] = "door", kPage[] = "page", kProcess[] = "process";

// The page that a session counts in already instead of the one that is there.
void putInPlace(const net::Socket& page, SessionBoard& board, int account) {
  mmap(&board.page(account), sizeof(SessionPage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, page.fd(), 0);
  dup3(page.fd(), board.descriptor(account), O_CLOEXEC);
}

}  // namespace

void RunningSessions::handOver(HandedState& state, Heritage& heritage) const {
  for (const auto& [process, session] : sessions_) {
    HandedSession& out = state.sessions.emplace_back();
    out.process = process;
    out.account = session.account;
    out.peer = session.peer;
    out.identity = session.identity.name;
    out.identityMemory = session.identity.memory;
    out.identitySessions = session.identity.sessions;
    out.standsBack = session.identity.standsBack;
    out.devices = session.devices;
    out.resumeKey = session.resumeKey;
    out.waits = session.waits;
    out.client = session.clientProcess;
    if (session.end) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*session.end - Clock::now()).count();
      out.endsIn = std::max<std::int64_t>(0, left);
    }
    for (int device = 0; device < ledger_.devices(); ++device)
      out.promised.push_back(ledger_.promised(device, session.account));
    heritage.add(nameOf(kClient, session.account), session.socket.fd());
    heritage.add(nameOf(kControl, session.account), session.control.fd());
    heritage.add(nameOf(kDoor, session.account), session.door.fd());
    heritage.add(nameOf(kPage, session.account), board_.descriptor(session.account));
    const net::Socket opened(session.process.open() ? -1 : static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
    heritage.add(nameOf(kProcess, session.account), session.process.open() ? session.process.fd() : opened.fd());
  }
  shares_.handOver(state, heritage);
  compilers_.handOver(state);
}

void RunningSessions::inherit(const HandedState& state, Heritage& heritage) {
  for (const HandedSession& in : state.sessions) {
    Running session{.peer = in.peer,
                    .identity = {in.identity, in.identityMemory, in.identitySessions, in.standsBack},
                    .account = in.account,
                    .devices = in.devices};
    session.socket = heritage.take(nameOf(kClient, in.account));
    session.control = heritage.take(nameOf(kControl, in.account));
    session.door = heritage.take(nameOf(kDoor, in.account));
    session.process = heritage.take(nameOf(kProcess, in.account));
    if (isChild(in.process)) session.process.close();  // reap() sees its end
    session.resumeKey = in.resumeKey;
    session.waits = in.waits;
    session.clientProcess = in.client;
    session.client = ProcessMark(in.client);
    if (in.client && !session.client.known()) session.waits = false;  // it has ended
    if (in.endsIn >= 0) session.end = session.nextLook = Clock::now() + std::chrono::milliseconds(in.endsIn);
    for (int device = 0; device < std::min(ledger_.devices(), static_cast<int>(in.promised.size())); ++device)
      (void)ledger_.grant(device, in.account, in.promised[static_cast<std::size_t>(device)]);
    const net::Socket page = heritage.take(nameOf(kPage, in.account));
    if (page.open() && state.pageLayout == pageLayout()) putInPlace(page, board_, in.account);
    board_.sit(in.account, in.process, in.identity);
    sessions_.emplace(in.process, std::move(session));
  }
  shares_.inherit(state, heritage);
  compilers_.inherit(state);
}

}  // namespace hipr::worker
