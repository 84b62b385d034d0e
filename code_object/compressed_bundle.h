// Compressed offload bundles ("CCOB"), written by clang --offload-compress: a header and one zstd frame or zlib stream
// that unpacks to a plain offload bundle. Header versions:
//   1: magic, u16 version, u16 method, u32 uncompressed, u64 hash
//   2: magic, u16 version, u16 method, u32 total, u32 uncompressed, u64 hash
//   3: magic, u16 version, u16 method, u64 total, u64 uncompressed, u64 hash
// The hash is the compiler's own cache key and is not checked here; zstd and zlib check what they unpack.
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "code_object/bytes.h"

namespace hipr::code {

inline constexpr std::string_view kCompressedBundleMagic = "CCOB";

bool isCompressedBundle(Bytes image);

// Unpacks to a plain bundle. Refuses to produce more than `maxSize` bytes whatever the header claims.
Status decompressBundle(Bytes image, std::vector<std::byte>& out, std::uint64_t maxSize = std::uint64_t{4} << 30);

// The size of a compressed bundle of which only the address is known. REQUIRES: memory readable as far as the header
// says (version 1 has no total size: as far as the compressed stream goes).
Status compressedBundleSize(const void* image, std::size_t& size);

}  // namespace hipr::code
