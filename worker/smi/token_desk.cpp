#include "worker/smi/token_desk.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

#include "platform/secrets.h"

namespace hipr::worker {
namespace {

constexpr int kPatience = 1000;  // milliseconds

// Numbered, because an earlier service may have died before it read its answer. Both sides are the same program.
struct Question {
  std::uint64_t number = 0;
  char offered[TokenDesk::kLongest];
};
struct Answer {
  std::uint64_t number = 0;
  bool hasTokens = true, right = false;
};
constexpr std::size_t kEmptyQuestion = offsetof(Question, offered);

}  // namespace

Status TokenDesk::make(TokenDesk& out) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return Status::unavailable(std::string("socketpair: ") + std::strerror(errno));
  out.supervisor_ = net::Socket(ends[0]);
  out.service_ = net::Socket(ends[1]);
  return {};
}

TokenDesk::Verdict TokenDesk::ask(std::string_view offered) {
  if (offered.size() > kLongest) return false;
  Question question;
  platform::randomBytes({reinterpret_cast<unsigned char*>(&question.number), sizeof question.number});
  std::memcpy(question.offered, offered.data(), offered.size());
  const std::size_t size = kEmptyQuestion + offered.size();
  if (send(service_.fd(), &question, size, MSG_DONTWAIT | MSG_NOSIGNAL) != static_cast<ssize_t>(size)) return false;
  for (pollfd entry{service_.fd(), POLLIN, 0}; poll(&entry, 1, kPatience) > 0;) {
    Answer answer;
    if (recv(service_.fd(), &answer, sizeof answer, MSG_DONTWAIT) != sizeof answer) break;
    if (answer.number == question.number) return answer.hasTokens ? Verdict(answer.right) : std::nullopt;
  }
  return false;
}

void TokenDesk::answer(const std::function<Verdict(std::string_view offered)>& knows) {
  Question question;
  const ssize_t got = recv(supervisor_.fd(), &question, sizeof question, MSG_DONTWAIT);
  if (got < static_cast<ssize_t>(kEmptyQuestion)) return;
  const Verdict verdict = knows({question.offered, static_cast<std::size_t>(got) - kEmptyQuestion});
  const Answer answer{question.number, verdict.has_value(), verdict.value_or(false)};
  (void)!send(supervisor_.fd(), &answer, sizeof answer, MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace hipr::worker
