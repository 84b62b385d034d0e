// Prints what follows from the API rows: version scripts, the Windows export list, names, the coverage document.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "tools/rows.h"

namespace hipr::tools {
namespace {

using SymbolsByNode = std::map<std::string, std::vector<std::string>>;

constexpr int kAllAbis = 0;

// A GNU version script. Every node up to the newest release of the soname stands in it, with or without symbols.
void printMap(int abi) {
  SymbolsByNode symbols;
  for (const Row& row : rows())
    if (abi == kAllAbis || row.in(abi)) symbols[row.node].push_back(row.symbol);
  bool first = true;
  for (const Node& node : nodes()) {
    if (abi != kAllAbis && node.since > abi) continue;
    std::printf("%s {\n", node.name.c_str());
    std::vector<std::string>& names = symbols[node.name];
    std::sort(names.begin(), names.end());
    if (!names.empty()) std::printf("global:\n");
    for (const std::string& name : names) std::printf("  %s;\n", name.c_str());
    if (first) std::printf("local:\n  *;\n");
    first = false;
    std::printf("}%s%s;\n\n", node.parent.empty() ? "" : " ", node.parent.c_str());
  }
}

// The same for every name: a program of HIP 5 or 6 does not mind what came later.
void printWindowsDefinition(const char* library) {
  std::printf("LIBRARY %s\nEXPORTS\n", library);
  for (const Row& row : rows())
    if (exportedByWindows(row)) std::printf("  %s\n", row.symbol.c_str());
}

// For Apple's linker, which puts an underscore before every name and knows no versions of symbols.
void printSymbols(int abi) {
  for (const Row& row : rows())
    if (row.in(abi)) std::printf("_%s\n", row.symbol.c_str());
}

void printNames() {
  for (const Row& row : rows())
    std::printf("%s %s %s %s\n", row.symbol.c_str(), row.node.c_str(), row.abis.c_str(), row.verb.c_str());
}

struct Count {
  int total = 0;
  std::map<std::string, int> verbs;
  std::vector<std::string> todo, direct, waiting;

  void add(const Row& row) {
    ++total;
    ++verbs[row.verb];
    if (row.verb == "Todo") todo.push_back(row.symbol);
    if (row.verb == "Direct") direct.push_back(row.symbol);
    if (row.verb == "Wait") waiting.push_back(row.symbol);
  }
  void print(const std::string& label) {
    const int carried = verbs["Local"] + verbs["Post"] + verbs["Wait"];
    std::printf("| %s | %d | %d | %d | %d | %d | %d | %d |\n", label.c_str(), total, carried, verbs["Local"],
                verbs["Post"], verbs["Wait"], verbs["Direct"], verbs["Todo"]);
  }
};

void printList(const char* title, const std::map<std::string, Count>& topics, std::vector<std::string> Count::* list) {
  if (std::ranges::all_of(topics, [&](const auto& topic) { return (topic.second.*list).empty(); })) return;
  std::printf("\n## %s\n", title);
  for (const auto& [topic, count] : topics) {
    if ((count.*list).empty()) continue;
    std::printf("\n**%s** (%zu):", topic.c_str(), (count.*list).size());
    for (const std::string& name : count.*list) std::printf(" `%s`", name.c_str());
    std::printf("\n");
  }
}

void printCoverage() {
  std::map<std::string, Count> topics, sonames;
  Count all;
  for (const Row& row : rows()) {
    if (row.cxx) continue;  // a second name, not another call
    topics[row.topic].add(row);
    all.add(row);
    for (int abi : {5, 6, 7})
      if (row.in(abi)) sonames["libamdhip64.so." + std::to_string(abi)].add(row);
  }
  const char* columns =
      "calls | carried | local | post | wait | direct | missing |\n|---|---|---|---|---|---|---|---|\n";
  std::printf(
      "# Coverage\n\n"
      "Printed by `apidump --coverage` from the rows in `api/hip`; do not edit. A call that is missing returns\n"
      "`hipErrorNotSupported` and says so once on stderr.\n\n"
      "- **local**: never travels: answered from what the client knows\n"
      "- **post**: travels, never waits\n"
      "- **wait**: may wait for an answer of the worker; which calls do, and when, is in `tests/e2e/rows`\n"
      "- **direct**: built in softgpu, not carried to a worker yet\n"
      "- **missing**: not built\n\n"
      "Arrays, textures and surfaces work where the GPU has instructions for images: on gfx90a, softgpu's included,\n"
      "and on RDNA. On gfx942, which has none, each call answers as AMD's runtime does there. Mipmaps are refused\n"
      "everywhere, as by AMD's runtime on Linux; a copy between an array and another worker's GPU is refused, too.\n\n"
      "What is missing is in `libamdhip64.so.5` only, and gone from AMD's since 5.3: the callbacks of roctracer 4, "
      "which want\n"
      "each call's arguments in structures of that release (later ones have `hipRegisterTracerCallback`).\n\n");
  std::printf("| library | %s", columns);
  for (auto& [label, count] : sonames) count.print("`" + label + "`");
  std::printf("\n| topic | %s", columns);
  for (auto& [topic, count] : topics) count.print(topic);
  all.print("**all**");
  printList("May wait", topics, &Count::waiting);
  printList("Only in softgpu", topics, &Count::direct);
  printList("Missing", topics, &Count::todo);
}

int usage() {
  std::fprintf(stderr,
               "usage: apidump --map 5|6|7   GNU version script of that soname\n"
               "       apidump --map all     of all of them together\n"
               "       apidump --symbols 5|6|7 exported symbols of that version's library on macOS\n"
               "       apidump --def LIBRARY Windows' module definition of amdhip64, amdhip64_6 or amdhip64_7\n"
               "       apidump --coverage    docs/coverage.md\n"
               "       apidump --names       every symbol with its node, sonames and verb\n");
  return 2;
}

int run(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "--map" && argc == 3 && std::strlen(argv[2]) == 1 && std::strchr("567", argv[2][0]) != nullptr) {
    printMap(argv[2][0] - '0');
  } else if (what == "--map" && argc == 3 && std::strcmp(argv[2], "all") == 0) {
    printMap(kAllAbis);
  } else if (what == "--symbols" && argc == 3 && std::strlen(argv[2]) == 1 && std::strchr("567", argv[2][0])) {
    printSymbols(argv[2][0] - '0');
  } else if (what == "--def" && argc == 3) {
    printWindowsDefinition(argv[2]);
  } else if (argc != 2) {
    return usage();
  } else if (what == "--coverage") {
    printCoverage();
  } else if (what == "--names") {
    printNames();
  } else {
    return usage();
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace hipr::tools

int main(int argc, char** argv) {
  return hipr::tools::run(argc, argv);
}
