#include "smi/command_line.h"

#include <algorithm>

namespace hipr::smi {

std::optional<std::size_t> CommandLine::next(std::span<const OptionName> names) {
  while (at_ < arguments_.size()) {
    const std::string argument = arguments_[at_++];
    if (argument == "--") {
      words_.insert(words_.end(), arguments_.begin() + static_cast<std::ptrdiff_t>(at_), arguments_.end());
      at_ = arguments_.size();
    } else if (argument.size() < 2 || argument[0] != '-') {
      words_.push_back(argument);
    } else {
      return option(names, argument);
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> CommandLine::option(std::span<const OptionName> names, const std::string& argument) {
  const bool whole = argument[1] == '-';
  const std::size_t end = whole ? std::min(argument.find('='), argument.size()) : 2;
  const std::string name = argument.substr(whole ? 2 : 1, end - (whole ? 2 : 1));
  const auto found = std::ranges::find_if(
      names, [&](const OptionName& option) { return whole ? name == option.name : argument[1] == option.letter; });
  if (found == names.end()) {
    error_ = "there is no option \"" + argument.substr(0, end) + "\"";
    return std::nullopt;
  }
  const bool attached = end < argument.size();
  if (found->takesValue && !attached && at_ == arguments_.size()) {
    error_ = "\"" + argument + "\" lacks its value";
    return std::nullopt;
  }
  if (!found->takesValue && attached) {
    error_ = "\"" + argument.substr(0, end) + "\" takes no value";
    return std::nullopt;
  }
  if (found->takesValue) value_ = attached ? argument.substr(end + (whole ? 1 : 0)) : arguments_[at_++];
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace hipr::smi
