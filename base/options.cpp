#include "base/options.h"

#include <algorithm>
#include <sstream>

namespace hipr {
namespace {

using Arguments = std::span<char* const>;

bool isOption(const std::string& argument) {
  return argument.size() > 1 && argument[0] == '-' && argument != "--";
}

// REQUIRES: isOption(arguments[0]). Takes it off the front, with its value.
Status takeOne(std::span<const Option> options, Arguments& arguments) {
  const std::string argument = arguments[0];
  arguments = arguments.subspan(1);
  const bool whole = argument[1] == '-';
  const std::size_t end = whole ? std::min(argument.find('='), argument.size()) : 2;
  const std::string shown = argument.substr(0, end);
  const auto found = std::ranges::find_if(options, [&](const Option& option) {
    return whole ? shown.substr(2) == option.name : shown[1] == option.letter;
  });
  if (found == options.end()) return Status::invalid("there is no option \"" + shown + "\"");
  const bool attached = end < argument.size();
  std::string value;
  if (found->value && attached) {
    value = argument.substr(end + (whole ? 1 : 0));
  } else if (found->value) {
    if (arguments.empty()) return Status::invalid("\"" + shown + "\" lacks its value");
    value = arguments[0];
    arguments = arguments.subspan(1);
  } else if (attached) {
    return Status::invalid("\"" + shown + "\" takes no value");
  }
  const Status status = found->take(value);
  return status.ok() ? status : status.within(std::string("--") + found->name);
}

}  // namespace

Status takeLeadingOptions(std::span<const Option> options, Arguments& arguments) {
  while (!arguments.empty() && isOption(arguments[0]))
    if (Status status = takeOne(options, arguments); !status.ok()) return status;
  if (!arguments.empty() && std::string(arguments[0]) == "--") arguments = arguments.subspan(1);
  return {};
}

Status takeOptions(std::span<const Option> options, Arguments arguments, std::vector<std::string>& words) {
  while (!arguments.empty() && std::string(arguments[0]) != "--") {
    if (isOption(arguments[0])) {
      if (Status status = takeOne(options, arguments); !status.ok()) return status;
    } else {
      words.push_back(arguments[0]);
      arguments = arguments.subspan(1);
    }
  }
  if (!arguments.empty()) words.insert(words.end(), arguments.begin() + 1, arguments.end());
  return {};
}

std::string describe(std::span<const Option> options) {
  constexpr std::size_t kColumn = 25, kWidth = 120;
  std::string all;
  for (const Option& option : options) {
    if (!option.help) continue;
    std::string line = option.letter ? std::string("  -") + option.letter + ", --" : std::string("      --");
    line += option.name;
    if (option.value) line += std::string(" ") + option.value;
    if (line.size() + 2 > kColumn) {
      all += line + "\n";
      line.clear();
    }
    line.resize(kColumn, ' ');
    std::istringstream words(option.help);
    for (std::string word; words >> word;) {
      if (line.size() + 1 + word.size() > kWidth) {
        all += line + "\n";
        line.assign(kColumn, ' ');
      }
      line += (line.size() > kColumn ? " " : "") + word;
    }
    all += line + "\n";
  }
  return all;
}

}  // namespace hipr
