#include "backends/softgpu/services/printf_buffer.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <vector>

#include "backends/softgpu/services/printf_format.h"

namespace hipr::softgpu {
namespace {

constexpr std::size_t kHeader = 8;
constexpr std::string_view kHashedPrefix = "0:0:";
enum : std::uint32_t { kToStderr = 1, kConstantFormat = 2 };

std::uint32_t u32At(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// `body` is a record without its control word.
Status printRecord(std::uint32_t control, std::span<const std::byte> body, const PrintfFormats& formats,
                   ServiceHost& host) {
  PrintfArgs args(body);
  std::string_view format;
  if (control & kConstantFormat) {
    const std::uint64_t hash = args.word();
    const std::string* known = formats.find(hash);
    if (!known) return Status::invalid("kernel printf: a format string that the code object does not list");
    format = *known;
  } else {
    format = args.text();
  }
  host.write(control & kToStderr ? OutputStream::kStderr : OutputStream::kStdout, formatPrintf(format, args));
  return {};
}

}  // namespace

PrintfFormats::PrintfFormats(std::span<const std::string> metadata) {
  for (const std::string& entry : metadata) {
    // OpenCL numbers its formats instead ("1:2:4:8:..."); HIP compilers do not.
    if (!entry.starts_with(kHashedPrefix)) continue;
    const std::size_t comma = entry.find(',');
    if (comma == std::string::npos) continue;
    std::uint64_t hash = 0;
    const char* end = entry.data() + comma;
    const auto parsed = std::from_chars(entry.data() + kHashedPrefix.size(), end, hash, 16);
    if (parsed.ec == std::errc() && parsed.ptr == end) formats_[hash] = entry.substr(comma + 1);
  }
}

const std::string* PrintfFormats::find(std::uint64_t hash) const {
  const auto found = formats_.find(hash);
  return found == formats_.end() ? nullptr : &found->second;
}

PrintfBuffer::PrintfBuffer(std::span<std::byte> memory) : memory_(memory) {
  const std::uint32_t header[2] = {0, static_cast<std::uint32_t>(memory.size())};
  std::memcpy(memory_.data(), header, sizeof header);
}

Status PrintfBuffer::drain(const PrintfFormats& formats, ServiceHost& host) {
  const std::span<const std::byte> all = memory_.subspan(kHeader);
  const std::span<const std::byte> used = all.first(std::min<std::size_t>(all.size(), u32At(memory_, 0)));
  // Other kernels of the program may change what is there while it is read: what was checked is a copy.
  const std::vector<std::byte> copy(used.begin(), used.end());
  std::span<const std::byte> records(copy);
  Status status;
  while (status.ok() && !records.empty()) {
    if (records.size() < sizeof(std::uint32_t)) {
      status = Status::invalid("kernel printf: truncated record");
      break;
    }
    const std::uint32_t control = u32At(records, 0);
    const std::size_t size = control >> 2;
    if (size < sizeof control || size > records.size()) {
      status = Status::invalid("kernel printf: record of impossible size");
      break;
    }
    status = printRecord(control, records.subspan(sizeof control, size - sizeof control), formats, host);
    records = records.subspan(size);
  }
  const std::uint32_t empty = 0;
  std::memcpy(memory_.data(), &empty, sizeof empty);
  return status;
}

}  // namespace hipr::softgpu
