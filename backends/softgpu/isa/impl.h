// The table of handlers that fits this CPU.
#pragma once

#include "backends/softgpu/isa/inst.h"

namespace hipr::softgpu {

// An instruction's meaning. `general` also handles modifiers (abs, neg, omod, clamp, op_sel), SDWA and DPP.
struct Impl {
  Handler* plain;
  Handler* general;
};

// Per row of allRows(); null where the row is a TODO.
using ImplTable = const Impl* const*;
ImplTable chosenImpls();
const char* chosenLevel();

}  // namespace hipr::softgpu
