#include "wire/messages.h"

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

}  // namespace

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
