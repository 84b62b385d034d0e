// Prints what follows from the rows of libamd_smi: version scripts and the coverage document.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

const std::vector<std::string> kSonames = {"24", "26", "27"};

struct Row {
  std::string name, sonames, verb, topic;
  bool in(const std::string& soname) const { return sonames.find(soname) != std::string::npos; }
};

std::vector<Row> rows() {
  std::vector<Row> all;
  std::string topic;
#define SMI_TOPIC(name) topic = #name;
#define SMI_API(name, sonames, verb) all.push_back({#name, #sonames, #verb, topic});
#include "amdsmi/smi.def"
  return all;
}

void printMap(const std::string& soname) {
  std::printf("%s{\nglobal:\n", soname == "27" ? "AMDSMI_1 " : "");  // before 27 there were no symbol versions
  for (const Row& row : rows())
    if (row.in(soname)) std::printf("  %s;\n", row.name.c_str());
  std::printf("local:\n  *;\n};\n");
}

void printNames(const std::string& soname, const char* before) {
  for (const Row& row : rows())
    if (row.in(soname)) std::printf("%s%s\n", before, row.name.c_str());
}

void printList(const std::string& verb, const char* title) {
  std::map<std::string, std::string> topics;
  for (const Row& row : rows())
    if (row.verb == verb) topics[row.topic] += " `" + row.name + "`";
  std::printf("\n## %s\n", title);
  for (const auto& [topic, names] : topics) std::printf("\n**%s**:%s\n", topic.c_str(), names.c_str());
}

void printCoverage() {
  std::printf(
      "# Coverage of libamd_smi\n\n"
      "Printed by `smidump --coverage` from the rows in `amdsmi/rows`; do not edit. A function that is not carried\n"
      "returns `AMDSMI_STATUS_NOT_SUPPORTED`, whatever its arguments are.\n\n"
      "- **fixed**: answered from what was learned at `amdsmi_init`, no round trip\n"
      "- **live**: answered from a reading of all GPUs, at most 100 ms old\n"
      "- **refused**: not carried\n\n"
      "| library | functions | fixed | live | refused |\n|---|---|---|---|---|\n");
  for (const std::string& soname : kSonames) {
    std::map<std::string, int> verbs;
    int total = 0;
    for (const Row& row : rows()) {
      if (!row.in(soname)) continue;
      ++total;
      ++verbs[row.verb];
    }
    std::printf("| `libamd_smi.so.%s` | %d | %d | %d | %d |\n", soname.c_str(), total, verbs["Fixed"], verbs["Live"],
                verbs["Refused"]);
  }
  printList("Fixed", "Fixed");
  printList("Live", "Live");
  printList("Refused", "Refused");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "", soname = argc > 2 ? argv[2] : "";
  if (what == "--map" && std::ranges::count(kSonames, soname)) {
    printMap(soname);
  } else if (what == "--def" && std::ranges::count(kSonames, soname)) {
    std::printf("LIBRARY amd_smi\nEXPORTS\n");
    printNames(soname, "  ");
  } else if (what == "--symbols" && std::ranges::count(kSonames, soname)) {
    printNames(soname, "_");
  } else if (what == "--coverage" && argc == 2) {
    printCoverage();
  } else {
    std::fprintf(stderr,
                 "usage: smidump --map SONAME  GNU version script of libamd_smi.so.SONAME\n"
                 "       smidump --def SONAME, --symbols SONAME   the same for the linkers of Windows and macOS\n"
                 "       smidump --coverage    docs/smi-coverage.md\n");
    return 2;
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
