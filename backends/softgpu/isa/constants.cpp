#include "backends/softgpu/isa/constants.h"

#include "backends/softgpu/isa/wave.h"

namespace hipr::softgpu {
namespace {

ConstantRows make() {
  Wave wave{};
  fillConstants(wave);
  ConstantRows rows;
  for (unsigned code = kFirstConstant; code < kPastConstants; ++code) rows.of[code - kFirstConstant].fill(wave.s[code]);
  return rows;
}

}  // namespace

const ConstantRows constantRows = make();

}  // namespace hipr::softgpu
