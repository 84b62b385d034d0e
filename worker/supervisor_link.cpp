#include "worker/supervisor_link.h"

#include <cerrno>

#include "base/log.h"

namespace hipr::worker {

Answer SupervisorLink::ask(const Question& question, int give, Descriptor* got) {
  const std::lock_guard lock(mutex_);
  Answer answer;
  Descriptor taken;
  const int socket = supervisor_.fd();
  if (sendPacket(socket, std::as_bytes(std::span(&question, 1)), give, Patience::kEndless) == sizeof question &&
      receivePacket(socket, std::as_writable_bytes(std::span(&answer, 1)), taken, Patience::kEndless) ==
          sizeof answer) {
    if (got != nullptr) *got = std::move(taken);
    return answer;
  }
  static LogOnce once;
  once.error("the supervisor does not answer; no more device memory for this session");
  return {};
}

Heard hear(const net::Socket& session, Question& question, Descriptor& given) {
  question = {};
  const ssize_t got =
      receivePacket(session.fd(), std::as_writable_bytes(std::span(&question, 1)), given, Patience::kNone);
  if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? Heard::kNothing : Heard::kEnd;
  if (got == 0) return Heard::kEnd;
  if (got != sizeof question) question = {};
  return Heard::kQuestion;
}

// A session that asks and never reads is not waited for.
void tell(const net::Socket& session, const Answer& answer, int give) {
  (void)!sendPacket(session.fd(), std::as_bytes(std::span(&answer, 1)), give, Patience::kNone);
}

}  // namespace hipr::worker
