// How a PCI device is named everywhere: "0000:03:00.0".
#pragma once

#include <cstdio>
#include <string>

namespace hipr::telemetry {

inline std::string pciAddress(unsigned domain, unsigned bus, unsigned device) {
  char text[40];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", domain, bus & 0xff, device & 0xff);
  return text;
}

}  // namespace hipr::telemetry
