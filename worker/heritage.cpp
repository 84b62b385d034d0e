#include "worker/heritage.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/env.h"

extern char** environ;

namespace hipr::worker {
namespace {

constexpr char kOurs[] = "HIP_WORKER_HERITAGE";  // name=descriptor:...
constexpr int kFirstOfSystemd = 3;
constexpr int kBarrierSeconds = 5, kNotifySeconds = 2;

void keepAcrossExec(int descriptor, bool keep) {
  fcntl(descriptor, F_SETFD, keep ? 0 : FD_CLOEXEC);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ':');) out.push_back(part);
  return out;
}

// A message of systemd's protocol for services (sd_notify), with a descriptor or without.
Status notify(const std::string& words, int descriptor = -1) {
  const std::string path = envText("NOTIFY_SOCKET").value_or("");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() < 2 || path.size() >= sizeof address.sun_path) return Status::unavailable("NOTIFY_SOCKET is not set");
  std::memcpy(address.sun_path, path.data(), path.size());
  if (path[0] == '@') address.sun_path[0] = 0;
  net::Socket socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const timeval patience{kNotifySeconds, 0};  // its queue is short
  setsockopt(socket.fd(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  iovec part{const_cast<char*>(words.data()), words.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_name = &address;
  message.msg_namelen = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  if (sendmsg(socket.fd(), &message, MSG_NOSIGNAL) >= 0) return {};
  return Status::unavailable("telling systemd: " + std::string(std::strerror(errno)));
}

// Waits until systemd has read everything that was said: it listens to no process that has ended.
Status barrier() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Status::exhausted("no pipe");
  net::Socket ours(ends[0]), theirs(ends[1]);
  if (Status status = notify("BARRIER=1", theirs.fd()); !status.ok()) return status;
  theirs.close();
  pollfd entry{ours.fd(), 0, 0};
  if (poll(&entry, 1, kBarrierSeconds * 1000) == 1) return {};
  return Status::unavailable("systemd does not take what it is told");
}

}  // namespace

std::vector<std::string> commandLine() {
  std::vector<std::string> out;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  for (std::string argument; std::getline(file, argument, '\0');) out.push_back(argument);
  return out;
}

Heritage Heritage::found() {
  Heritage out;
  for (const std::string& item : split(envText(kOurs).value_or(""))) {
    const std::size_t at = item.rfind('=');
    const auto number = at == std::string::npos ? std::nullopt : parseNumber(item.substr(at + 1).c_str(), 3, 1 << 30);
    if (number) out.items_[item.substr(0, at)] = net::Socket(static_cast<int>(*number));
  }
  if (envText("LISTEN_PID").value_or("") == std::to_string(getpid())) {
    out.stored_ = split(envText("LISTEN_FDNAMES").value_or(""));
    for (std::size_t i = 0; i < out.stored_.size(); ++i)
      out.items_[out.stored_[i]] = net::Socket(kFirstOfSystemd + static_cast<int>(i));
  }
  for (const auto& [name, item] : out.items_) keepAcrossExec(item.fd(), false);
  for (const char* name : {kOurs, "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) unsetenv(name);
  return out;
}

net::Socket Heritage::take(const std::string& name) {
  const auto item = items_.find(name);
  if (item == items_.end()) return {};
  net::Socket out = std::move(item->second);
  items_.erase(item);
  return out;
}

void Heritage::accepted() const {
  for (const std::string& name : stored_) (void)notify("FDSTOREREMOVE=1\nFDNAME=" + name);
}

void Heritage::add(const std::string& name, int descriptor) {
  if (descriptor >= 0) items_[name] = net::Socket(fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstOfSystemd));
}

Status Heritage::become(const std::string& program) {
  std::string list;
  for (const auto& [name, item] : items_) list += name + "=" + std::to_string(item.fd()) + ":";
  std::vector<std::string> words = commandLine();
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  setenv(kOurs, list.c_str(), 1);
  for (const auto& [name, item] : items_) keepAcrossExec(item.fd(), true);
  execv(program.c_str(), arguments.data());
  const int error = errno;
  for (const auto& [name, item] : items_) keepAcrossExec(item.fd(), false);
  unsetenv(kOurs);
  return Status::unavailable(program + ": " + std::strerror(error));
}

Status Heritage::store() const {
  for (const auto& [name, item] : items_)
    if (Status status = notify("FDSTORE=1\nFDNAME=" + name, item.fd()); !status.ok()) return status;
  return barrier();
}

}  // namespace hipr::worker
