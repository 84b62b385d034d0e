// Fuzzes the choice of a code object from any image: ELF, bundles, compressed bundles.
#include "code_object/compressed_bundle.h"
#include "code_object/select.h"
#include "code_object/test_image.h"
#include "tests/fuzz/fuzz.h"

using namespace hipr;

std::vector<fuzz::Input> fuzz::seeds() {
  using namespace code::testing;
  const Buffer bundle = sampleBundle({{"host-x86_64-unknown-linux--", {}},
                                      {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", sampleElf(4)},
                                      {"hipv4-amdgcn-amd-amdhsa--gfx1030", Buffer(64)}});
  std::vector<Input> all = {input(bundle), input(sampleElf(6))};
  for (int version : {1, 2, 3}) {
    all.push_back(input(compressBundle(bundle, version, Packing::kZstd)));
    all.push_back(input(compressBundle(bundle, version, Packing::kZlib)));
  }
  return all;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const code::Bytes image(reinterpret_cast<const std::byte*>(data), size);
  code::TargetId device;
  (void)code::parseTargetId("gfx90a:sramecc+:xnack-", device);
  code::Selection chosen;
  (void)code::selectCodeObject(image, device, chosen);
  std::vector<code::TargetId> targets;
  (void)code::listTargets(image, targets);
  std::vector<std::byte> plain;
  (void)code::decompressBundle(image, plain, 1 << 20);
  return 0;
}
