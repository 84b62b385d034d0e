#include "code_object/compressed_bundle.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>

namespace hipr::code {
namespace {

constexpr std::uint64_t kMaxPackedSize = std::uint64_t{16} << 30;
// Output grows in steps so that a small input claiming gigabytes cannot make us reserve them.
constexpr std::size_t kFirstOutput = std::size_t{1} << 20;

constexpr std::size_t kMaxPiece = std::size_t{1} << 30;  // zlib counts in 32 bits

enum Method : std::uint16_t { kZlib = 0, kZstd = 1 };

struct Header {
  std::uint16_t version = 0;
  std::uint16_t method = 0;
  std::uint64_t total = 0;  // 0: not stated (version 1)
  std::uint64_t uncompressed = 0;
  std::size_t size = 0;  // of the header
};

Status parseHeader(Bytes image, Header& h) {
  const Status truncated = Status::invalid("compressed bundle: truncated header");
  if (!isCompressedBundle(image)) return Status::invalid("not a compressed bundle");
  if (!readAt(image, 4, h.version) || !readAt(image, 6, h.method)) return truncated;
  std::uint32_t total32 = 0, plain32 = 0;
  bool ok = false;
  switch (h.version) {
    case 1:
      ok = readAt(image, 8, plain32);
      h.size = 20;
      break;
    case 2:
      ok = readAt(image, 8, total32) && readAt(image, 12, plain32);
      h.size = 24;
      break;
    case 3:
      ok = readAt(image, 8, h.total) && readAt(image, 16, h.uncompressed);
      h.size = 32;
      break;
    default:
      return Status::unsupported("compressed bundle: version " + std::to_string(h.version));
  }
  if (!ok || image.size() < h.size) return truncated;
  if (h.version < 3) h.total = total32, h.uncompressed = plain32;
  if (h.method != kZlib && h.method != kZstd) {
    return Status::unsupported("compressed bundle: method " + std::to_string(h.method));
  }
  if (h.version > 1 && (h.total < h.size || h.total > kMaxPackedSize)) {
    return Status::invalid("compressed bundle: impossible total size");
  }
  return {};
}

Status tooLarge() {
  return Status::invalid("compressed bundle: larger than its header says");
}

// Doubles `out` (within `limit`) when it is full; false when the limit is reached.
bool grow(std::vector<std::byte>& out, std::size_t used, std::uint64_t limit) {
  if (used < out.size()) return true;
  if (out.size() >= limit) return false;
  out.resize(static_cast<std::size_t>(std::min<std::uint64_t>(limit, std::max(kFirstOutput, out.size() * 2))));
  return true;
}

Status unpackZstd(Bytes packed, std::uint64_t limit, std::vector<std::byte>& out) {
  ZSTD_DStream* stream = ZSTD_createDStream();
  if (!stream) return Status::exhausted("compressed bundle: no memory for zstd");
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::size_t used = 0;
  Status status;
  std::size_t left = 1;
  while (left != 0) {
    if (!grow(out, used, limit)) {
      status = tooLarge();
      break;
    }
    ZSTD_outBuffer slot{out.data(), out.size(), used};
    left = ZSTD_decompressStream(stream, &slot, &in);
    if (ZSTD_isError(left)) {
      status = Status::invalid(std::string("compressed bundle: zstd: ") + ZSTD_getErrorName(left));
      break;
    }
    const bool stuck = slot.pos == used && in.pos == in.size;
    used = slot.pos;
    if (left != 0 && stuck) {
      status = Status::invalid("compressed bundle: truncated zstd data");
      break;
    }
  }
  ZSTD_freeDStream(stream);
  out.resize(status.ok() ? used : 0);
  return status;
}

// `step`: how many bytes zlib may look at in one go; with 1 it never looks past the end of its own stream.
Status unpackZlib(Bytes packed, std::size_t step, std::uint64_t limit, std::vector<std::byte>& out, std::size_t& fed) {
  z_stream z{};
  if (inflateInit(&z) != Z_OK) return Status::exhausted("compressed bundle: no memory for zlib");
  std::size_t used = 0;
  Status status;
  fed = 0;
  for (int rc = Z_OK; rc != Z_STREAM_END && status.ok();) {
    if (!grow(out, used, limit)) {
      status = tooLarge();
      break;
    }
    if (z.avail_in == 0) {
      z.avail_in = static_cast<uInt>(std::min(step, packed.size() - fed));
      z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data() + fed));
      fed += z.avail_in;
    }
    const std::size_t room = std::min(out.size() - used, kMaxPiece);
    z.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    z.avail_out = static_cast<uInt>(room);
    rc = inflate(&z, Z_NO_FLUSH);
    used += room - z.avail_out;
    if (rc == Z_BUF_ERROR && fed == packed.size()) {
      status = Status::invalid("compressed bundle: truncated zlib data");
    } else if (rc != Z_OK && rc != Z_BUF_ERROR && rc != Z_STREAM_END) {
      status = Status::invalid(std::string("compressed bundle: zlib: ") + (z.msg ? z.msg : zError(rc)));
    }
  }
  inflateEnd(&z);
  out.resize(status.ok() ? used : 0);
  return status;
}

}  // namespace

