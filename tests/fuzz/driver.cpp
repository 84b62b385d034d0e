// The main program of every fuzzer: replays a corpus, then runs mutations of it and random inputs. Deterministic for a
// given seed, needs no special compiler, and the same targets also link with libFuzzer. Best built with ASan and UBSan.
//
//   NAME [--runs N] [--seed S] [--seconds T] [--corpus FOLDER, which need not exist] [file or folder ...]
//
// Each input is written to NAME.last-input before it runs, so that it survives a crash; replay it with `NAME --runs 0
// FILE`.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"

namespace {

using hipr::fuzz::Input;

struct Options {
  std::uint64_t runs = 4000;
  bool runsGiven = false;
  std::uint64_t seed = 1;
  double seconds = 0;  // 0: no limit
  std::vector<std::string> paths;
};

[[noreturn]] void usage(const char* name) {
  std::fprintf(stderr, "usage: %s [--runs N] [--seed S] [--seconds T] [--corpus FOLDER] [file or folder ...]\n", name);
  std::exit(2);
}

Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto number = [&]() -> const char* { return i + 1 < argc ? argv[++i] : (usage(argv[0]), nullptr); };
    if (arg == "--runs") {
      o.runs = std::strtoull(number(), nullptr, 0);
      o.runsGiven = true;
    } else if (arg == "--seed") {
      o.seed = std::strtoull(number(), nullptr, 0);
    } else if (arg == "--seconds") {
      o.seconds = std::strtod(number(), nullptr);
    } else if (arg == "--corpus") {
      const std::string folder = number();
      if (std::filesystem::exists(folder)) o.paths.push_back(folder);
    } else if (arg.starts_with("-")) {
      usage(argv[0]);
    } else {
      o.paths.push_back(arg);
    }
  }
  return o;
}

void readFile(const std::filesystem::path& path, std::vector<Input>& corpus) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(2);
  }
  corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::vector<Input> readCorpus(const std::vector<std::string>& paths) {
  std::vector<Input> corpus;
  if (hipr::fuzz::seeds) corpus = hipr::fuzz::seeds();
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      readFile(path, corpus);
      continue;
    }
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files) readFile(file, corpus);
  }
  return corpus;
}

class Runner {
 public:
  // Without `record` (a replay) nothing is written, so that replaying NAME.last-input keeps it.
  Runner(const char* name, bool record) : path_(std::string(name) + ".last-input") {
    if (!record) return;
    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file_ < 0) {
      std::perror(path_.c_str());
      std::exit(2);
    }
  }

  void run(const Input& in) {
    if (file_ >= 0 &&
        (ftruncate(file_, 0) != 0 || pwrite(file_, in.data(), in.size(), 0) != static_cast<ssize_t>(in.size()))) {
      std::perror(path_.c_str());
      std::exit(2);
    }
    // A block of exactly the input's size, so that ASan sees any access past its end.
    std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[in.size()]);
    if (!in.empty()) std::memcpy(exact.get(), in.data(), in.size());
    LLVMFuzzerTestOneInput(exact.get(), in.size());
  }

  void finish() {
    if (file_ < 0) return;
    close(file_);
    unlink(path_.c_str());
  }

 private:
  std::string path_;
  int file_ = -1;
};

}  // namespace

int main(int argc, char** argv) {
  Options options = parse(argc, argv);
  if (options.seconds > 0 && !options.runsGiven) options.runs = ~std::uint64_t{0};
  std::vector<Input> corpus = readCorpus(options.paths);
  std::printf("seed %llu, %zu inputs to start from\n", static_cast<unsigned long long>(options.seed), corpus.size());
  std::fflush(stdout);

  Runner runner(argv[0], options.runs > 0);
  for (const Input& in : corpus) runner.run(in);
  if (corpus.empty()) corpus.emplace_back();

  hipr::fuzz::Random random(options.seed);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  std::uint64_t runs = 0;
  for (; runs < options.runs && (options.seconds <= 0 || elapsed() < options.seconds); ++runs) {
    Input in;
    if (random.below(16) == 0) {
      in.resize(random.below(256));
      for (auto& b : in) b = static_cast<std::uint8_t>(random.next());
    } else {
      in = corpus[random.below(corpus.size())];
      for (std::size_t n = 1 + random.below(5); n > 0; --n) hipr::fuzz::mutateOnce(in, corpus, random);
    }
    runner.run(in);
  }
  runner.finish();
  std::printf("%llu mutated inputs in %.1f s\n", static_cast<unsigned long long>(runs), elapsed());
  return 0;
}
