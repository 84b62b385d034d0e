// What protecting a connection costs: bulk copies through a worker over TLS, next to OpenSSL's own streaming between
// two processes; a posted launch with and without; time until the first call has returned. In turns, medians.
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "net/socket.h"
#include "testing/hip.h"
#include "testing/worker_process.h"
#include "tls/handshake_callbacks.h"

namespace hipr {
namespace {

using Clock = std::chrono::steady_clock;
constexpr char kToken[] = "for this measurement only";
constexpr std::size_t kBytes = 128 << 20;
constexpr double kAllowed = 0.7;  // of what OpenSSL streams by itself

double seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}
double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// --- OpenSSL alone

struct RawEnd {
  tls::HandshakeNotes notes;
  SSL* ssl = nullptr;

  RawEnd(int socket, bool server) {
    const tls::TokenKey token = tls::keyOfToken(kToken);
    SSL_CTX* context = nullptr;
    if (server) {
      (void)tls::ServerContext::make({}, [=](const std::string&) { return token; }, false, notes.server);
      context = notes.server->parts->context.get();
    } else {
      (void)tls::ClientContext::make({}, token, notes.client);
      context = notes.client->parts->context.get();
    }
    ssl = SSL_new(context);
    SSL_set_app_data(ssl, &notes);
    SSL_set_fd(ssl, socket);
    if ((server ? SSL_accept(ssl) : SSL_connect(ssl)) != 1) std::abort();
  }
};

// Bytes a second from one process to another, over TCP on loopback.
double streamRaw() {
  net::Socket listener, here;
  std::uint16_t port = 0;
  if (!net::listenOn("127.0.0.1", 0, listener, &port).ok()) std::abort();
  const pid_t child = fork();
  std::vector<char> buffer(256 << 10);
  if (child == 0) {
    if (!net::connectTo({"127.0.0.1", port}, 10, here).ok()) std::abort();
    const RawEnd end(here.fd(), false);
    for (std::size_t sent = 0; sent < kBytes; sent += buffer.size())
      if (SSL_write(end.ssl, buffer.data(), static_cast<int>(buffer.size())) <= 0) std::abort();
    char byte = 0;
    (void)SSL_read(end.ssl, &byte, 1);
    _exit(0);
  }
  here = net::Socket(accept(listener.fd(), nullptr, nullptr));
  const RawEnd end(here.fd(), true);
  const auto start = Clock::now();
  for (std::size_t got = 0; got < kBytes;) {
    const int n = SSL_read(end.ssl, buffer.data(), static_cast<int>(buffer.size()));
    if (n <= 0) std::abort();
    got += static_cast<std::size_t>(n);
  }
  const double time = seconds(start);
  (void)SSL_write(end.ssl, "e", 1);
  waitpid(child, nullptr, 0);
  return static_cast<double>(kBytes) / time;
}

// --- a program with its GPU elsewhere

struct Numbers {
  double start = 0, up = 0, down = 0, launch = 0;  // s, bytes/s, bytes/s, s
};

Numbers measureHere() {
  Numbers out;
  testing::Hip hip;
  auto start = Clock::now();
  if (!hip.load(testing::remoteLibrary()).ok()) std::abort();
  HIPR_CHECK(hip, hipDeviceSynchronize());
  out.start = seconds(start);
  void* device = nullptr;
  std::vector<char> host(kBytes, 1);
  HIPR_CHECK(hip, hipMalloc(&device, kBytes));
  for (int turn = 0; turn < 2; ++turn) {  // the first touches the pages
    start = Clock::now();
    HIPR_CHECK(hip, hipMemcpy(device, host.data(), kBytes, hipMemcpyHostToDevice));
    HIPR_CHECK(hip, hipDeviceSynchronize());
    out.up = static_cast<double>(kBytes) / seconds(start);
    start = Clock::now();
    HIPR_CHECK(hip, hipMemcpy(host.data(), device, kBytes, hipMemcpyDeviceToHost));
    out.down = static_cast<double>(kBytes) / seconds(start);
  }
  constexpr int kLaunches = 2000;
  int zero = 0;
  void* arguments[] = {&zero};
  std::vector<double> launches;
  for (int batch = 0; batch < 5; ++batch) {
    HIPR_CHECK(hip, hipDeviceSynchronize());
    start = Clock::now();
    for (int i = 0; i < kLaunches; ++i) hip.launch(hip.empty, 1, 64, arguments);
    launches.push_back(seconds(start) / kLaunches);
  }
  out.launch = median(launches);
  return out;
}

Numbers measure(const char* tls) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    setenv("HIP_REMOTE_TLS", tls, 1);
    setenv("HIP_REMOTE_TOKEN", kToken, 1);
    const Numbers numbers = measureHere();
    if (write(ends[1], &numbers, sizeof numbers) != sizeof numbers) std::abort();
    std::exit(0);
  }
  Numbers out;
  if (read(ends[0], &out, sizeof out) != sizeof out) std::abort();
  close(ends[0]);
  close(ends[1]);
  waitpid(child, nullptr, 0);
  return out;
}

int run(int turns) {
  const std::string file = "/tmp/hipr-tls-bench-" + std::to_string(getpid());
  std::ofstream(file) << kToken << "\n";
  const testing::WorkerProcess worker({"--runtime", "softgpu", "--grace", "1", "--cache", "", "--token-file", file});
  worker.use();
  std::vector<double> raw, up, down;
  std::vector<double> start[2], launch[2], plainUp, plainDown;
  for (int turn = 0; turn < turns; ++turn) {
    raw.push_back(streamRaw());
    for (const int protect : {0, 1}) {
      const Numbers numbers = measure(protect ? "1" : "0");
      start[protect].push_back(numbers.start);
      launch[protect].push_back(numbers.launch);
      (protect ? up : plainUp).push_back(numbers.up);
      (protect ? down : plainDown).push_back(numbers.down);
    }
  }
  unlink(file.c_str());
  const double base = median(raw);
  const auto rate = [&](const char* what, const std::vector<double>& values) {
    std::printf("%-44s %8.2f GB/s  %5.2f of OpenSSL alone\n", what, median(values) / 1e9, median(values) / base);
  };
  rate("OpenSSL alone, one process to another", raw);
  rate("copy to the device, TLS", up);
  rate("copy to the host, TLS", down);
  rate("copy to the device, without", plainUp);
  rate("copy to the host, without", plainDown);
  for (const int protect : {1, 0}) {
    std::printf("posted launch, %-29s %8.0f ns\n", protect ? "TLS" : "without", median(launch[protect]) * 1e9);
    std::printf("until the first call has returned, %-9s %8.1f ms\n", protect ? "TLS" : "without",
                median(start[protect]) * 1e3);
  }
  const bool met = std::min(median(up), median(down)) >= kAllowed * base;
  std::printf("%s: a copy is to have %.1f of OpenSSL's rate\n", met ? "met" : "NOT MET", kAllowed);
  return met ? 0 : 1;
}

}  // namespace
}  // namespace hipr

int main(int argc, char** argv) {
  return hipr::run(argc > 1 ? std::max(1, std::atoi(argv[1])) : 5);
}
