// A list of every payload there is (each message, each reply, and Done), for tests and fuzzers that treat them all
// alike. The code that needs their types is compiled once, here: a hundred structs in each of a dozen tests would take
// a minute.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "wire/stream.h"

namespace hipr::wire {

struct Payload {
  using Numbers = std::function<std::uint64_t()>;  // where made-up values come from
  struct Recoded {
    std::vector<std::byte> bytes;
    bool whole;  // nothing was left behind what was decoded
  };

  const char* name;
  std::vector<std::byte> (*sample)(const Numbers& numbers);  // one with every field filled, encoded
  std::optional<Recoded> (*recode)(Bytes bytes);             // decoded, if it can be, and encoded again
};

const std::vector<Payload>& payloads();

}  // namespace hipr::wire
