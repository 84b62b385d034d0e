// Operands as text; shared by the files that print instructions.
#pragma once

#include <string>
#include <string_view>

#include "backends/softgpu/isa/inst.h"
#include "backends/softgpu/isa/table.h"

namespace hipr::softgpu {

inline std::uint32_t fieldOf(std::uint32_t word, unsigned low, unsigned count) {
  return (word >> low) & ((1u << count) - 1);
}
inline bool has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

std::string decimal(std::int64_t value);
std::string hexadecimal(std::int64_t value);  // "-0x8" when negative
// Registers `dwords` wide, constants, the literal.
std::string operandText(unsigned code, unsigned dwords, std::uint32_t literal = 0);

// Dwords of the destination and the sources of a vector instruction, as its name tells them.
struct Widths {
  unsigned dst = 1;
  unsigned src[3] = {1, 1, 1};
};
Widths vectorWidths(std::string_view name);
// Dwords that a memory instruction moves per lane.
unsigned memoryWidth(std::string_view name);

// An instruction under way: the name, then operands with commas, then modifiers with spaces.
class Line {
 public:
  explicit Line(std::string name) : text_(std::move(name)) {}
  Line& operand(const std::string& text) {
    text_ += (first_ ? " " : ", ") + text;
    first_ = false;
    return *this;
  }
  Line& modifier(const std::string& text, bool present = true) {
    if (present) text_ += " " + text;
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool first_ = true;
};

struct Printed {
  const Inst& inst;
  const Row& row;
  const std::uint32_t* words;
  Gpu gpu;
  std::string_view name() const { return row.name; }
};

std::string printScalar(const Printed& p);  // SOP*, SMEM
std::string printMemory(const Printed& p);  // DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, MIMG
std::string printVector(const Printed& p);  // VOP*

}  // namespace hipr::softgpu
