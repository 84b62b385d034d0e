// Hand-made code objects for tests and fuzzers: small, valid, and independent of any compiler.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code_object/bytes.h"

namespace hipr::code::testing {

using Buffer = std::vector<std::byte>;

class MsgpackWriter {
 public:
  MsgpackWriter& map(std::uint32_t pairs) { return head(0xdf, pairs, 4); }
  MsgpackWriter& array(std::uint32_t items) { return head(0xdd, items, 4); }
  MsgpackWriter& number(std::uint64_t value) { return head(0xcf, value, 8); }
  MsgpackWriter& boolean(bool value) { return head(value ? 0xc3 : 0xc2, 0, 0); }
  MsgpackWriter& text(std::string_view value);
  const Buffer& bytes() const { return out_; }

 private:
  MsgpackWriter& head(unsigned tag, std::uint64_t value, int size);
  Buffer out_;
};

// One kernel "scale(float* data, float factor)" with a hostcall buffer; hidden arguments as that version lays them out.
// That of version 6 is for groups of one size.
Buffer sampleMetadata(int codeObjectVersion);

// A loadable ELF with that kernel, a variable "counter", a pointer "where" to it (RELATIVE64), a pointer "again" to it
// (ABS64), and a managed variable "shared".
Buffer sampleElf(int codeObjectVersion = 5, std::uint32_t flags = 0x53f);

Buffer sampleBundle(const std::vector<std::pair<std::string, Buffer>>& entries);

enum class Packing { kZlib = 0, kZstd = 1 };
Buffer compressBundle(Bytes plain, int headerVersion, Packing packing);

}  // namespace hipr::code::testing
