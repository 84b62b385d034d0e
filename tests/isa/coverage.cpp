// isa_coverage USED_MNEMONICS: what of the instruction table is executed, as docs/softgpu.md shows it. Fails when a
// mnemonic that real code uses is not, or when something else is missing without a reason.
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "backends/softgpu/isa/impl.h"
#include "backends/softgpu/isa/table.h"

namespace {

using namespace hipr::softgpu;

// Rows without a handler, and why.
const std::map<std::string, std::string> kReasons = {
    {"s_rfe_b64", "returns from a trap handler; there are no trap handlers here, and user code may not"},
    {"s_rfe_restore_b64", "returns from a trap handler, like s_rfe_b64"},
    {"v_screen_partition_4se_b32", "divides a screen among shader engines: graphics"},
};

void printEncodings() {
  std::map<Encoding, std::pair<int, int>> counts;
  int executed = 0;
  for (std::size_t k = 0; k < allRows().size(); ++k) {
    auto& [done, all] = counts[allRows()[k].encoding];
    bool built = chosenImpls()[k] != nullptr;
    done += built, executed += built, ++all;
  }
  std::printf("| encoding | executed | in the table |\n|---|---|---|\n");
  for (const auto& [encoding, count] : counts)
    std::printf("| %s | %d | %d |\n", encodingName(encoding), count.first, count.second);
  std::printf("| all | %d | %zu |\n\n", executed, allRows().size());
}

bool printMissing() {
  bool explained = true;
  std::printf("Not executed (such an instruction ends its kernel, with its name):\n\n");
  for (std::size_t k = 0; k < allRows().size(); ++k) {
    if (chosenImpls()[k]) continue;
    auto reason = kReasons.find(allRows()[k].name);
    explained &= reason != kReasons.end();
    std::printf("- `%s`: %s\n", allRows()[k].name,
                reason != kReasons.end() ? reason->second.c_str() : "NO REASON GIVEN");
  }
  return explained;
}

// Lines "mnemonic gfx90a gfx942"; compares also occur with their suffix _e32.
bool printUsed(const char* path) {
  std::ifstream file(path);
  if (!file) std::fprintf(stderr, "isa_coverage: cannot read %s\n", path);
  std::map<std::string, std::pair<int, int>> counts;
  std::set<std::string> missing;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name, gpu;
    if (!(words >> name) || name[0] == '#') continue;
    std::string plain = name.ends_with("_e32") ? name.substr(0, name.size() - 4) : name;
    while (words >> gpu) {
      bool built = false;
      for (std::size_t k = 0; k < allRows().size(); ++k)
        built |= allRows()[k].name == plain && (allRows()[k].gpus & (gpu == "gfx942" ? kOnly942 : kOnly90a)) &&
                 chosenImpls()[k];
      counts[gpu].first += built;
      ++counts[gpu].second;
      if (!built) missing.insert(name);
    }
  }
  for (const auto& [gpu, count] : counts)
    std::printf("%s: %d of %d used mnemonics executed.\n", gpu.c_str(), count.first, count.second);
  for (const std::string& name : missing) std::printf("MISSING %s\n", name.c_str());
  std::printf("\n");
  return missing.empty() && counts.size() == 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: isa_coverage USED_MNEMONICS\n");
    return 2;
  }
  bool used = printUsed(argv[1]);
  printEncodings();
  bool explained = printMissing();
  return used && explained ? 0 : 1;
}
