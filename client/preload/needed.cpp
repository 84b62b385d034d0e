#include "client/preload/needed.h"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "client/preload/file_abi.h"

namespace hipr::preload {
namespace {

// The parts of an object's dynamic section that say what it needs.
struct Dynamic {
  ElfW(Addr) base = 0;
  const ElfW(Dyn) * entries = nullptr;
  const char* strings = nullptr;
  const char* versions = nullptr;  // the first ElfW(Verneed)
  std::size_t versionCount = 0;

  explicit Dynamic(const dl_phdr_info& object) : base(object.dlpi_addr) {
    for (int i = 0; i < object.dlpi_phnum; ++i) {
      if (object.dlpi_phdr[i].p_type == PT_DYNAMIC) {
        entries = reinterpret_cast<const ElfW(Dyn)*>(base + object.dlpi_phdr[i].p_vaddr);
      }
    }
    for (const ElfW(Dyn)* e = entries; e && e->d_tag != DT_NULL; ++e) {
      if (e->d_tag == DT_STRTAB) strings = pointer(e->d_un.d_ptr);
      if (e->d_tag == DT_VERNEED) versions = pointer(e->d_un.d_ptr);
      if (e->d_tag == DT_VERNEEDNUM) versionCount = e->d_un.d_val;
    }
  }
  // The C library has made addresses of the offsets, except in what the kernel maps.
  const char* pointer(ElfW(Addr) value) const {
    return reinterpret_cast<const char*>(value < base ? base + value : value);
  }
};

// A program that brings its own libamdhip64 has it in the same folder.
int abiOfNeighbour(const char* object) {
  const char* slash = std::strrchr(object, '/');
  if (!slash) return 0;
  char path[4096];
  std::snprintf(path, sizeof path, "%.*s/%s", static_cast<int>(slash - object), object, kSoname);
  return abiOfFile(path);
}

int newestVersionWanted(const Dynamic& object) {
  int newest = 0;
  const char* at = object.versions;
  for (std::size_t i = 0; at && i < object.versionCount; ++i) {
    const auto* need = reinterpret_cast<const ElfW(Verneed)*>(at);
    if (isHip(object.strings + need->vn_file)) {
      if (const int number = numberOf(object.strings + need->vn_file)) return number;
      const char* auxiliary = at + need->vn_aux;
      for (int j = 0; j < need->vn_cnt; ++j) {
        const auto* version = reinterpret_cast<const ElfW(Vernaux)*>(auxiliary);
        const int major = majorOf(object.strings + version->vna_name);
        if (major > newest) newest = major;
        auxiliary += version->vna_next;
      }
    }
    at += need->vn_next;
  }
  return newest < 5 ? 5 : newest > 7 ? 7 : newest;
}

int visit(dl_phdr_info* info, std::size_t, void* result) {
  const Dynamic object(*info);
  if (!object.entries || !object.strings) return 0;
  for (const ElfW(Dyn)* e = object.entries; e->d_tag != DT_NULL; ++e) {
    if (e->d_tag != DT_NEEDED) continue;
    const char* name = object.strings + e->d_un.d_val;
    if (!isHip(name)) continue;
    int abi = numberOf(name);
    if (!abi && name[kSonameSize] == 0) {
      char program[4096] = {};
      // The program itself has no name here.
      const bool nameless = !info->dlpi_name || !*info->dlpi_name;
      if (nameless && readlink("/proc/self/exe", program, sizeof program - 1) < 0) program[0] = 0;
      abi = abiOfNeighbour(nameless ? program : info->dlpi_name);
      if (!abi) abi = newestVersionWanted(object);
    }
    if (abi) return *static_cast<int*>(result) = abi;  // ends the walk
  }
  return 0;
}

}  // namespace

int neededAbi() {
  int abi = 0;
  dl_iterate_phdr(visit, &abi);
  return abi;
}

}  // namespace hipr::preload
