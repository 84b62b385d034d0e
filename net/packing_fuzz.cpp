// Fuzzes what unpacks bulk data: the first two bytes say how large it is supposed to be.
#include <cstdlib>
#include <cstring>

#include "net/packing.h"
#include "tests/fuzz/fuzz.h"

using namespace hipr;

std::vector<fuzz::Input> fuzz::seeds() {
  std::vector<fuzz::Input> out;
  for (const std::size_t size : {100, 5000, 60'000}) {
    std::vector<std::byte> plain(size), packed;
    for (std::size_t i = 0; i < size; ++i) plain[i] = static_cast<std::byte>(i % 1000 < 800 ? i % 7 : i * i >> 5);
    net::Packer packer;
    if (!packer.pack(plain, packed)) std::abort();
    fuzz::Input in = fuzz::input(packed);
    in.insert(in.begin(), {static_cast<std::uint8_t>(size), static_cast<std::uint8_t>(size >> 8)});
    out.push_back(in);
  }
  return out;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  static net::Unpacker unpacker;
  const std::size_t length = data[0] | data[1] << 8;
  std::vector<std::byte> out(length);  // of exactly that size: the sanitizers see what is written beyond
  const std::span<const std::byte> packed(reinterpret_cast<const std::byte*>(data) + 2, size - 2);
  if (unpacker.unpack(packed, out) && out.empty()) std::abort();
  return 0;
}
