#include "worker/return.h"

#include <sys/socket.h>

#include <fstream>
#include <sstream>
#include <string>

#include "base/log.h"
#include "net/socket_transport.h"
#include "platform/thread.h"
#include "tls/tls_transport.h"
#include "wire/append.h"
#include "worker/pass_socket.h"

namespace hipr::worker {
namespace {

constexpr int kPatience = 5;  // seconds for what the supervisor has seen already
constexpr std::size_t kJoinSize = sizeof(wire::Bits256) + sizeof(std::uint32_t);

// When a process started, in ticks of the system; 0 when there is none, or only what its parent has not buried yet.
std::uint64_t startOf(std::uint64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name = line.rfind(')');  // it may have anything in it
  if (name == std::string::npos) return 0;
  std::istringstream fields(line.substr(name + 1));
  std::string state, skipped;
  fields >> state;
  for (int i = 0; i < 18; ++i) fields >> skipped;
  std::uint64_t start = 0;
  fields >> start;
  return state == "Z" || state == "X" ? 0 : start;
}

}  // namespace

void ReturnDoor::open(net::Channel& channel, std::uint64_t process, Joined joined) {
  if (opened_) return;
  opened_ = true;
  joined_ = std::move(joined);
  channel.awaitReturn();
  Wait wait{process, false};
  (void)!send(supervisor_.fd(), &wait, sizeof wait, MSG_NOSIGNAL);
  std::thread([this, &channel] { attend(channel); }).detach();
}

void ReturnDoor::close() {
  Wait wait{0, true};
  if (opened_) (void)!send(supervisor_.fd(), &wait, sizeof wait, MSG_NOSIGNAL);
}

Status ReturnDoor::takeBack(net::Channel& channel, net::TransportPtr link) {
  link->setTimeout(kPatience * 1000);
  std::byte frame[wire::kHeaderSize + sizeof(wire::Resume)];
  if (Status status = link->receiveAll(frame); !status.ok()) return status;
  wire::Resume resume;
  wire::Reader reader{wire::Bytes(frame).subspan(wire::kHeaderSize)};
  reader.get(resume);
  return channel.adopt(std::move(link), resume.received, [](net::Transport& fresh, std::uint64_t here) {
    std::vector<std::byte> answer;
    wire::appendFrame(answer, wire::Opcode::kResume, 0, wire::HIP_REMOTE_FLAG_REPLY, wire::ResumeReply{here});
    return fresh.send(answer);
  });
}

Status ReturnDoor::takeLane(std::uint32_t lane, net::TransportPtr link) const {
  link->setTimeout(kPatience * 1000);
  std::byte frame[wire::kHeaderSize + kJoinSize];
  if (Status status = link->receiveAll(frame); !status.ok()) return status;
  link->setTimeout(0);
  joined_(lane, std::move(link));
  return {};
}

void ReturnDoor::attend(net::Channel& channel) {
  platform::nameThisThread("hip-door");
  for (;;) {
    net::Socket socket;
    Passenger client;
    const Passed passed = takeSocket(supervisor_, true, socket, client);
    if (passed == Passed::kClosed) return;
    if (passed != Passed::kSocket) continue;
    net::TransportPtr link = net::overSocket(std::move(socket), ioTimeout_);
    if (client.shield) link = tls::overTls(std::move(link), *client.shield);
    const Status status = client.lane ? takeLane(client.lane, std::move(link)) : takeBack(channel, std::move(link));
    logDebug("the client came %s: %s", client.lane ? "with a lane" : "back",
             status.ok() ? "nothing is lost" : status.message().c_str());
  }
}

bool takeWait(const net::Socket& session, Wait& wait) {
  return recv(session.fd(), &wait, sizeof wait, MSG_DONTWAIT) == static_cast<ssize_t>(sizeof wait);
}

ProcessMark::ProcessMark(std::uint64_t process) : process_(process), started_(process ? startOf(process) : 0) {}

bool ProcessMark::ended() const {
  return started_ != 0 && startOf(process_) != started_;
}

}  // namespace hipr::worker
