// Fuzzes what strangers send to the telemetry service: the first byte chooses the protocol. Whatever comes, the service
// makes progress, keeps no more than it may, and says nothing but whole frames.
#include <cstdlib>

#include "tests/fuzz/fuzz.h"
#include "wire/append.h"
#include "worker/smi/fake_source.h"
#include "worker/smi/protocol.h"

using namespace hipr;
using namespace hipr::worker;

std::vector<fuzz::Input> fuzz::seeds() {
  std::vector<std::byte> conversation;
  wire::appendFrame(conversation, wire::Opcode::kSmiOpen, 1, 0, wire::SmiOpen{1, "host", "program"});
  wire::appendFrame(conversation, wire::Opcode::kSmiRead, 2, 0, wire::SmiRead{});
  wire::appendFrame(conversation, wire::Opcode::kPing, 3, 0, wire::Ping{});
  wire::appendFrame(conversation, wire::Opcode::kGoodbye, 4, 0, wire::Goodbye{});
  fuzz::Input smi = fuzz::input(conversation);
  smi.insert(smi.begin(), 0);
  fuzz::Input http =
      fuzz::input(std::string("GET /metrics HTTP/1.1\r\nHost: gpu-box\r\nAuthorization: Bearer x\r\n\r\n"));
  http.insert(http.begin(), 1);
  return {smi, http};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const Platform platform;
  static Station station(
      [](telemetry::SourcePtr& source) {
        source = std::make_unique<FakeSource>();
        return Status{};
      },
      platform, nullptr, "0");
  SmiProtocol smi(station);
  static const HttpProtocol::Knows knows = [](std::string_view token) { return token == "nobody could guess this"; };
  HttpProtocol http(station, HttpProtocol::Line::kShielded, knows);
  Protocol& protocol = data[0] & 1 ? static_cast<Protocol&>(http) : smi;
  std::vector<std::byte> in, out;
  const auto* next = reinterpret_cast<const std::byte*>(data) + 1;
  const auto* const end = reinterpret_cast<const std::byte*>(data) + size;
  for (;;) {  // as SmiService does it
    const auto fits = static_cast<std::ptrdiff_t>(Protocol::kMaxInput - in.size());
    const auto* const until = next + std::min(fits, end - next);
    in.insert(in.end(), next, until);
    next = until;
    const std::size_t before = in.size();
    switch (protocol.serve(in, out)) {
      case Protocol::Next::kEnd:
        return 0;
      case Protocol::Next::kAnswered:
        if (out.empty() || in.size() >= before) std::abort();
        out.clear();
        break;
      case Protocol::Next::kWait:
        if (!out.empty() || in.size() >= Protocol::kMaxInput) std::abort();  // would wait for ever
        if (next == end) return 0;
        break;
    }
  }
}
