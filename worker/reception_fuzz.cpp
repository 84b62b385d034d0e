// Fuzzes what strangers say to a worker, up to the point where they would be served: frames, TLS records, handshakes.
// Nobody is, without the token.
#include <poll.h>
#include <sys/socket.h>

#include <cstdlib>

#include "access/challenge.h"
#include "access/token.h"
#include "tests/fuzz/fuzz.h"
#include "tls/handshake.h"
#include "wire/append.h"
#include "worker/reception.h"

using namespace hipr;

namespace {

constexpr char kToken[] = "nobody could guess this";

std::vector<std::byte> clientHello(const std::string& token) {
  std::shared_ptr<const tls::ClientContext> context;
  if (!tls::ClientContext::make({}, tls::keyOfToken(token), context).ok()) std::abort();
  std::vector<std::byte> out;
  if (!tls::Handshake(context, "worker").take({}, out).ok()) std::abort();
  return out;
}

}  // namespace

std::vector<fuzz::Input> fuzz::seeds() {
  std::vector<std::byte> plain, hello, near;
  wire::appendFrame(plain, wire::Opcode::kChallenge, 0, 0, wire::Challenge{access::tokenNumber(kToken), {}});
  wire::appendFrame(plain, wire::Opcode::kProof, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, wire::Proof{});
  wire::appendFrame(hello, wire::Opcode::kHello, 1, 0, wire::Hello{});
  wire::appendFrame(near, wire::Opcode::kNearby, 0, 0, wire::Nearby{"127.0.0.1:40000", "127.0.0.1:18515"});
  wire::appendFrame(near, wire::Opcode::kShare, 0, wire::HIP_REMOTE_FLAG_NO_REPLY, wire::Share{});
  return {fuzz::input(plain), fuzz::input(hello), fuzz::input(near), fuzz::input(clientHello(kToken)),
          fuzz::input(clientHello("another token than that"))};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::quietLog();
  static worker::Gate& gate = []() -> worker::Gate& {
    setenv("HIP_REMOTE_TOKEN", kToken, 1);
    worker::GateOptions options;
    options.plainFromAnywhere = true;
    auto& made = *new worker::Gate(options);
    if (!made.open().ok()) std::abort();
    return made;
  }();
  int ends[2];
  if (size > 32 << 10 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 0;
  net::Socket peer(ends[0]);
  if (size && !peer.send({reinterpret_cast<const std::byte*>(data), size}).ok()) std::abort();
  shutdown(peer.fd(), SHUT_WR);
  worker::Reception reception(gate);
  reception.arrive(net::Socket(ends[1]));
  for (int turn = 0; turn < 64; ++turn) {
    std::vector<pollfd> entries;
    reception.watch(entries);
    if (entries.empty()) break;
    poll(entries.data(), entries.size(), 0);
    if (!reception.attend(entries).empty()) std::abort();  // it was let in
  }
  return 0;
}
