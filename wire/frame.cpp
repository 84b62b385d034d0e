#include "wire/frame.h"

#include <cstring>

namespace hipr::wire {
namespace {

template <class T>
void store(std::byte* out, T value) {
  std::memcpy(out, &value, sizeof value);
}

template <class T>
T load(const std::byte* in) {
  T value;
  std::memcpy(&value, in, sizeof value);
  return value;
}

}  // namespace

void encodeHeader(const Header& header, std::byte* out) {
  store(out, kMagic);
  store(out + 4, header.version);
  store(out + 6, header.opcode);
  store(out + 8, header.request);
  store(out + 12, header.flags);
  store(out + 16, header.length);
}

bool decodeHeader(std::span<const std::byte, kHeaderSize> in, Header& header) {
  header.version = load<std::uint16_t>(&in[4]);
  header.opcode = load<std::uint16_t>(&in[6]);
  header.request = load<std::uint32_t>(&in[8]);
  header.flags = load<std::uint32_t>(&in[12]);
  header.length = load<std::uint64_t>(&in[16]);
  return load<std::uint32_t>(&in[0]) == kMagic && header.length <= kMaxPayload;
}

}  // namespace hipr::wire
