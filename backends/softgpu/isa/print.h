// Instructions as text, in the syntax of LLVM's assembler: for fault messages, and to compare the decoder with LLVM's.
#pragma once

#include <cstdint>
#include <string>

#include "backends/softgpu/isa/execute.h"

namespace hipr::softgpu {

// The instruction at words[0], for example "v_add_f32_e64 v1, -v2, |s3| clamp"; "(illegal)" when there is none.
std::string printInstruction(const std::uint32_t* words, unsigned available, Gpu gpu);

}  // namespace hipr::softgpu
