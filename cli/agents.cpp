// What ROCm's rocminfo and rocm_agent_enumerator say, of the GPUs of the worker: theirs want a driver on this machine.
#include <cstdio>
#include <cstring>
#include <vector>

#include "cli/commands.h"
#include "telemetry/target.h"

namespace hipr::cli {
namespace {

// The GPUs a program sees; false after an error has been printed.
bool listGpus(const char* command, std::vector<telemetry::Gpu>& out) {
  telemetry::SourcePtr source;
  useKeptToken();
  if (const Status status = telemetry::openTarget(source); !status.ok()) {
    std::fprintf(stderr, "%s: %s\n", command, status.message().c_str());
    return false;
  }
  for (const std::size_t i : telemetry::inOrderOfHip(source->gpus())) out.push_back(source->gpus()[i]);
  return true;
}

void line(const char* name, const std::string& value) {
  std::printf("  %-25s%s\n", name, value.c_str());
}

void agent(int number) {
  std::printf("*******\nAgent %d\n*******\n", number);
}

}  // namespace

int rocminfo(Arguments) {
  std::vector<telemetry::Gpu> gpus;
  if (!listGpus("rocminfo", gpus)) return 1;
  std::printf("hip-remote: the GPUs are somewhere else; there is no driver on this machine\n");
  std::printf("=====================\nHSA System Attributes\n=====================\n");
  std::printf("==========\nHSA Agents\n==========\n");
  agent(1);
  line("Name:", "CPU");
  line("Device Type:", "CPU");
  int number = 2;
  for (const telemetry::Gpu& gpu : gpus) {
    agent(number++);
    line("Name:", gpu.target);
    line("Uuid:", gpu.uuid);
    line("Marketing Name:", gpu.name);
    line("Vendor Name:", gpu.vendor);
    line("Device Type:", "GPU");
    if (gpu.computeUnits) line("Compute Unit:", std::to_string(*gpu.computeUnits));
    if (gpu.maxEngineMHz) line("Max Clock Freq. (MHz):", std::to_string(*gpu.maxEngineMHz));
    line("Memory Size (KB):", std::to_string(gpu.memoryBytes >> 10));
    line("ISA Info:", "");
    line("  Name:", "amdgcn-amd-amdhsa--" + gpu.target);
  }
  std::printf("*** Done ***\n");
  return 0;
}

// Options choose between forms that are one here: -name, -t GPU, -v.
int agentEnumerator(Arguments arguments) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i)
    if (!std::strcmp(arguments[i], "-t") && !std::strcmp(arguments[i + 1], "CPU")) return 0;
  std::vector<telemetry::Gpu> gpus;
  if (!listGpus("rocm_agent_enumerator", gpus)) return 1;
  for (const telemetry::Gpu& gpu : gpus) std::printf("%s\n", gpu.target.c_str());
  return 0;
}

}  // namespace hipr::cli
