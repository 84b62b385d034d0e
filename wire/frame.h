// The 24-byte header in front of every message.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hipr::wire {

inline constexpr std::uint32_t kMagic = 0x48495052;  // "HIPR"
inline constexpr std::uint16_t kProtocolVersion = 3;
inline constexpr std::uint16_t kDefaultPort = 18515;
inline constexpr std::size_t kHeaderSize = 24;

// No message is larger. Bulk data travels in kData frames of at most kMaxDataChunk bytes so that it never holds up a
// small call.
inline constexpr std::uint64_t kMaxPayload = 256 << 20;
inline constexpr std::uint64_t kMaxDataChunk = 1 << 20;

enum FrameFlags : std::uint32_t {
  HIP_REMOTE_FLAG_NO_REPLY = 1u << 0,  // posted: the sender does not wait
  HIP_REMOTE_FLAG_REPLY = 1u << 1,     // answers the request with the same id
  HIP_REMOTE_FLAG_KEEP = 1u << 2,      // data that the worker may keep, to know it by name the next time
};

struct Header {
  std::uint16_t version = kProtocolVersion;
  std::uint16_t opcode = 0;
  std::uint32_t request = 0;
  std::uint32_t flags = 0;
  std::uint64_t length = 0;  // of the payload that follows
};

void encodeHeader(const Header& header, std::byte* out);  // REQUIRES: out has kHeaderSize bytes

// False when the bytes are not ours: wrong magic, or a length beyond kMaxPayload. The version is for the caller to
// judge.
bool decodeHeader(std::span<const std::byte, kHeaderSize> in, Header& header);

}  // namespace hipr::wire
