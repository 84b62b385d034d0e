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

// A code object as it is given to the runtime. All modules of the same code have the same one, so that a client that
// loads it again and again, in a few bytes each, has no more of it.
struct ModuleCode {
  CodeCache::Code bytes;  // the runtime may look at them as long as a module lives
  code::CodeObject object;
  Meter::Share memory;  // for what was made of them
};

struct Module {
  Meter::Share share, memory;
  int device = 0;
  hipModule_t native = nullptr;
  std::shared_ptr<const ModuleCode> code;
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
