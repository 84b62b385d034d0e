// Fuzzes what arrives for a mirror: nothing outside the regions may be touched, and a message that makes no sense must
// change nothing at all.
#include <cstdlib>
#include <cstring>
#include <memory>

#include "mirror/mirror.h"
#include "tests/fuzz/fuzz.h"

using namespace hipr;

namespace {

constexpr std::size_t kSizes[] = {1, 13, 64, 5000};

}  // namespace

std::vector<fuzz::Input> fuzz::seeds() {
  std::vector<fuzz::Input> out;
  mirror::ChangeWriter writer;
  const std::byte bytes[64]{};
  const auto add = [&] {
    const wire::HostBytes message = writer.message();
    std::vector<std::byte> all{static_cast<std::byte>(message.runs.size())};
    all.insert(all.end(), message.runs.begin(), message.runs.end());
    all.insert(all.end(), message.bytes.begin(), message.bytes.end());
    out.push_back(fuzz::input(all));
    writer.clear();
  };
  writer.put(1, 0, bytes, 1);
  writer.put(2, 3, bytes, 10);
  writer.put(2, 0, bytes, 2);
  add();
  for (std::uint64_t i = 0; i < 20; ++i) writer.put(4, i * 250, bytes, 1 + i);
  writer.put(3, 8, bytes, 16);
  add();
  return out;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::size_t runs = std::min<std::size_t>(data[0], size - 1);
  const auto* all = reinterpret_cast<const std::byte*>(data) + 1;
  mirror::Mirror mirror({.send = [](const wire::HostBytes&) { std::abort(); }});  // what came is never sent back
  std::unique_ptr<std::byte[]> memory[std::size(kSizes)];
  for (std::size_t i = 0; i < std::size(kSizes); ++i) {
    memory[i] = std::make_unique<std::byte[]>(kSizes[i]);
    mirror.add(i + 1, memory[i].get(), kSizes[i]);
  }
  const bool ok = mirror.apply({{all, runs}, {all + runs, size - 1 - runs}});
  bool touched = false;
  for (std::size_t i = 0; i < std::size(kSizes); ++i) {
    for (std::size_t k = 0; k < kSizes[i]; ++k) touched |= memory[i][k] != std::byte{0};
  }
  if (touched && !ok) std::abort();
  mirror.send();
  return 0;
}
