// What the names in a libamdhip64 say about its ABI, and the ABI of one in a file.
#pragma once

#include <cstring>

namespace hipr::preload {

inline constexpr char kSoname[] = "libamdhip64.so";
inline constexpr std::size_t kSonameSize = sizeof kSoname - 1;

inline bool isHip(const char* soname) {
  return std::strncmp(soname, kSoname, kSonameSize) == 0;
}

// 5, 6 or 7 after "libamdhip64.so."; 0 for anything else. REQUIRES: isHip(soname).
inline int numberOf(const char* soname) {
  const char* number = soname + kSonameSize;
  return number[0] == '.' && number[1] >= '5' && number[1] <= '7' && number[2] == 0 ? number[1] - '0' : 0;
}

// A symbol version: "hip_6.2" is 6; 0 for anything else.
inline int majorOf(const char* node) {
  return std::strncmp(node, "hip_", 4) == 0 && node[4] >= '1' && node[4] <= '9' ? node[4] - '0' : 0;
}

int abiOfFile(const char* path);  // by its soname, else by its newest symbol version; 0: not a libamdhip64

}  // namespace hipr::preload
