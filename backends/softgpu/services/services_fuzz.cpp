// Fuzzes everything a kernel can write: hostcall buffers with arbitrary contents, printf buffers, formats and
// arguments.
#include <cstring>
#include <memory>

#include "backends/softgpu/services/hostcall.h"
#include "backends/softgpu/services/printf_buffer.h"
#include "backends/softgpu/services/printf_format.h"
#include "backends/softgpu/services/test_host.h"
#include "tests/fuzz/fuzz.h"

using namespace hipr;
using namespace hipr::softgpu;

namespace {

constexpr std::uint32_t kWaves = 2;
struct alignas(64) Memory {
  std::byte bytes[16384];
};

}  // namespace

std::vector<fuzz::Input> fuzz::seeds() {
  // A hostcall buffer with one ready packet: lane 0 begins a message.
  auto memory = std::make_unique<Memory>();
  TestHost host;
  HostcallBuffer buffer(memory->bytes, kWaves, host);
  std::uint64_t words[2048] = {};
  std::memcpy(words, memory->bytes, sizeof words);
  words[4] = 2;                    // ready stack: tag 1, index 0
  words[24 + 1] = 1;               // active lanes
  words[24 + 2] = 2 | 1ull << 32;  // printf, ready
  words[32] = 33;                  // first slot
  const std::size_t used = HostcallBuffer::bytesFor(kWaves);
  Input hostcall(used + 1);
  std::memcpy(hostcall.data() + 1, words, used);
  const auto bytes = [](std::uint8_t kind, std::initializer_list<std::uint32_t> head, const WordWriter& body) {
    Input all = {kind};
    for (std::uint32_t h : head) {
      for (int i = 0; i < 4; ++i) all.push_back(static_cast<std::uint8_t>(h >> 8 * i));
    }
    const Input tail = input(std::as_bytes(std::span(body.words())));
    all.insert(all.end(), tail.begin(), tail.end());
    return all;
  };
  const Input text = bytes(1, {}, WordWriter().text("%d %-5.3s|%*.*f %p %c %lld %%\n").word(1).text("abcd").word(9));
  const Input records = bytes(2, {28, 16384, 28 << 2}, WordWriter().text("inline %d\n").word(7));
  return {hostcall, text, records};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  TestHost host;
  const std::span<const std::byte> in(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0: {
      auto memory = std::make_unique<Memory>();
      HostcallBuffer buffer(memory->bytes, kWaves, host);
      std::memcpy(memory->bytes, in.data(), std::min(in.size(), HostcallBuffer::bytesFor(kWaves)));
      (void)buffer.service();
      (void)buffer.service();
      break;
    }
    case 1: {
      const std::string_view all(reinterpret_cast<const char*>(in.data()), in.size());
      const std::string_view format = all.substr(0, all.find('\0'));
      PrintfArgs args(in.subspan(format.size()));
      (void)formatPrintf(format.substr(0, 256), args);
      break;
    }
    default: {
      Memory memory;
      PrintfBuffer buffer(memory.bytes);
      std::memcpy(memory.bytes, in.data(), std::min(in.size(), sizeof memory.bytes));
      const std::string formats[] = {"0:0:1,%d %s\n"};
      (void)buffer.drain(PrintfFormats(formats), host);
    }
  }
  return 0;
}
