#include "backends/softgpu/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <string>
#include <utility>

#include "platform/secrets.h"

namespace hipr::softgpu {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;
constexpr char kLink[] = "/memfd:softgpu-%16" SCNx64 "%16" SCNx64;

FileSecret secretOf(const std::string& path) {
  char text[256] = {};
  FileSecret out{};
  if (readlink(path.c_str(), text, sizeof text - 1) > 0) std::sscanf(text, kLink, &out[0], &out[1]);
  return out;
}

}  // namespace

void MemoryFile::swap(MemoryFile& other) {
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

MemoryFile MemoryFile::make(std::size_t size) {
  unsigned char bytes[16];
  platform::randomBytes(bytes);
  std::string name = "softgpu-";
  for (const unsigned char byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    name += kDigits[byte >> 4];
    name += kDigits[byte & 15];
  }
  MemoryFile out;
  out.descriptor_ = memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  out.size_ = size;
  if (out.descriptor_ < 0 || ftruncate(out.descriptor_, static_cast<off_t>(size)) != 0 ||
      fcntl(out.descriptor_, F_ADD_SEALS, kSeals) != 0)
    return {};
  return out;
}

MemoryFile MemoryFile::adopt(int descriptor) {
  MemoryFile out;
  out.descriptor_ = descriptor;
  struct stat info{};
  if (descriptor < 0 || fstat(descriptor, &info) != 0 || info.st_size <= 0) return {};
  out.size_ = static_cast<std::size_t>(info.st_size);
  const int seals = fcntl(descriptor, F_GET_SEALS);
  return seals >= 0 && (seals & kSeals) == kSeals ? std::move(out) : MemoryFile();
}

MemoryFile MemoryFile::of(int process, int descriptor, const FileSecret& secret) {
  const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(descriptor);
  if (secret == FileSecret{} || secretOf(path) != secret) return {};  // before it is opened: it could be anything
  MemoryFile out = adopt(open(path.c_str(), O_RDWR | O_CLOEXEC));
  return out && out.secret() == secret ? std::move(out) : MemoryFile();
}

FileSecret MemoryFile::secret() const {
  return secretOf("/proc/self/fd/" + std::to_string(descriptor_));
}

bool MemoryFile::fill(const std::byte* from) const {
  for (std::size_t done = 0; done < size_;) {
    const ssize_t n = pwrite(descriptor_, from + done, size_ - done, static_cast<off_t>(done));
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

bool MemoryFile::mapAt(std::uint64_t address, std::size_t size, std::size_t offset) const {
  return mmap(reinterpret_cast<void*>(address), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor_,
              static_cast<off_t>(offset)) != MAP_FAILED;
}

}  // namespace hipr::softgpu
