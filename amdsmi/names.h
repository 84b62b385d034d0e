// Names and numbers that libamd_smi wants in a form of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hipr::smi {

inline constexpr unsigned kUuidRoom = 38;

// Digits only: callers parse a serial as a hexadecimal number. Anything else becomes empty.
std::string hexadecimal(const std::string& serial);

// "gfx90a" is 0x90a.
std::optional<std::uint64_t> targetVersion(const std::string& target);

// "HBM2e" is 3, before ROCm 6.2 it was 6; 0 is unknown.
enum class MemoryNumbers { Before62, Since62 };
std::uint32_t memoryType(const std::string& name, MemoryNumbers numbers);

// 8-4-4-4-12 hexadecimal digits: the label itself if it has that form, else digits that follow from it.
std::string uuidText(const std::string& label);

}  // namespace hipr::smi
