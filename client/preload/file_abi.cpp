#include "client/preload/file_abi.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace hipr::preload {
namespace {

// A shared library as it lies in its file. Nothing outside of the file is read, whatever its numbers say.
struct File {
  const char* bytes = nullptr;
  std::size_t size = 0;

  explicit File(const char* path) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const off_t end = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;  // fstat would need a newer C library
    if (end > 0) {
      void* map = mmap(nullptr, static_cast<std::size_t>(end), PROT_READ, MAP_PRIVATE, fd, 0);
      if (map != MAP_FAILED) {
        bytes = static_cast<const char*>(map);
        size = static_cast<std::size_t>(end);
      }
    }
    if (fd >= 0) close(fd);
  }
  ~File() {
    if (bytes) munmap(const_cast<char*>(bytes), size);
  }
  File(const File&) = delete;

  template <class T>
  const T* at(std::size_t offset) const {
    return offset <= size && size - offset >= sizeof(T) ? reinterpret_cast<const T*>(bytes + offset) : nullptr;
  }
  const char* text(std::size_t offset) const {
    return offset < size && std::memchr(bytes + offset, 0, size - offset) ? bytes + offset : "";
  }
  const ElfW(Phdr) * segment(unsigned index) const {
    const auto* header = at<ElfW(Ehdr)>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || index >= header->e_phnum) return nullptr;
    return at<ElfW(Phdr)>(header->e_phoff + index * sizeof(ElfW(Phdr)));
  }
  std::size_t offsetOf(ElfW(Addr) address) const {
    for (unsigned i = 0; const auto* s = segment(i); ++i) {
      if (s->p_type == PT_LOAD && address >= s->p_vaddr && address - s->p_vaddr < s->p_filesz) {
        return s->p_offset + (address - s->p_vaddr);
      }
    }
    return size;
  }
};

}  // namespace

int abiOfFile(const char* path) {
  const File file(path);
  std::size_t dynamic = file.size, strings = file.size, versions = file.size, soname = file.size, count = 0;
  for (unsigned i = 0; const auto* s = file.segment(i); ++i) {
    if (s->p_type == PT_DYNAMIC) dynamic = s->p_offset;
  }
  const ElfW(Dyn) * entry;
  for (std::size_t i = 0; (entry = file.at<ElfW(Dyn)>(dynamic + i * sizeof *entry)) && entry->d_tag != DT_NULL; ++i) {
    if (entry->d_tag == DT_STRTAB) strings = file.offsetOf(entry->d_un.d_ptr);
    if (entry->d_tag == DT_VERDEF) versions = file.offsetOf(entry->d_un.d_ptr);
    if (entry->d_tag == DT_VERDEFNUM) count = entry->d_un.d_val;
    if (entry->d_tag == DT_SONAME) soname = entry->d_un.d_val;
  }
  const char* name = file.text(strings + soname);
  if (isHip(name) && numberOf(name)) return numberOf(name);
  int newest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto* version = file.at<ElfW(Verdef)>(versions);
    const auto* auxiliary = version ? file.at<ElfW(Verdaux)>(versions + version->vd_aux) : nullptr;
    if (!auxiliary) break;
    const int major = majorOf(file.text(strings + auxiliary->vda_name));
    if (major > newest) newest = major;
    versions += version->vd_next;
  }
  return newest > 7 ? 7 : newest;
}

}  // namespace hipr::preload
