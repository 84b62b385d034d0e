#include "backends/softgpu/isa/print.h"

#include "backends/softgpu/isa/decode.h"
#include "backends/softgpu/isa/print_operand.h"

namespace hipr::softgpu {

std::string printInstruction(const std::uint32_t* words, unsigned available, Gpu gpu) {
  Inst inst = decode(words, available, gpu);
  if (inst.row >= allRows().size()) return "(illegal)";
  Printed p{inst, allRows()[inst.row], words, gpu};
  switch (p.row.encoding) {
    case Encoding::SOP2:
    case Encoding::SOPK:
    case Encoding::SOP1:
    case Encoding::SOPC:
    case Encoding::SOPP:
    case Encoding::SMEM:
      return printScalar(p);
    case Encoding::VOP2:
    case Encoding::VOP1:
    case Encoding::VOPC:
    case Encoding::VOP3:
    case Encoding::VOP3P:
      return printVector(p);
    default:
      return printMemory(p);
  }
}

}  // namespace hipr::softgpu
