#include "tools/hip_on_cuda/ptx_section.h"

#include <elf.h>

namespace hipr::cuda {

Status findPtx(code::Bytes codeObject, std::string& ptx) {
  Elf64_Ehdr header;
  Elf64_Shdr names;
  code::Bytes text;
  if (!code::readAt(codeObject, 0, header) || !code::startsWith(codeObject, ELFMAG) ||
      header.e_shentsize != sizeof(Elf64_Shdr) ||
      !code::readAt(codeObject, header.e_shoff + header.e_shstrndx * sizeof(Elf64_Shdr), names) ||
      !code::slice(codeObject, names.sh_offset, names.sh_size, text)) {
    return Status::invalid("not an ELF file with sections");
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    code::Bytes bytes;
    if (!code::readAt(codeObject, header.e_shoff + i * sizeof(Elf64_Shdr), section)) break;
    if (section.sh_name >= text.size()) continue;
    const std::string_view tail = code::asText(text).substr(section.sh_name);
    if (tail.substr(0, tail.find('\0')) != kPtxSection) continue;
    if (!code::slice(codeObject, section.sh_offset, section.sh_size, bytes)) {
      return Status::invalid(std::string(kPtxSection) + " lies outside the file");
    }
    ptx = code::asText(bytes);
    return {};
  }
  return Status::notFound(std::string("the code object has no section ") + kPtxSection + " (see add_ptx.sh)");
}

}  // namespace hipr::cuda
