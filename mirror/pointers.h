// Finds addresses of a given range in bytes that are on their way to the worker: a word that looks like one is taken
// for one. Fast enough to look at every upload.
#pragma once

#include <cstdint>
#include <vector>

#include "wire/stream.h"

namespace hipr::mirror {

// The words of `bytes`, eight bytes each from its beginning on, whose value lies in [base, base + size).
std::vector<std::uint64_t> addressesIn(wire::Bytes bytes, std::uint64_t base, std::uint64_t size);

}  // namespace hipr::mirror
