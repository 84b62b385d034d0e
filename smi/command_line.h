// A command line taken apart: options wherever they stand, words in their order.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hipr::smi {

struct OptionName {
  const char* name;  // --name
  char letter;       // -l; 0: none
  bool takesValue;   // --name VALUE, --name=VALUE, -l VALUE, -lVALUE
};

class CommandLine {
 public:
  CommandLine(int argc, char** argv) : arguments_(argv + 1, argv + argc) {}

  // The next option, its index in `names`; words before it are put aside. Nothing when there is none any more, or when
  // an argument is wrong: then error() says what.
  std::optional<std::size_t> next(std::span<const OptionName> names);
  const std::string& value() const { return value_; }
  const std::string& error() const { return error_; }
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::optional<std::size_t> option(std::span<const OptionName> names, const std::string& argument);

  std::vector<std::string> arguments_, words_;
  std::size_t at_ = 0;
  std::string value_, error_;
};

}  // namespace hipr::smi
