// The structures of 64-bit ELF files, with the names of the ELF specification; systems without ELF have no <elf.h>.
#pragma once

#include <cstdint>

namespace hipr::code {

struct Ehdr {
  unsigned char e_ident[16];
  std::uint16_t e_type, e_machine;
  std::uint32_t e_version;
  std::uint64_t e_entry, e_phoff, e_shoff;
  std::uint32_t e_flags;
  std::uint16_t e_ehsize, e_phentsize, e_phnum, e_shentsize, e_shnum, e_shstrndx;
};
struct Phdr {
  std::uint32_t p_type, p_flags;
  std::uint64_t p_offset, p_vaddr, p_paddr, p_filesz, p_memsz, p_align;
};
struct Shdr {
  std::uint32_t sh_name, sh_type;
  std::uint64_t sh_flags, sh_addr, sh_offset, sh_size;
  std::uint32_t sh_link, sh_info;
  std::uint64_t sh_addralign, sh_entsize;
};
struct Sym {
  std::uint32_t st_name;
  unsigned char st_info, st_other;
  std::uint16_t st_shndx;
  std::uint64_t st_value, st_size;
};
struct Rela {
  std::uint64_t r_offset;
  std::uint32_t r_type, r_sym;  // the two halves of r_info, little-endian
  std::int64_t r_addend;
};
struct Dyn {
  std::int64_t d_tag;
  std::uint64_t d_val;
};
static_assert(sizeof(Dyn) == 16 && sizeof(Ehdr) == 64 && sizeof(Phdr) == 56 && sizeof(Shdr) == 64 &&
              sizeof(Sym) == 24 && sizeof(Rela) == 24);

}  // namespace hipr::code
