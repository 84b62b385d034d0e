// Code objects of the client that have been loaded, and the functions in them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "code_object/code_object.h"
#include "hip_remote/hip.h"
#include "worker/code_cache.h"
#include "worker/quotas.h"

namespace hipr::worker {

struct Module {
  Meter::Share share, memory;
  int device = 0;
  hipModule_t native = nullptr;
  CodeCache::Code bytes;  // the runtime may look at them as long as the module lives
  code::CodeObject code;
  std::vector<std::uint64_t> variables;
};

struct Function {
  Meter::Share share;
  std::shared_ptr<Module> module;
  hipFunction_t native = nullptr;
  const code::Kernel* kernel = nullptr;
  std::size_t argumentBytes = 0;  // that a launch has at least
  bool prints = false;
};

}  // namespace hipr::worker
