#include "smi/options.h"

#include <cstdio>
#include <cstdlib>

#include "base/env.h"
#include "smi/command_line.h"
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

enum : std::size_t { kHost, kPort, kLocal, kJson, kCsv, kInterval, kCount, kTimeout, kVersion, kHelp };
constexpr OptionName kOptions[] = {
    {"host", 'H', true},     {"port", 'p', true},  {"local", 0, false},  {"json", 0, false},    {"csv", 0, false},
    {"interval", 'i', true}, {"count", 'n', true}, {"timeout", 0, true}, {"version", 0, false}, {"help", 'h', false},
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

void takeWords(const std::vector<std::string>& words, Options& o) {
  if (words.empty()) wrong("which command? list, metrics, info, power, processes, topology or watch");
  const Name* found = nullptr;
  for (const Name& name : kCommands)
    if (words[0] == name.text) found = &name;
  if (!found) wrong("there is no command \"" + words[0] + "\"");
  o.command = found->command;
  std::size_t used = 1;
  if (words.size() > used && found->takesGpu)
    o.gpu = static_cast<unsigned>(number("the GPU", words[used++], 0, 1 << 20));
  if (words.size() > used) wrong("unexpected argument \"" + words[used] + "\"");
}

}  // namespace

Options parseOptions(int argc, char** argv) {
  Options o;
  std::string hosts;
  auto port = static_cast<std::uint16_t>(envNumber("TF_WORKER_PORT", wire::kDefaultPort, 1, 65535));
  o.connectTimeout = static_cast<int>(envNumber("TF_CONNECT_TIMEOUT", o.connectTimeout, 1, 3600));
  o.ioTimeout = static_cast<int>(envNumber("TF_IO_TIMEOUT", o.ioTimeout, 1, 86400));
  CommandLine line(argc, argv);
  while (const auto option = line.next(kOptions)) {
    const std::string& value = line.value();
    switch (*option) {
      case kHost:
        hosts += (hosts.empty() ? "" : ",") + value;
        break;
      case kPort:
        port = static_cast<std::uint16_t>(number("--port", value, 1, 65535));
        break;
      case kInterval:
        o.intervalSeconds = seconds(value);
        break;
      case kCount:
        o.count = static_cast<unsigned>(number("--count", value, 1, 1'000'000'000));
        break;
      case kTimeout:
        o.connectTimeout = o.ioTimeout = static_cast<int>(number("--timeout", value, 1, 3600));
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
      default:
        std::fputs(kUsage, stdout);
        std::exit(kExitOk);
    }
  }
  if (!line.error().empty()) wrong(line.error());
  takeWords(line.words(), o);
  if (o.local && !hosts.empty()) wrong("--local is this machine; it goes without --host");
  if (o.local) return o;
  addHosts(hosts.empty() ? envText("TF_WORKER_HOST").value_or("127.0.0.1") : hosts, port, o.hosts);
  if (o.hosts.empty()) wrong("--host names no host");
  return o;
}

}  // namespace hipr::smi
