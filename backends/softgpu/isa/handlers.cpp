// The table of handlers of one CPU level.
#include "backends/softgpu/isa/level.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

constexpr const Impl* kImpls[] = {
#define INST(encoding, opcode, name, gpus, flags) &name,
#define TODO(encoding, opcode, name, gpus, flags) nullptr,
#include "backends/softgpu/isa/all.inc"
#undef INST
#undef TODO
};

}  // namespace

ImplTable impls() {
  return kImpls;
}

}  // namespace hipr::softgpu::HIPR_LEVEL
