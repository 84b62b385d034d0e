// Objects of the program that graphs keep alive: when the last reference goes, the program's function is called.
#pragma once

#include <atomic>

#include "hip_remote/hip.h"

namespace hipr {

struct Graph;
struct Process;

struct UserObject {
  void* object = nullptr;
  hipHostFn_t destroy = nullptr;
  std::atomic<unsigned> references{0};
};

void retainObjects(const Graph& from, Graph& to);  // `to` refers to everything that `from` does
void releaseObjects(Process& p, Graph& graph);

}  // namespace hipr
