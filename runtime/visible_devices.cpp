#include "runtime/visible_devices.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <sstream>

#include "base/env.h"

namespace hipr {

namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string uuidName(const DeviceInfo& device) {
  const char* bytes = device.props.uuid.bytes;
  return "GPU-" + std::string(bytes, strnlen(bytes, sizeof(device.props.uuid.bytes)));
}

bool equalNoCase(const std::string& a, const std::string& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::optional<int> findDevice(const DeviceRow& row, const std::vector<int>& devices, const std::string& entry) {
  if (entry.starts_with("GPU-") || entry.starts_with("gpu-")) {
    for (int index : devices)
      if (equalNoCase(uuidName(*row[index]), entry)) return index;
    return std::nullopt;
  }
  const auto position = parseNumber(entry, 0, static_cast<std::int64_t>(devices.size()) - 1);
  if (!position) return std::nullopt;
  return devices[*position];
}

}  // namespace

std::vector<int> filterDevices(const DeviceRow& row, const std::vector<int>& devices, const std::string& list) {
  std::vector<int> kept;
  std::istringstream entries(list);
  for (std::string entry; std::getline(entries, entry, ',');) {
    const auto device = findDevice(row, devices, trimmed(entry));
    if (!device) break;
    if (std::find(kept.begin(), kept.end(), *device) == kept.end()) kept.push_back(*device);
  }
  return kept;
}

std::vector<int> visibleDevices(const DeviceRow& row) {
  std::vector<int> devices(row.size());
  std::iota(devices.begin(), devices.end(), 0);
  if (const char* list = std::getenv("ROCR_VISIBLE_DEVICES")) devices = filterDevices(row, devices, list);
  std::optional<std::string> list = envText("HIP_VISIBLE_DEVICES");
  if (!list) list = envText("CUDA_VISIBLE_DEVICES");
  if (list) devices = filterDevices(row, devices, *list);
  return devices;
}

}  // namespace hipr
