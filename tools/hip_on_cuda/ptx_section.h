// The PTX that an AMD code object carries in its section ".hip_on_cuda.ptx" (add_ptx.sh puts it there).
#pragma once

#include <string>

#include "base/status.h"
#include "code_object/bytes.h"

namespace hipr::cuda {

inline constexpr char kPtxSection[] = ".hip_on_cuda.ptx";

Status findPtx(code::Bytes codeObject, std::string& ptx);

}  // namespace hipr::cuda
