// A pull reader for MessagePack, as far as code-object metadata needs it. It allocates nothing: strings are views into
// the input, and a container only announces its element count, so a hostile count costs no memory. The first error is
// sticky: every later read fails too, so callers may check once.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "code_object/bytes.h"

namespace hipr::code {

class MsgpackReader {
 public:
  explicit MsgpackReader(Bytes in) : in_(in) {}

  bool ok() const { return !failed_; }
  bool atEnd() const { return failed_ || at_ == in_.size(); }

  // Each consumes one value of exactly that type; nullopt (and failure) when the next value is something else.
  std::optional<std::string_view> string();
  std::optional<std::uint64_t> unsignedInt();  // any integer >= 0
  std::optional<bool> boolean();               // true, false, or an integer (some assemblers write 0 and 1)

  // The number of elements (array) or pairs (map) that follow.
  std::optional<std::uint32_t> array();
  std::optional<std::uint32_t> map();

  // Consumes one value of any type, with everything inside it.
  bool skip();

 private:
  struct Head {
    enum Kind { kNil, kBool, kUnsigned, kSigned, kFloat, kString, kBinary, kArray, kMap, kExtension } kind = kNil;
    std::uint64_t value = 0;  // the integer, the byte length, or the element count
  };
  static constexpr int kMaxDepth = 32;

  std::optional<Head> head();
  std::optional<std::uint64_t> bigEndian(int bytes);
  bool advance(std::uint64_t bytes);
  bool skipNested(int depth);
  std::nullopt_t fail();

  Bytes in_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace hipr::code
