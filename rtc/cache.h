// Cache: results of compilations by content of what was compiled and by whom, in the user's cache folder. It never
// fails: what cannot be kept or read is compiled again. Bounded: what was used longest ago goes first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rtc/request.h"

namespace hipr::rtc {

class Cache {
 public:
  static constexpr std::uint64_t kLimit = 256 << 20;  // bytes of all results together

  // An empty folder keeps nothing.
  explicit Cache(std::string folder, std::uint64_t limit = kLimit) : folder_(std::move(folder)), limit_(limit) {}

  bool find(const Request& request, std::string_view compiler, Result& result) const;
  void keep(const Request& request, std::string_view compiler, const Result& result) const;

 private:
  std::string fileOf(const Request& request, std::string_view compiler) const;
  void trim() const;

  const std::string folder_;
  const std::uint64_t limit_;
};

// hip-remote/rtc in the user's cache; empty when there is no home, or HIP_REMOTE_RTC_CACHE=0.
std::string defaultCacheFolder();

}  // namespace hipr::rtc
