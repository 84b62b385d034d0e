// A libamd_smi that is on the attacker's side: what a stranger could do who has taken the telemetry service over. It
// has one GPU, whose name tells what came of each deed: "1=13 2=0 ...", 0 when it worked, else errno.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "amdsmi/types_26.h"
#include "tests/e2e/hostile_deeds.h"

#define EXPORT extern "C" [[gnu::visibility("default")]] std::uint32_t

namespace {

using hipr::Deed;

int gpu = 0;

bool filtered() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (int mode = 0; word == "Seccomp:" && status >> mode) return mode == 2;
  return false;
}

// What would be the end of this process or stop the supervisor if it worked is left out where it would.
bool sparesUs(Deed deed) {
  if (deed == Deed::kExec || deed == Deed::kWriteOwnTmp) return false;
  return filtered() || (deed != Deed::kTraceSupervisor && deed != Deed::kUserNamespace);
}

std::string outcomes() {
  std::string out;
  for (int deed = 1; deed <= static_cast<int>(Deed::kLast); ++deed) {
    const auto it = static_cast<Deed>(deed);
    if (!sparesUs(it)) continue;
    out += std::to_string(deed) + "=" + std::to_string(hipr::attempt(it)) + " ";
  }
  return out;
}

std::uint32_t one(std::uint32_t* count, void** out) {
  if (out) *out = &gpu;
  *count = 1;
  return 0;
}

}  // namespace

EXPORT amdsmi_init(std::uint64_t) {
  return 0;
}
EXPORT amdsmi_shut_down() {
  return 0;
}
EXPORT amdsmi_get_lib_version(hipr::smi::Version* version) {
  *version = {{26, 0, 0, 0}, "hostile"};
  return 0;
}
EXPORT amdsmi_get_socket_handles(std::uint32_t* count, void** out) {
  return one(count, out);
}
EXPORT amdsmi_get_processor_handles(void*, std::uint32_t* count, void** out) {
  return one(count, out);
}
EXPORT amdsmi_get_processor_type(void*, std::uint32_t* type) {
  *type = 1;
  return 0;
}
EXPORT amdsmi_get_gpu_asic_info(void*, hipr::smi::abi26::Asic* asic) {
  std::memset(asic, 0, sizeof *asic);
  std::snprintf(asic->name, sizeof asic->name, "%s", outcomes().c_str());
  return 0;
}
