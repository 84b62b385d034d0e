// code_objects GPU DIRECTORY MOST FILE...: writes the code objects for GPU, about MOST of them at most, that are
// anywhere in the files (offload bundles in programs and libraries, or a code object itself) to DIRECTORY, one file
// each, and prints how many there were.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "code_object/bundle.h"

namespace {

using hipr::code::Bytes;

int written = 0, most = 0;

void write(const std::string& directory, Bytes code) {
  std::ofstream out(directory + "/" + std::to_string(written++) + ".hsaco", std::ios::binary);
  out.write(reinterpret_cast<const char*>(code.data()), static_cast<std::streamsize>(code.size()));
}

void search(const std::string& gpu, const std::string& directory, Bytes file) {
  std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  constexpr std::size_t kMachine = 18;  // e_machine: 224 is AMDGPU
  if (text.starts_with("\177ELF") && file.size() > kMachine && text[kMachine] == '\340') return write(directory, file);
  constexpr std::string_view kMagic = hipr::code::kBundleMagic;
  for (std::size_t at = text.find(kMagic); at != std::string_view::npos && written < most;
       at = text.find(kMagic, at + 1)) {
    std::vector<hipr::code::BundleEntry> entries;
    if (!hipr::code::parseBundle(file.subspan(at), entries).ok()) continue;
    for (const auto& entry : entries)
      if (entry.parsed.target && entry.parsed.target->processor == gpu && !entry.code.empty())
        write(directory, entry.code);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: code_objects GPU DIRECTORY MOST FILE...\n");
    return 2;
  }
  most = std::atoi(argv[3]);
  for (int k = 4; k < argc; ++k) {
    int file = open(argv[k], O_RDONLY | O_CLOEXEC);
    struct stat info{};
    if (file < 0 || fstat(file, &info) != 0 || info.st_size == 0) {
      std::fprintf(stderr, "code_objects: cannot read %s\n", argv[k]);
      return 1;
    }
    auto size = static_cast<std::size_t>(info.st_size);
    void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (memory == MAP_FAILED) return 1;
    search(argv[1], argv[2], {static_cast<const std::byte*>(memory), size});
    munmap(memory, size);
  }
  std::printf("%d\n", written);
  return 0;
}
