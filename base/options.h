// The options of a program, each described once: its name, what is done with its value, and what --help says of it.
// Manual pages and the completion of shells are made from --help, so that there is no second list.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/status.h"

namespace hipr {

// What is done with an option's value, which is empty for an option that takes none; a failure says what is wrong with
// it.
using Take = std::function<Status(const std::string&)>;

struct Option {
  const char* name;  // --name
  char letter;       // -l; 0: none
  const char*
      value;  // --name VALUE, --name=VALUE, -l VALUE, -lVALUE: what --help calls it; nullptr: the option takes none
  Take take;
  const char* help;  // nullptr: --help does not mention it
};

inline Take flag(bool& out, bool value = true) {
  return [&out, value](const std::string&) { return out = value, Status(); };
}

template <class String>  // also an optional one
Take text(String& out) {
  return [&out](const std::string& value) { return out = value, Status(); };
}

template <class Integer>
Take number(Integer& out, std::int64_t low, std::int64_t high) {
  return [&out, low, high](const std::string& value) {
    const auto number = parseNumber(value, low, high);
    if (!number)
      return Status::invalid("must be a number from " + std::to_string(low) + " to " + std::to_string(high) +
                             ", not \"" + value + "\"");
    out = static_cast<Integer>(*number);
    return Status();
  };
}

// Takes the options that stand before the first word, and a "--" after them; `arguments` begins with that word then.
Status takeLeadingOptions(std::span<const Option> options, std::span<char* const>& arguments);

// Takes the options wherever they stand before a "--"; what is left are `words`.
Status takeOptions(std::span<const Option> options, std::span<char* const> arguments, std::vector<std::string>& words);

// What --help says of them, in lines of 120 characters at most.
std::string describe(std::span<const Option> options);

}  // namespace hipr
