#include "smi/options.h"

#include <getopt.h>

#include <cstdio>
#include <cstdlib>

#include "base/env.h"
#include "wire/frame.h"

namespace hipr::smi {
namespace {

constexpr char kUsage[] =
    R"(usage: smi-remote [--host HOST[:PORT],...] [--port PORT] COMMAND [GPU]
Shows the GPUs of HIP Remote workers: one machine, or a rack in one table.

  list              which GPUs there are
  metrics [GPU]     power, temperature, clocks, activity, memory
  info [GPU]        everything that is known and does not change
  power [GPU]       power, energy and their limits
  processes [GPU]   who uses them: process, client, memory
  topology          how the GPUs of a machine reach each other
  watch [GPU]       metrics and processes on a live screen (q leaves)

  -H, --host LIST       workers, separated by commas (TF_WORKER_HOST; default 127.0.0.1)
  -p, --port PORT       for hosts that name none (TF_WORKER_PORT; default 18515)
      --local           the GPUs of this machine, without a worker
      --json, --csv     for programs
  -i, --interval S      seconds between two updates of watch (default 1)
  -n, --count N         leave watch after N updates
      --timeout S       seconds to wait for a worker (TF_CONNECT_TIMEOUT; default 5)
      --version, --help

Exit code: 0 fine; 1 some host did not answer, the others are shown; 2 wrong arguments; 3 no host answered;
4 there is no such GPU.
)";

enum Long { kLocal = 256, kJson, kCsv, kTimeout, kVersion };
constexpr option kLong[] = {
    {"host", required_argument, nullptr, 'H'},
    {"port", required_argument, nullptr, 'p'},
    {"local", no_argument, nullptr, kLocal},
    {"json", no_argument, nullptr, kJson},
    {"csv", no_argument, nullptr, kCsv},
    {"interval", required_argument, nullptr, 'i'},
    {"count", required_argument, nullptr, 'n'},
    {"timeout", required_argument, nullptr, kTimeout},
    {"version", no_argument, nullptr, kVersion},
    {"help", no_argument, nullptr, 'h'},
    {},
};

struct Name {
  const char* text;
  Command command;
  bool takesGpu;
};
constexpr Name kCommands[] = {
    {"list", Command::List, false},  {"metrics", Command::Metrics, true},     {"info", Command::Info, true},
    {"power", Command::Power, true}, {"processes", Command::Processes, true}, {"topology", Command::Topology, false},
    {"watch", Command::Watch, true},
};

[[noreturn]] void wrong(const std::string& what) {
  std::fprintf(stderr, "smi-remote: %s; see smi-remote --help\n", what.c_str());
  std::exit(kExitUsage);
}

std::int64_t number(const char* what, const std::string& text, std::int64_t low, std::int64_t high) {
  if (const auto value = parseNumber(text, low, high)) return *value;
  wrong(std::string(what) + " must be a number from " + std::to_string(low) + " to " + std::to_string(high) +
        ", not \"" + text + "\"");
}

double seconds(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0 || !(value >= 0.1 && value <= 86400))
    wrong("--interval must be from 0.1 to 86400 seconds, not \"" + text + "\"");
  return value;
}

void addHosts(const std::string& list, std::uint16_t port, std::vector<net::Endpoint>& out) {
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    const std::string item = list.substr(at, comma - at);
    at = comma + 1;
    if (item.empty()) continue;
    net::Endpoint endpoint;
    if (const Status status = net::parseEndpoint(item, port, endpoint); !status.ok()) wrong(status.message());
    out.push_back(endpoint);
  }
}

void takeArguments(int argc, char** argv, Options& o) {
  if (optind == argc) wrong("which command? list, metrics, info, power, processes, topology or watch");
  const std::string command = argv[optind++];
  const Name* found = nullptr;
  for (const Name& name : kCommands)
    if (command == name.text) found = &name;
  if (!found) wrong("there is no command \"" + command + "\"");
  o.command = found->command;
  if (optind < argc && found->takesGpu) o.gpu = static_cast<unsigned>(number("the GPU", argv[optind++], 0, 1 << 20));
  if (optind < argc) wrong("unexpected argument \"" + std::string(argv[optind]) + "\"");
}

}  // namespace

Options parseOptions(int argc, char** argv) {
  Options o;
  std::string hosts;
  auto port = static_cast<std::uint16_t>(envNumber("TF_WORKER_PORT", wire::kDefaultPort, 1, 65535));
  o.connectTimeout = static_cast<int>(envNumber("TF_CONNECT_TIMEOUT", o.connectTimeout, 1, 3600));
  o.ioTimeout = static_cast<int>(envNumber("TF_IO_TIMEOUT", o.ioTimeout, 1, 86400));
  for (int c; (c = getopt_long(argc, argv, "H:p:i:n:h", kLong, nullptr)) != -1;) {
    switch (c) {
      case 'H':
        hosts += (hosts.empty() ? "" : ",") + std::string(optarg);
        break;
      case 'p':
        port = static_cast<std::uint16_t>(number("--port", optarg, 1, 65535));
        break;
      case 'i':
        o.intervalSeconds = seconds(optarg);
        break;
      case 'n':
        o.count = static_cast<unsigned>(number("--count", optarg, 1, 1'000'000'000));
        break;
      case kTimeout:
        o.connectTimeout = o.ioTimeout = static_cast<int>(number("--timeout", optarg, 1, 3600));
        break;
      case kLocal:
        o.local = true;
        break;
      case kJson:
        o.format = Format::Json;
        break;
      case kCsv:
        o.format = Format::Csv;
        break;
      case kVersion:
        std::puts("smi-remote " HIPR_VERSION);
        std::exit(kExitOk);
      case 'h':
        std::fputs(kUsage, stdout);
        std::exit(kExitOk);
      default:
        std::fputs("see smi-remote --help\n", stderr);
        std::exit(kExitUsage);
    }
  }
  takeArguments(argc, argv, o);
  if (o.local && !hosts.empty()) wrong("--local is this machine; it goes without --host");
  if (o.local) return o;
  addHosts(hosts.empty() ? envText("TF_WORKER_HOST").value_or("127.0.0.1") : hosts, port, o.hosts);
  if (o.hosts.empty()) wrong("--host names no host");
  return o;
}

}  // namespace hipr::smi
