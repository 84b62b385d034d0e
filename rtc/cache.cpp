#include "rtc/cache.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/env.h"
#include "code_object/gpu_code.h"
#include "platform/process.h"
#include "rtc/codec.h"

namespace hipr::rtc {

namespace fs = std::filesystem;

namespace {

// With such options the compiler says or writes something besides the code, and a result that is kept would not.
bool saysMore(const Request& request) {
  constexpr std::string_view kSuch[] = {"-print-", "-stats", "-debug", "-dump", "-save-temps", "-ftime-", "-Rpass"};
  return std::ranges::any_of(request.options, [&](std::string_view option) {
    return option == "-v" || option == "-###" || std::ranges::any_of(kSuch, [&](std::string_view such) {
             return option.find(such) != std::string_view::npos;
           });
  });
}

}  // namespace

std::string Cache::fileOf(const Request& request, std::string_view compiler) const {
  std::string all = encode(request);
  all += compiler;
  return folder_ + "/" + code::hashContent(std::as_bytes(std::span(all))).hex();
}

bool Cache::find(const Request& request, std::string_view compiler, Result& result) const {
  if (folder_.empty() || saysMore(request)) return false;
  const std::string path = fileOf(request, compiler);
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (!decode(bytes, result) || result.status != HIPRTC_SUCCESS ||
      result.lowered.size() != request.expressions.size()) {
    std::error_code ignored;
    fs::remove(path, ignored);
    return false;
  }
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return true;
}

void Cache::keep(const Request& request, std::string_view compiler, const Result& result) const {
  if (folder_.empty() || result.status != HIPRTC_SUCCESS || saysMore(request)) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  fs::permissions(folder_, fs::perms::owner_all, error);  // code that will run: nobody else writes here
  const std::string path = fileOf(request, compiler), unfinished = path + "." + std::to_string(platform::processId());
  {
    std::ofstream file(unfinished, std::ios::binary);
    const std::string bytes = encode(result);
    if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
      fs::remove(unfinished, error);
      return;
    }
  }
  fs::rename(unfinished, path, error);  // whole or not at all, whoever else writes it
  if (error) fs::remove(unfinished, error);
  trim();
}

void Cache::trim() const {
  struct File {
    fs::path path;
    fs::file_time_type used;
    std::uintmax_t size;
  };
  std::vector<File> files;
  std::uintmax_t sum = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    std::error_code gone;
    const std::uintmax_t size = entry.file_size(gone);
    const auto used = entry.last_write_time(gone);
    if (gone) continue;
    files.push_back({entry.path(), used, size});
    sum += size;
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.used < b.used; });
  for (const File& file : files) {
    if (sum <= limit_) break;
    fs::remove(file.path, error);
    sum -= file.size;
  }
}

std::string defaultCacheFolder() {
  if (const auto set = envText("HIP_REMOTE_RTC_CACHE")) return *set == "0" ? std::string() : *set;
  if (const auto cache = envText("XDG_CACHE_HOME")) return *cache + "/hip-remote/rtc";
  if (const auto home = envText("HOME")) return *home + "/.cache/hip-remote/rtc";
  if (const auto local = envText("LOCALAPPDATA")) return *local + "/hip-remote/rtc";
  return {};
}

}  // namespace hipr::rtc
