#include "provider/identity.h"

#include <fstream>
#include <set>

namespace hipr::provider {
namespace {

constexpr std::size_t kLongest = 63;

bool plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

std::string cleaned(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    out += plain(c) ? c : '-';
  }
  return out;
}

// Unique across nodes and the same after a restart; only used where a GPU has neither UUID nor serial number.
std::string machineId() {
  std::string id;
  for (const char* path : {"/etc/machine-id", "/var/lib/dbus/machine-id", "/proc/sys/kernel/hostname"}) {
    std::ifstream file(path);
    if (file >> id) break;
  }
  return id.substr(0, 32);
}

std::string fitted(std::string name) {
  if (name.size() > kLongest) name.resize(kLongest);
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name;
}

}  // namespace

bool fitName(const std::string& name) {
  if (name.empty() || name.size() > kLongest || !plain(name.front()) || !plain(name.back())) return false;
  for (const char c : name) {
    if (!plain(c) && c != '-') return false;
  }
  return name.rfind("gpu-", 0) != 0;
}

std::vector<std::string> deviceNames(const std::vector<telemetry::Gpu>& gpus) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const telemetry::Gpu& gpu : gpus) {
    std::string name = gpu.uuid;
    if (!fitName(name)) {
      const std::string& known = !gpu.uuid.empty() ? gpu.uuid : gpu.serial;
      name = fitted("amd-" + cleaned(known.empty() ? machineId() + "-" + gpu.bdf : known));
    }
    // Parts of one GPU may carry one serial number; what tells them apart is where they are.
    for (int extra = 0; !taken.insert(name).second; ++extra) {
      const std::string suffix = "-" + (extra ? std::to_string(extra) : cleaned(gpu.bdf));
      name = fitted(name.substr(0, kLongest - suffix.size()) + suffix);
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace hipr::provider