bool isCompressedBundle(Bytes image) {
  return startsWith(image, kCompressedBundleMagic);
}

Status decompressBundle(Bytes image, std::vector<std::byte>& out, std::uint64_t maxSize) {
  Header h;
  if (Status s = parseHeader(image, h); !s.ok()) return s;
  if (h.total > image.size()) return Status::invalid("compressed bundle: truncated");
  if (h.uncompressed > maxSize) {
    return Status::exhausted("compressed bundle: " + std::to_string(h.uncompressed) + " bytes is over the limit");
  }
  const Bytes packed = image.first(h.total ? static_cast<std::size_t>(h.total) : image.size()).subspan(h.size);
  // One byte of slack lets the decoder reach its end marker, and shows when the content is longer than stated.
  const std::uint64_t limit = h.uncompressed + 1;
  std::vector<std::byte> plain;
  std::size_t consumed;
  Status s =
      h.method == kZstd ? unpackZstd(packed, limit, plain) : unpackZlib(packed, kMaxPiece, limit, plain, consumed);
  if (!s.ok()) return s;
  if (plain.size() != h.uncompressed) return Status::invalid("compressed bundle: size differs from its header");
  out = std::move(plain);
  return {};
}

Status compressedBundleSize(const void* image, std::size_t& size) {
  const std::byte* base = static_cast<const std::byte*>(image);
  Header h;
  // The first eight bytes say how long the header is.
  if (!isCompressedBundle({base, kCompressedBundleMagic.size()})) return Status::invalid("not a compressed bundle");
  std::uint16_t version;
  std::memcpy(&version, base + 4, sizeof version);
  if (Status s = parseHeader({base, std::size_t{version == 3 ? 32u : version == 2 ? 24u : 20u}}, h); !s.ok()) return s;
  if (h.total) {
    size = static_cast<std::size_t>(h.total);
    return {};
  }
  const Bytes unbounded{base + h.size, static_cast<std::size_t>(kMaxPackedSize)};
  if (h.method == kZstd) {
    const std::size_t frame = ZSTD_findFrameCompressedSize(unbounded.data(), unbounded.size());
    if (ZSTD_isError(frame)) return Status::invalid("compressed bundle: bad zstd frame");
    size = h.size + frame;
    return {};
  }
  std::vector<std::byte> plain;
  std::size_t consumed = 0;
  if (Status s = unpackZlib(unbounded, 1, h.uncompressed + 1, plain, consumed); !s.ok()) return s;
  size = h.size + consumed;
  return {};
}

}  // namespace hipr::code
