// What a file of handlers includes. Handler files are compiled once per CPU level (CMakeLists.txt), each time in a
// namespace of its own; the table of the level that fits this CPU is chosen at run time (levels.cpp).
#pragma once

#include "backends/softgpu/isa/impl.h"
#include "backends/softgpu/isa/inst.h"
#include "backends/softgpu/isa/table.h"
#include "backends/softgpu/isa/wave.h"

namespace hipr::softgpu {
namespace HIPR_LEVEL {

#define INST(encoding, opcode, name, gpus, flags) extern const Impl name;
#define TODO(encoding, opcode, name, gpus, flags)
#include "backends/softgpu/isa/all.inc"
#undef INST
#undef TODO

ImplTable impls();

}  // namespace HIPR_LEVEL
}  // namespace hipr::softgpu

// An instruction written by hand over the wave: RUN(s_nop) { ... } with `w` and `i` in scope.
#define RUN(name)                                 \
  static void name##_run(Wave& w, const Inst& i); \
  const Impl name{name##_run, name##_run};        \
  static void name##_run([[maybe_unused]] Wave& w, [[maybe_unused]] const Inst& i)
