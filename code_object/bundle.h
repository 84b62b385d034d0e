// Offload bundles ("__CLANG_OFFLOAD_BUNDLE__"): a table of code objects for several targets in one image.
// Layout: magic, u64 count, count x {u64 offset, u64 size, u64 idLength, id}, then the code objects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "code_object/bytes.h"
#include "code_object/target_id.h"

namespace hipr::code {

inline constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";

struct BundleEntry {
  std::string id;
  BundleId parsed;
  Bytes code;  // points into the image that was parsed
};

bool isBundle(Bytes image);

// Every offset and size is checked against `image`.
Status parseBundle(Bytes image, std::vector<BundleEntry>& out);

// The size of a bundle of which only the address is known, from its table. REQUIRES: memory readable as far as the
// table itself and everything it refers to (true for images a compiler placed in the program).
Status bundleSize(const void* image, std::size_t& size);

}  // namespace hipr::code
