#include "smi/format.h"
#include "smi/json.h"

namespace hipr::smi {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string cell(const Json& value) {
  if (value.is_null()) return "";
  return quoted(printable(value.is_string() ? value.get<std::string>() : value.dump()));
}

// A record's own values, then those of the objects inside it.
void flatten(const Json& record, std::vector<std::pair<std::string, std::string>>& out) {
  for (const auto& [key, value] : record.items()) {
    if (value.is_object()) {
      flatten(value, out);
    } else {
      out.emplace_back(key, cell(value));
    }
  }
}

}  // namespace

std::string toCsv(const Json& document) {
  std::string out;
  for (const Json& host : document["hosts"]) {
    if (!host["ok"].get<bool>()) continue;
    const char* kind = host.contains("processes") && !host.contains("gpus") ? "processes"
                       : host.contains("links")                             ? "links"
                                                                            : "gpus";
    for (const Json& record : host[kind]) {
      std::vector<std::pair<std::string, std::string>> cells = {{"host", cell(host["host"])}};
      flatten(record, cells);
      std::string names, values;
      for (const auto& [name, value] : cells) {
        const char* comma = names.empty() ? "" : ",";
        names += comma + name;
        values += comma + value;
      }
      if (out.empty()) out = names + "\n";
      out += values + "\n";
    }
  }
  return out;
}

}  // namespace hipr::smi
