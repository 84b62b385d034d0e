#include "wire/messages.h"

#include <algorithm>

namespace hipr::wire {
namespace {

constexpr std::uint16_t kNumbers[] = {
#define MESSAGE(number, Name, verb) number,
#include "wire/messages.def"
};

constexpr bool allDifferent() {
  for (std::size_t i = 0; i < std::size(kNumbers); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (kNumbers[i] == kNumbers[j]) return false;
    }
  }
  return true;
}
static_assert(allDifferent(), "wire/messages.def: two messages share a number");

struct Row {
  std::uint16_t number;
  Verb verb;
};
constexpr Row kRows[] = {
#define MESSAGE(number, Name, verb) {number, Verb::verb},
#include "wire/messages.def"
};

}  // namespace

bool isKnown(std::uint16_t opcode) {
  return std::ranges::any_of(kRows, [&](const Row& row) { return row.number == opcode; });
}

std::vector<std::uint16_t> messagesToWorker() {
  std::vector<std::uint16_t> numbers;
  for (const Row& row : kRows)
    if (row.verb != Verb::Push && row.verb != Verb::BeforeCall && row.verb != Verb::BeforePost)
      numbers.push_back(row.number);
  return numbers;
}

const char* opcodeName(std::uint16_t opcode) {
  switch (static_cast<Opcode>(opcode)) {
#define MESSAGE(number, Name, verb) \
  case Opcode::k##Name:             \
    return #Name;
#include "wire/messages.def"
  }
  return "?";
}

}  // namespace hipr::wire
