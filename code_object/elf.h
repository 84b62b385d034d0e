// ELF as AMD GPU code objects use it: 64-bit little-endian shared objects of machine 224, OS ABI "HSA".
// The view borrows the bytes it was made from; everything in it has been checked to lie inside them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "code_object/bytes.h"
#include "code_object/target_id.h"

namespace hipr::code {

inline constexpr std::string_view kElfMagic = "\177ELF";

struct ElfSegment {  // PT_LOAD
  std::uint64_t address, memorySize, alignment;
  Bytes data;  // the part that comes from the file; the rest of memorySize is zero
  bool writable, executable;
};

struct ElfSymbol {
  enum Type : std::uint8_t { kNone = 0, kObject = 1, kFunction = 2 };
  std::string_view name;
  std::uint64_t address, size;
  std::uint8_t type;
  bool defined, weak;
};

struct ElfRelocation {
  std::uint64_t address;
  std::int64_t addend;
  std::uint32_t type, symbol;
};

struct ElfView {
  Bytes bytes;
  int codeObjectVersion = 0;  // 4, 5 or 6
  std::uint32_t flags = 0;
  TargetId target;
  std::vector<ElfSegment> segments;
  std::vector<ElfSymbol> symbols;  // .dynsym, index 0 included
  std::vector<ElfRelocation> relocations;
  std::vector<Bytes> metadataNotes;  // descriptions of all notes "AMDGPU" of type 32
};

bool isElf(Bytes image);
// Whatever its headers name lies inside the image: whoever is given the address of a parsed one, and no size, stays
// inside too, and elfSize() says at most the size of the image.
Status parseElf(Bytes image, ElfView& out);

// The size of an ELF file of which only the address is known. REQUIRES: memory readable as far as its headers reach.
Status elfSize(const void* image, std::size_t& size);

}  // namespace hipr::code
