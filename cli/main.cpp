// hip-remote: run programs on a GPU that is somewhere else, and look at what is there.
#include <cstdio>
#include <cstring>

#include "cli/commands.h"
#include "cli/version.h"

namespace {

constexpr char kHelp[] =
    "hip-remote: run HIP programs on a GPU that is somewhere else\n"
    "\n"
    "  hip-remote run  [--worker HOST[:PORT] | --softgpu] [--plain] [--] PROGRAM [ARGUMENT...]\n"
    "                  start a program with our libamdhip64 in front of any other, and with what programs look for\n"
    "                  besides it where there is no driver (--plain leaves that out)\n"
    "  hip-remote trace [-o FILE] [--worker HOST[:PORT] | --softgpu] [--plain] [--] PROGRAM [ARGUMENT...]\n"
    "                  the same, and a trace for ui.perfetto.dev (hip-remote-trace.json) with a summary\n"
    "  hip-remote info [--worker HOST[:PORT] | --softgpu]\n"
    "                  list the GPUs of the worker, and of each worker how it is reached and how fast it is\n"
    "  hip-remote doctor [--worker HOST[:PORT] | --softgpu] [--json] [--timeout SECONDS] [-- PROGRAM [ARGUMENT...]]\n"
    "                  look for what keeps a program from its GPU, and say what to do about it\n"
    "  hip-remote smi  [--worker HOST[:PORT]] -- [ARGUMENT...]\n"
    "                  AMD's amd-smi, if it is installed, on the GPUs of the worker\n"
    "  hip-remote pair HOST[:PORT] [--token-file FILE]\n"
    "                  keep the worker's token, so that --worker HOST needs nothing else from now on\n"
    "  hip-remote env  [--worker HOST[:PORT] | --softgpu]\n"
    "                  print what `run` sets for HIP: eval \"$(hip-remote env --worker gpu-box)\"\n"
    "  hip-remote rocminfo | rocm_agent_enumerator\n"
    "                  what these commands of ROCm would say; `run` puts them on the PATH\n"
    "  hip-remote --version\n"
    "\n"
    "Without --worker the worker is TF_WORKER_HOST and TF_WORKER_PORT (localhost:18515). One on another machine wants\n"
    "its token: HIP_REMOTE_TOKEN_FILE=FILE, or `hip-remote pair` once.\n"
    "--softgpu needs no worker: kernels run on this machine's CPU.\n";

struct Command {
  const char* name;
  int (*run)(hipr::cli::Arguments);
};
constexpr Command kCommands[] = {{"run", hipr::cli::run},
                                 {"trace", hipr::cli::trace},
                                 {"info", hipr::cli::info},
                                 {"doctor", hipr::cli::examine},
                                 {"smi", hipr::cli::smi},
                                 {"pair", hipr::cli::pair},
                                 {"env", hipr::cli::env},
                                 {"rocminfo", hipr::cli::rocminfo},
                                 {"rocm_agent_enumerator", hipr::cli::agentEnumerator}};

bool asksForHelp(const char* word) {
  return !std::strcmp(word, "--help") || !std::strcmp(word, "-h");
}

}  // namespace

void hipr::cli::printHelp() {
  std::fputs(kHelp, stdout);
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "--help";
  // Right after the name of a command, also of one that has no options of ours.
  if (asksForHelp(name) || (argc > 2 && asksForHelp(argv[2]))) {
    hipr::cli::printHelp();
    return argc > 1 ? 0 : 2;
  }
  if (!std::strcmp(name, "--version")) {
    std::printf("hip-remote %s\n", HIP_REMOTE_VERSION);
    return 0;
  }
  for (const Command& command : kCommands) {
    if (!std::strcmp(name, command.name)) {
      return command.run({argv + 2, static_cast<std::size_t>(argc - 2)});
    }
  }
  std::fprintf(stderr, "hip-remote: there is no command \"%s\"; see hip-remote --help\n", name);
  return 2;
}
