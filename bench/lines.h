// The lines of the benchmark: operations that are made directly on a HIP runtime and through a worker, in turns. Each
// runs in processes of its own (bench/line_process.h), which only know the line and a library.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "testing/hip.h"

namespace hipr::bench {

// What operations work on.
struct Scene {
  Scene(const std::string& library, std::size_t bytes);
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  void launch() const;  // the empty kernel
  void finish() const;  // reads 8 bytes in the stream: waits for all its work, exactly once

  testing::Hip hip;
  std::size_t bytes;
  void* device = nullptr;
  void* pinned = nullptr;
  std::vector<char> pageable;
  hipGraphExec_t step = nullptr;  // where a line captures one
};

struct Line {
  const char* key;
  const char* what;
  void (*operation)(Scene& scene);
  int count;                 // operations in one timed batch
  int repetitions;           // batches
  std::size_t bytes = 4096;  // size of the scene's buffers
  double pause = 0;          // seconds before each operation (bench/timing.h)
  void (*prepare)(Scene& scene) = nullptr;
};

std::span<const Line> lines();
const Line* findLine(std::string_view key);  // null when there is none

}  // namespace hipr::bench
