#include "worker/session_counters.h"

#include <fcntl.h>
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

void* mapped(int file, std::size_t size, int access) {
  void* memory = mmap(nullptr, size, access, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

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
  if (const std::size_t kind = messageKind(opcode); kind < kMessageKinds) addAlone(requests[kind]);
  addAlone(bytesReceived, bytes);
}

SessionCounters& SessionCounters::nobody() {
  static SessionCounters counters;
  return counters;
}

void SessionPage::introduce(const std::string& who, const std::string& what) {
  if (introduced.load(std::memory_order_relaxed)) return;
  copyText(client, sizeof client, who);
  copyText(program, sizeof program, what.substr(what.rfind('/') + 1));
  introduced.store(true, std::memory_order_release);
}

SessionPage* SessionPage::map(int descriptor) {
  void* memory = mmap(nullptr, sizeof(SessionPage), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<SessionPage*>(memory);
}

struct SessionBoard::Summary {
  std::atomic<std::uint64_t> started;
  SessionCounters past;
  struct Chair {
    std::atomic<std::uint64_t> process;  // what follows was written before it
    char identity[64];
  } chairs[1];  // by seat
};

std::size_t SessionBoard::summarySize() const {
  return sizeof(Summary) + sizeof(Summary::Chair) * seats_.size();
}

SessionBoard::SessionBoard(int seats) : seats_(static_cast<std::size_t>(seats)) {
  // Zeros are the right start for all of it.
  summaryFile_ = memfd_create("hip-sessions", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (summaryFile_ < 0 || ftruncate(summaryFile_, static_cast<off_t>(summarySize())) != 0) throw std::bad_alloc();
  summary_ = static_cast<Summary*>(mapped(summaryFile_, summarySize(), PROT_READ | PROT_WRITE));
  // From now on it can only be read by whoever maps it. Kernels before 5.1 cannot promise that.
  fcntl(summaryFile_, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  for (Seat& seat : seats_) {
    seat.descriptor = memfd_create("hip-session", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    // Nobody can cut it short under the hands of those who read it.
    if (seat.descriptor < 0 || ftruncate(seat.descriptor, sizeof(SessionPage)) != 0 ||
        fcntl(seat.descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
        !(seat.page = SessionPage::map(seat.descriptor)))
      throw std::bad_alloc();
  }
}

SessionBoard::SessionBoard(const Files& files) : seats_(files.pages.size()), summaryFile_(files.summary) {
  summary_ = static_cast<Summary*>(mapped(summaryFile_, summarySize(), PROT_READ));
  for (std::size_t i = 0; i < seats_.size(); ++i)
    seats_[i] = {files.pages[i], static_cast<SessionPage*>(mapped(files.pages[i], sizeof(SessionPage), PROT_READ))};
}

SessionBoard::Files SessionBoard::files() const {
  Files out{summaryFile_, {}};
  for (const Seat& seat : seats_) out.pages.push_back(seat.descriptor);
  return out;
}

SessionBoard::~SessionBoard() {
  munmap(summary_, summarySize());
  close(summaryFile_);
  for (const Seat& seat : seats_) {
    munmap(seat.page, sizeof(SessionPage));
    close(seat.descriptor);
  }
}

void SessionBoard::sit(int seat, pid_t process, const std::string& identity) {
  SessionCounters::add(summary_->started);
  Summary::Chair& chair = summary_->chairs[seat];
  copyText(chair.identity, sizeof chair.identity, identity);
  chair.process.store(static_cast<std::uint64_t>(process), std::memory_order_release);
}

void SessionBoard::leave(int seat) {
  SessionPage& page = this->page(seat);
  summary_->chairs[seat].process.store(0, std::memory_order_relaxed);
  const auto move = [](SessionCounters::Count& from, SessionCounters::Count& to) {
    SessionCounters::add(to, from.exchange(0, std::memory_order_relaxed));
  };
  SessionCounters &c = page.counters, &past = summary_->past;
  for (std::size_t kind = 0; kind < kMessageKinds; ++kind) move(c.requests[kind], past.requests[kind]);
  move(c.bytesReceived, past.bytesReceived);
  move(c.bytesSent, past.bytesSent);
  move(c.bytesKnown, past.bytesKnown);
  move(c.bytesKept, past.bytesKept);
  move(c.roundTrips, past.roundTrips);
  move(c.errors, past.errors);
  for (std::size_t kind = 0; kind < kQuotas; ++kind) move(c.refusals[kind], past.refusals[kind]);
  new (&page) SessionPage{};
}

SessionBoard::Sitter SessionBoard::sitter(int seat) const {
  const SessionPage& page = *seats_[static_cast<std::size_t>(seat)].page;
  Sitter sitter;
  const Summary::Chair& chair = summary_->chairs[seat];
  sitter.process = chair.process.load(std::memory_order_acquire);
  if (sitter.process != 0) sitter.identity.assign(chair.identity, strnlen(chair.identity, sizeof chair.identity));
  if (sitter.process != 0 && page.introduced.load(std::memory_order_acquire)) {
    sitter.client.assign(page.client, strnlen(page.client, sizeof page.client));
    sitter.program.assign(page.program, strnlen(page.program, sizeof page.program));
  }
  return sitter;
}

const SessionCounters& SessionBoard::past() const {
  return summary_->past;
}
std::uint64_t SessionBoard::sessionsStarted() const {
  return summary_->started.load(std::memory_order_relaxed);
}

}  // namespace hipr::worker
