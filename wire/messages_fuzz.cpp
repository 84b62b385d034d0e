// Fuzzes every decoder of the wire: the first two bytes choose which.
#include <cstdlib>
#include <cstring>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"
#include "wire/frame.h"
#include "wire/platform_codec.h"
#include "wire/sample.h"

using namespace hipr;

std::vector<fuzz::Input> fuzz::seeds() {
  std::vector<fuzz::Input> out;
  fuzz::Random random(1);
  std::uint16_t index = 0;
  const auto add = [&](const std::vector<std::byte>& bytes) {
    fuzz::Input in = fuzz::input(bytes);
    in.insert(in.begin(), {static_cast<std::uint8_t>(index), static_cast<std::uint8_t>(index >> 8)});
    out.push_back(in);
  };
  for (const wire::Payload& payload : wire::payloads()) {
    add(payload.sample([&] { return random.next(); }));
    ++index;
  }
  std::vector<std::byte> platform;
  Platform two;
  two.devices.resize(2);
  two.peers.resize(4);
  wire::encodePlatform(two, platform);
  add(platform);
  ++index;
  add(std::vector<std::byte>(wire::kHeaderSize));
  return out;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto count = static_cast<std::uint16_t>(wire::payloads().size());
  const auto which = static_cast<std::uint16_t>((data[0] | data[1] << 8) % (count + 2));
  const wire::Bytes bytes(reinterpret_cast<const std::byte*>(data) + 2, size - 2);
  if (which == count) {
    Platform platform;
    if (wire::decodePlatform(bytes, platform) &&
        platform.peers.size() != platform.devices.size() * platform.devices.size()) {
      std::abort();
    }
    return 0;
  }
  if (which == count + 1) {
    wire::Header header;
    if (bytes.size() >= wire::kHeaderSize &&
        wire::decodeHeader(std::span<const std::byte, wire::kHeaderSize>(bytes.data(), wire::kHeaderSize), header) &&
        header.length > wire::kMaxPayload) {
      std::abort();
    }
    return 0;
  }
  // What was understood must survive another trip unchanged.
  const wire::Payload& payload = wire::payloads()[which];
  const auto once = payload.recode(bytes);
  if (!once) return 0;
  const auto twice = payload.recode(once->bytes);
  if (!twice || !twice->whole || twice->bytes != once->bytes) std::abort();
  return 0;
}
