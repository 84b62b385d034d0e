// For fuzzers linked with libFuzzer, which starts from files: writes the inputs that the target makes in code
// (fuzz.h) to the folder that HIPR_FUZZ_SEEDS names, before libFuzzer reads its corpus.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* folder = std::getenv("HIPR_FUZZ_SEEDS");
  if (!folder || !hipr::fuzz::seeds) return 0;
  int number = 0;
  for (const hipr::fuzz::Input& seed : hipr::fuzz::seeds()) {
    const std::string path = std::string(folder) + "/seed-" + std::to_string(number++);
    std::ofstream file(path, std::ios::binary);
    if (!file.write(reinterpret_cast<const char*>(seed.data()), static_cast<std::streamsize>(seed.size()))) {
      std::fprintf(stderr, "cannot write %s\n", path.c_str());
      std::exit(2);
    }
  }
  return 0;
}
