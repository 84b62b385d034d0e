// Fuzzes one ELF code object end to end: headers, symbols, notes, metadata, descriptors, loading, argument packing.
#include "code_object/code_object.h"

#include <cstdlib>

#include "code_object/kernarg.h"
#include "code_object/select.h"
#include "code_object/test_image.h"
#include "tests/fuzz/fuzz.h"

using namespace hipr;

std::vector<fuzz::Input> fuzz::seeds() {
  using code::testing::sampleElf;
  return {input(sampleElf(4)), input(sampleElf(5)), input(sampleElf(6, 0x4c))};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  code::CodeObject object;
  // Right before the end of its memory, so that reading too far is noticed.
  const std::vector<std::byte> image(reinterpret_cast<const std::byte*>(data),
                                     reinterpret_cast<const std::byte*>(data) + size);
  if (!code::CodeObject::parse(image, object).ok()) return 0;
  // As a runtime loads it, which is given an address and finds out the size itself.
  std::size_t found = 0;
  code::Selection selection;
  if (code::imageSize(image.data(), found).ok()) {
    if (found > size) std::abort();
    (void)code::selectCodeObject({image.data(), found}, object.target(), selection);
  }
  for (const code::Variable& variable : object.variables())
    if (variable.managed && variable.initialSize <= 1 << 24)
      (void)object.initialBytes(variable.initialAddress, variable.initialSize);
  if (object.loadSize() <= 1 << 24) {
    std::vector<std::byte> memory(object.loadSize());
    (void)object.load(memory, object.loadAlignment() * 16);
  }
  const std::vector<std::byte> value(1 << 16);
  for (const code::Kernel& k : object.kernels()) {
    if (k.metadata.kernargSize > value.size()) continue;
    std::vector<std::byte> kernarg(k.metadata.kernargSize);
    std::vector<void*> params(code::explicitCount(k.metadata), const_cast<std::byte*>(value.data()));
    (void)code::packParams(k.metadata, params.data(), kernarg);
    (void)code::packBuffer(k.metadata, value, kernarg);
    (void)code::fillHidden(k.metadata, code::HiddenValues::forGrid({100, 1, 1}, {64, 1, 1}), kernarg);
  }
  return 0;
}
