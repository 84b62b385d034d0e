// A ServiceHost that remembers what it was asked.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/softgpu/services/host.h"

namespace hipr::softgpu {

class TestHost : public ServiceHost {
 public:
  void write(OutputStream stream, std::string_view text) override {
    (stream == OutputStream::kStderr ? stderrText : stdoutText).append(text);
  }
  std::uint64_t allocate(std::uint64_t size, std::uint64_t alignment) override {
    if (size > 1 << 30) return 0;
    next_ = (next_ + alignment - 1) & ~(alignment - 1);
    blocks[next_] = size;
    const std::uint64_t address = next_;
    next_ += size;
    return address;
  }
  bool release(std::uint64_t address) override { return blocks.erase(address) == 1; }

  std::string stdoutText, stderrText;
  std::map<std::uint64_t, std::uint64_t> blocks;

 private:
  std::uint64_t next_ = 0x10001000;
};

// Packs printf arguments as kernels do.
class WordWriter {
 public:
  WordWriter& word(std::uint64_t value) {
    words_.push_back(value);
    return *this;
  }
  WordWriter& real(double value);
  WordWriter& text(std::string_view value);
  const std::vector<std::uint64_t>& words() const { return words_; }

 private:
  std::vector<std::uint64_t> words_;
};

inline WordWriter& WordWriter::real(double value) {
  std::uint64_t bits;
  static_assert(sizeof bits == sizeof value);
  __builtin_memcpy(&bits, &value, sizeof bits);
  return word(bits);
}

inline WordWriter& WordWriter::text(std::string_view value) {
  std::string padded(value);
  padded.resize((value.size() + 1 + 7) & ~std::size_t{7});
  for (std::size_t at = 0; at < padded.size(); at += 8) {
    std::uint64_t bits;
    __builtin_memcpy(&bits, padded.data() + at, sizeof bits);
    words_.push_back(bits);
  }
  return *this;
}

}  // namespace hipr::softgpu
