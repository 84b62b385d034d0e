// Fuzzes target ids and bundle entry ids; what parses must print to something that parses to the same.
#include "code_object/bytes.h"
#include "code_object/target_id.h"

#include <cstdlib>

#include "tests/fuzz/fuzz.h"

using namespace hipr;

std::vector<fuzz::Input> fuzz::seeds() {
  std::vector<Input> all;
  for (std::string_view s : {"gfx90a:sramecc+:xnack-", "gfx9-4-generic", "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-",
                             "host-x86_64-unknown-linux-gnu-", "hip-amdgcn-amd-amdhsa-gfx906"}) {
    all.push_back(input(s));
  }
  return all;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  code::TargetId a, b;
  if (code::parseTargetId(text, a).ok()) {
    if (!code::parseTargetId(a.text(), b).ok() || !(a == b)) std::abort();
    if (!code::matchRank(a, b)) std::abort();
  }
  code::BundleId id;
  (void)code::parseBundleId(text, id);
  return 0;
}
