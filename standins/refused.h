// Functions that are there so that programs linked with them start, and that say no. They take whatever they are given:
// in C's calling conventions of 64-bit Linux a function need not look at its arguments.
#pragma once

#include <cstdint>

#include "base/log.h"
#include "platform/compiler.h"

// One line for each that is called, the first time.
#define HIPR_REFUSED(name, code)                                    \
  extern "C" HIPR_EXPORTED std::uint32_t name() {                   \
    static hipr::LogOnce once;                                      \
    once.error("%s: not served on a machine without a GPU", #name); \
    return code;                                                    \
  }
