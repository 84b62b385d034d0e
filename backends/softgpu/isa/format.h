// Elements of typed buffers and of images: data formats (which components, how wide) with number formats (what their
// bits mean), and the way from memory to registers and back.
#pragma once

#include <cstdint>

namespace hipr::softgpu::HIPR_LEVEL {

enum class Number : std::uint8_t {
  kUnorm,
  kSnorm,
  kUscaled,
  kSscaled,
  kUint,
  kSint,
  kSnormNoZero,
  kFloat,
  kSrgb = 9,  // images only
};

struct Format {
  const std::uint8_t* bits;  // of each component, the first one lowest; 0 for those that are missing
  Number number;
  unsigned bytes = 0;

  explicit Format(unsigned data = 0, Number meaning = Number::kUnorm);  // data formats 0 and from 15 on have no bits
  bool integer() const { return number == Number::kUint || number == Number::kSint; }
  bool exists() const;
};

// The components of an element, whose dwords are `stride` apart; 0 for those that the format lacks.
void unpack(const Format& f, const std::uint32_t* element, unsigned stride, std::uint32_t (&components)[4]);
// Adds the first `count` components to an element of zeros.
void pack(const Format& f, const std::uint32_t* components, unsigned count, std::uint32_t* element, unsigned stride);

// What a descriptor's selector makes of them: 0, 1, or a component (4 to 7), 1 for a fourth one that is missing.
std::uint32_t selected(const Format& f, const std::uint32_t (&components)[4], unsigned selector);

// Between 32-bit registers and the 16 bits of d16.
std::uint32_t narrowed(const Format& f, std::uint32_t value);
std::uint32_t widened(const Format& f, std::uint16_t half);

}  // namespace hipr::softgpu::HIPR_LEVEL
