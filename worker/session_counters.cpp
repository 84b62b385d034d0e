#include "worker/session_counters.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <new>

namespace hipr::worker {
namespace {

struct Kind {
  std::uint16_t opcode;
  const char* name;
};
constexpr Kind kKinds[] = {
#define MESSAGE(number, Name, verb) {number, #Name},
#include "wire/messages.def"
};

// Opcodes are a topic and a number below 0x80 each, so a small table finds the row.
constexpr std::size_t kTopics = 16, kNumbers = 128;
constexpr auto kByOpcode = [] {
  std::array<std::uint8_t, kTopics * kNumbers> table{};
  table.fill(kMessageKinds);
  for (std::size_t i = 0; i < kMessageKinds; ++i)
    table[(kKinds[i].opcode >> 8) * kNumbers + (kKinds[i].opcode & 0xff)] = static_cast<std::uint8_t>(i);
  return table;
}();
static_assert(kMessageKinds < 256);

constexpr std::size_t kClientSize = 160, kProgramSize = 96;

void copyText(char* to, std::size_t size, const std::string& text) {
  std::snprintf(to, size, "%.*s", static_cast<int>(size) - 1, text.c_str());
}

}  // namespace

std::size_t messageKind(std::uint16_t opcode) {
  const std::size_t topic = opcode >> 8, number = opcode & 0xff;
  return topic < kTopics && number < kNumbers ? kByOpcode[topic * kNumbers + number] : kMessageKinds;
}

const char* messageKindName(std::size_t kind) {
  return kind < kMessageKinds ? kKinds[kind].name : "?";
}

void SessionCounters::received(std::uint16_t opcode, std::uint64_t bytes) {
  if (const std::size_t kind = messageKind(opcode); kind < kMessageKinds) add(requests[kind]);
  add(bytesReceived, bytes);
}

SessionCounters& SessionCounters::nobody() {
  static SessionCounters counters;
  return counters;
}

struct SessionBoard::Seat {
  std::atomic<std::uint64_t> process;
  std::atomic<bool> introduced;  // the texts are there
  char client[kClientSize], program[kProgramSize];
  SessionCounters counters;
};

struct SessionBoard::Shared {
  std::atomic<std::uint64_t> started;
  SessionCounters past;
  Seat seats[1];
};

SessionBoard::SessionBoard(int seats) : seats_(seats) {
  size_ = sizeof(Shared) + sizeof(Seat) * static_cast<std::size_t>(seats);
  void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  shared_ = static_cast<Shared*>(memory);  // zeros are the right start for all of it
}

SessionBoard::~SessionBoard() {
  munmap(shared_, size_);
}

SessionBoard::Seat& SessionBoard::at(int seat) const {
  return shared_->seats[seat];
}

SessionCounters& SessionBoard::sit(int seat) {
  SessionCounters::add(shared_->started);
  at(seat).process.store(static_cast<std::uint64_t>(getpid()), std::memory_order_release);
  return at(seat).counters;
}

void SessionBoard::introduce(int seat, const std::string& client, const std::string& program) {
  Seat& s = at(seat);
  if (s.introduced.load(std::memory_order_relaxed)) return;
  copyText(s.client, sizeof s.client, client);
  copyText(s.program, sizeof s.program, program.substr(program.rfind('/') + 1));
  s.introduced.store(true, std::memory_order_release);
}

void SessionBoard::leave(int seat) {
  Seat& s = at(seat);
  s.introduced.store(false, std::memory_order_relaxed);
  s.process.store(0, std::memory_order_relaxed);
  const auto move = [](SessionCounters::Count& from, SessionCounters::Count& to) {
    SessionCounters::add(to, from.exchange(0, std::memory_order_relaxed));
  };
  SessionCounters &c = s.counters, &past = shared_->past;
  for (std::size_t kind = 0; kind < kMessageKinds; ++kind) move(c.requests[kind], past.requests[kind]);
  move(c.bytesReceived, past.bytesReceived);
  move(c.bytesSent, past.bytesSent);
  move(c.roundTrips, past.roundTrips);
  move(c.errors, past.errors);
  for (SessionCounters::Count* gauge : {&c.issued, &c.finished, &c.memoryBytes}) gauge->store(0);
}

SessionBoard::Sitter SessionBoard::sitter(int seat) const {
  const Seat& s = at(seat);
  Sitter sitter;
  sitter.process = s.process.load(std::memory_order_acquire);
  if (sitter.process != 0 && s.introduced.load(std::memory_order_acquire)) {
    sitter.client.assign(s.client, strnlen(s.client, sizeof s.client));
    sitter.program.assign(s.program, strnlen(s.program, sizeof s.program));
  }
  return sitter;
}

const SessionCounters& SessionBoard::counters(int seat) const {
  return at(seat).counters;
}
const SessionCounters& SessionBoard::past() const {
  return shared_->past;
}
std::uint64_t SessionBoard::sessionsStarted() const {
  return shared_->started.load(std::memory_order_relaxed);
}

}  // namespace hipr::worker
