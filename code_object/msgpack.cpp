#include "code_object/msgpack.h"

namespace hipr::code {

std::nullopt_t MsgpackReader::fail() {
  failed_ = true;
  return std::nullopt;
}

std::optional<std::uint64_t> MsgpackReader::bigEndian(int bytes) {
  Bytes part;
  if (failed_ || !slice(in_, at_, static_cast<std::uint64_t>(bytes), part)) return fail();
  std::uint64_t value = 0;
  for (std::byte b : part) value = value << 8 | std::to_integer<std::uint64_t>(b);
  at_ += part.size();
  return value;
}

bool MsgpackReader::advance(std::uint64_t bytes) {
  Bytes part;
  if (failed_ || !slice(in_, at_, bytes, part)) {
    fail();
    return false;
  }
  at_ += part.size();
  return true;
}

// One byte says the type; small values are inside it, larger ones follow in 1, 2, 4 or 8 big-endian bytes.
std::optional<MsgpackReader::Head> MsgpackReader::head() {
  const auto first = bigEndian(1);
  if (!first) return std::nullopt;
  const unsigned c = static_cast<unsigned>(*first);
  if (c < 0x80) return Head{Head::kUnsigned, c};
  if (c < 0x90) return Head{Head::kMap, c & 0x0f};
  if (c < 0xa0) return Head{Head::kArray, c & 0x0f};
  if (c < 0xc0) return Head{Head::kString, c & 0x1f};
  if (c >= 0xe0) return Head{Head::kSigned, static_cast<std::uint64_t>(static_cast<std::int8_t>(c))};
  const auto wide = [&](Head::Kind kind, int bytes, std::uint64_t extra = 0) -> std::optional<Head> {
    const auto v = bigEndian(bytes);
    if (!v) return std::nullopt;
    return Head{kind, *v + extra};
  };
  switch (c) {
    case 0xc0:
      return Head{Head::kNil, 0};
    case 0xc2:
      return Head{Head::kBool, 0};
    case 0xc3:
      return Head{Head::kBool, 1};
    case 0xc4:
      return wide(Head::kBinary, 1);
    case 0xc5:
      return wide(Head::kBinary, 2);
    case 0xc6:
      return wide(Head::kBinary, 4);
    case 0xc7:
      return wide(Head::kExtension, 1, 1);  // the extension's type byte counts as content
    case 0xc8:
      return wide(Head::kExtension, 2, 1);
    case 0xc9:
      return wide(Head::kExtension, 4, 1);
    case 0xca:
      return wide(Head::kFloat, 4);
    case 0xcb:
      return wide(Head::kFloat, 8);
    case 0xcc:
      return wide(Head::kUnsigned, 1);
    case 0xcd:
      return wide(Head::kUnsigned, 2);
    case 0xce:
      return wide(Head::kUnsigned, 4);
    case 0xcf:
      return wide(Head::kUnsigned, 8);
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3: {
      const int bytes = 1 << (c - 0xd0);
      const auto v = bigEndian(bytes);
      if (!v) return std::nullopt;
      const int shift = 64 - 8 * bytes;
      return Head{Head::kSigned, static_cast<std::uint64_t>(static_cast<std::int64_t>(*v << shift) >> shift)};
    }
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xd7:
    case 0xd8:
      return Head{Head::kExtension, (std::uint64_t{1} << (c - 0xd4)) + 1};
    case 0xd9:
      return wide(Head::kString, 1);
    case 0xda:
      return wide(Head::kString, 2);
    case 0xdb:
      return wide(Head::kString, 4);
    case 0xdc:
      return wide(Head::kArray, 2);
    case 0xdd:
      return wide(Head::kArray, 4);
    case 0xde:
      return wide(Head::kMap, 2);
    case 0xdf:
      return wide(Head::kMap, 4);
    default:
      return fail();  // 0xc1 is never used
  }
}

std::optional<std::string_view> MsgpackReader::string() {
  const auto h = head();
  if (!h || h->kind != Head::kString) return fail();
  const std::size_t start = at_;
  if (!advance(h->value)) return std::nullopt;
  return asText(in_.subspan(start, static_cast<std::size_t>(h->value)));
}

std::optional<std::uint64_t> MsgpackReader::unsignedInt() {
  const auto h = head();
  const bool fits = h && (h->kind == Head::kUnsigned || (h->kind == Head::kSigned && !(h->value >> 63)));
  if (!fits) return fail();
  return h->value;
}

std::optional<bool> MsgpackReader::boolean() {
  const auto h = head();
  if (!h || (h->kind != Head::kBool && h->kind != Head::kUnsigned)) return fail();
  return h->value != 0;
}

std::optional<std::uint32_t> MsgpackReader::array() {
  const auto h = head();
  if (!h || h->kind != Head::kArray) return fail();
  return static_cast<std::uint32_t>(h->value);
}

std::optional<std::uint32_t> MsgpackReader::map() {
  const auto h = head();
  if (!h || h->kind != Head::kMap) return fail();
  return static_cast<std::uint32_t>(h->value);
}

bool MsgpackReader::skip() {
  return skipNested(0);
}

bool MsgpackReader::skipNested(int depth) {
  const auto h = head();
  if (!h || depth >= kMaxDepth) {
    fail();
    return false;
  }
  switch (h->kind) {
    case Head::kString:
    case Head::kBinary:
    case Head::kExtension:
      return advance(h->value);
    case Head::kArray:
    case Head::kMap: {
      const std::uint64_t items = h->kind == Head::kMap ? h->value * 2 : h->value;
      for (std::uint64_t i = 0; i < items; ++i) {
        if (!skipNested(depth + 1)) return false;
      }
      return true;
    }
    default:
      return true;
  }
}

}  // namespace hipr::code
