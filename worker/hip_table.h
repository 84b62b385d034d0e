// HipTable: a HIP runtime as a table of functions, one entry for each row of api/hip.def. It is the worker's whole
// backend interface; AMD's library and softgpu both fill it.
//
// A function the loaded library does not have is an entry that answers hipErrorNotSupported, so handlers need no cases
// for old runtimes. Where the layout of an argument depends on the library's version, the difference is handled in
// platform.cpp (device properties) and memory.cpp (no virtual memory before the attribute for it exists).
#pragma once

#include <string>
#include <utility>

#include "base/status.h"
#include "hip_remote/hip.h"

namespace hipr::worker {

template <class Signature>
class HipEntry;

template <class R, class... A>
class HipEntry<R(A...)> {
 public:
  using Pointer = R (*)(A...);

  HipEntry& operator=(Pointer pointer) {
    pointer_ = pointer;
    return *this;
  }
  explicit operator bool() const { return pointer_ != nullptr; }

  R operator()(A... arguments) const {
    if constexpr (std::is_same_v<R, hipError_t>) {
      return pointer_ ? pointer_(arguments...) : hipErrorNotSupported;
    } else {
      return pointer_(arguments...);  // REQUIRES: it exists
    }
  }

 private:
  Pointer pointer_ = nullptr;
};

struct HipTable {
#define HIP_API(name, node, abis, verb, arity) HipEntry<decltype(::name)> name;
#include "api/hip.def"

  const char* errorName(hipError_t error) const;
};

// Loads the library at `path` and fills the table. It is never unloaded: GPU runtimes start threads of their own.
Status loadHip(const std::string& path, HipTable& table);

}  // namespace hipr::worker
