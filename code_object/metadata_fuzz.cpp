// Fuzzes metadata notes and the MessagePack reader under them. Without the ELF around it most mutations reach the
// reader.
#include "code_object/metadata.h"
#include "code_object/msgpack.h"
#include "code_object/test_image.h"
#include "tests/fuzz/fuzz.h"

using namespace hipr;

std::vector<fuzz::Input> fuzz::seeds() {
  return {input(code::testing::sampleMetadata(4)), input(code::testing::sampleMetadata(5))};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const code::Bytes note(reinterpret_cast<const std::byte*>(data), size);
  code::Metadata metadata;
  (void)code::parseMetadataNote(note, metadata);
  code::MsgpackReader reader(note);
  while (!reader.atEnd()) reader.skip();
  return 0;
}
