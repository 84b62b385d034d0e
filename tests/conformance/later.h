// Calls that HIP 5.2, which may be all there is to build with, does not declare or export: found by name in the library
// that the program runs with.
#pragma once
#include "check.h"
#include "system.h"

namespace later {

template <class F>
F* find(const char* name) {
  void* symbol = os::symbol(name);
  if (symbol == nullptr) {
    check::fail(__FILE__, __LINE__, std::string(name) + " is not exported");
    throw check::Stop{};
  }
  return reinterpret_cast<F*>(symbol);
}
#define LATER(NAME, ...) find<hipError_t(__VA_ARGS__)>(NAME)

}  // namespace later
