#include "backends/softgpu/services/hostcall_printf.h"

#include <string>

#include "backends/softgpu/services/printf_format.h"
#include "base/log.h"

namespace hipr::softgpu {
namespace {

enum : std::uint64_t { kBegin = 1, kEnd = 2, kStderrFlag = 1 };
constexpr int kNumberShift = 8;

std::uint64_t print(const std::vector<std::uint64_t>& words, ServiceHost& host) {
  const std::span all(words);
  const bool toStderr = !words.empty() && (words[0] & kStderrFlag);
  PrintfArgs args(std::as_bytes(all.subspan(all.empty() ? 0 : 1)));
  const std::string_view format = args.text();
  const std::string text = formatPrintf(format, args);
  host.write(toStderr ? OutputStream::kStderr : OutputStream::kStdout, text);
  return text.size();
}

}  // namespace

std::uint64_t PrintfMessages::handle(std::span<const std::uint64_t, 8> packet, ServiceHost& host) {
  const std::uint64_t descriptor = packet[0];
  std::uint64_t number = descriptor >> kNumberShift;
  const std::size_t count = descriptor >> 5 & 7;
  if ((descriptor & kBegin) ? messages_.size() >= kMaxMessages : totalWords_ + count > kMaxWords) {
    static LogOnce once;
    once.error("kernel printf: too much unfinished output, dropping some");
    return 0;
  }
  if (descriptor & kBegin) {
    number = nextNumber_++;
    messages_[number];
  }
  const auto found = messages_.find(number);
  if (found == messages_.end()) return 0;
  std::vector<std::uint64_t>& words = found->second;
  words.insert(words.end(), packet.begin() + 1, packet.begin() + 1 + count);
  totalWords_ += count;
  if (!(descriptor & kEnd)) return number << kNumberShift;
  const std::uint64_t printed = print(words, host);
  totalWords_ -= words.size();
  messages_.erase(found);
  return printed;
}

}  // namespace hipr::softgpu
