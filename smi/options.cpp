#include "smi/options.h"

#include <cstdio>
#include <cstdlib>

#include "base/env.h"
#include "base/options.h"
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

)";

constexpr char kExitCodes[] =
    R"(
Exit code: 0 fine; 1 some host did not answer, the others are shown; 2 wrong arguments; 3 no host answered;
4 there is no such GPU.
)";

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

Take seconds(double& out) {
  return [&out](const std::string& value) {
    char* end = nullptr;
    out = std::strtod(value.c_str(), &end);
    if (value.empty() || *end != 0 || !(out >= 0.1 && out <= 86400))
      return Status::invalid("must be from 0.1 to 86400 seconds, not \"" + value + "\"");
    return Status();
  };
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
  if (words.size() > used && found->takesGpu) {
    const auto take = number(o.gpu.emplace(), 0, 1 << 20);
    if (Status status = take(words[used++]); !status.ok()) wrong("the GPU " + status.message());
  }
  if (words.size() > used) wrong("unexpected argument \"" + words[used] + "\"");
}

}  // namespace

Options parseOptions(int argc, char** argv) {
  Options o;
  std::string hosts;
  int timeout = 0;  // as the environment says
  auto port = static_cast<std::uint16_t>(envNumber("TF_WORKER_PORT", wire::kDefaultPort, 1, 65535));
  o.connectTimeout = static_cast<int>(envNumber("TF_CONNECT_TIMEOUT", o.connectTimeout, 1, 3600));
  o.ioTimeout = static_cast<int>(envNumber("TF_IO_TIMEOUT", o.ioTimeout, 1, 86400));
  bool version = false, help = false;
  std::vector<std::string> words;
  using Text = const std::string&;
  const Option options[] = {
      {"host", 'H', "LIST", [&](Text value) { return hosts += (hosts.empty() ? "" : ",") + value, Status(); },
       "workers, separated by commas (TF_WORKER_HOST; default 127.0.0.1)"},
      {"port", 'p', "PORT", number(port, 1, 65535), "for hosts that name none (TF_WORKER_PORT; default 18515)"},
      {"local", 0, nullptr, flag(o.local), "the GPUs of this machine, without a worker"},
      {"json", 0, nullptr, [&](Text) { return o.format = Format::Json, Status(); }, "for programs"},
      {"csv", 0, nullptr, [&](Text) { return o.format = Format::Csv, Status(); }, "for programs and spreadsheets"},
      {"interval", 'i', "S", seconds(o.intervalSeconds), "seconds between two updates of watch (default 1)"},
      {"count", 'n', "N", number(o.count, 1, 1'000'000'000), "leave watch after N updates"},
      {"timeout", 0, "S", number(timeout, 1, 3600),
       "seconds to wait for a worker (TF_CONNECT_TIMEOUT, TF_IO_TIMEOUT; default 5 and 10)"},
      {"version", 0, nullptr, flag(version), "print the version"},
      {"help", 'h', nullptr, flag(help), "print this"},
  };
  const Status status = takeOptions(options, {argv + 1, static_cast<std::size_t>(argc - 1)}, words);
  if (version) std::puts("smi-remote " HIPR_VERSION);
  if (help) std::printf("%s%s%s", kUsage, describe(options).c_str(), kExitCodes);
  if (version || help) std::exit(kExitOk);
  if (!status.ok()) wrong(status.message());
  if (timeout > 0) o.connectTimeout = o.ioTimeout = timeout;
  takeWords(words, o);
  if (o.local && !hosts.empty()) wrong("--local is this machine; it goes without --host");
  if (o.local) return o;
  addHosts(hosts.empty() ? envText("TF_WORKER_HOST").value_or("127.0.0.1") : hosts, port, o.hosts);
  if (o.hosts.empty()) wrong("--host names no host");
  return o;
}

}  // namespace hipr::smi
