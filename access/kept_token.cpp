#include "access/kept_token.h"

#include <filesystem>
#include <fstream>

#include "base/env.h"
#include "platform/secrets.h"

namespace hipr::access {
namespace {
namespace fs = std::filesystem;

// Nobody else can open it, not even before anything is in it: who had it open then could read it later. So it is made
// in a folder that nobody else can enter, empty until that is so.
Status writeOwn(const fs::path& path, const std::string& text) {
  std::error_code error, ignored;
  fs::create_directories(path.parent_path(), error);
  const fs::path closed = path.string() + ".new", fresh = closed / "token";
  fs::remove_all(closed, ignored);  // of a time when this was interrupted
  bool done = fs::create_directory(closed, error);
  if (done) fs::permissions(closed, fs::perms::owner_all, error);
  if (done && !error) {
    std::ofstream file(fresh);
    file << text << "\n";
    file.close();
    done = bool(file);
  }
  if (done && !error) fs::permissions(fresh, fs::perms::owner_read | fs::perms::owner_write, error);
  if (done && !error) fs::rename(fresh, path, error);
  fs::remove_all(closed, ignored);
  return done && !error ? Status{} : Status::invalid("cannot write " + path.string());
}

}  // namespace

std::string configurationFolder() {
  for (const char* name : {"XDG_CONFIG_HOME", "APPDATA"})
    if (const auto folder = envText(name)) return *folder + "/hip-remote";
  const auto home = envText("HOME");
  return home ? *home + "/.config/hip-remote" : "";
}

std::string keptTokenFile(const net::Endpoint& worker) {
  const std::string folder = configurationFolder();
  if (folder.empty()) return "";
  std::string name = worker.host;
  for (char& c : name)
    if (c == '/' || c == '\\' || c == ':') c = '_';
  return folder + "/workers/" + name + "@" + std::to_string(worker.port);
}

Status keepToken(const net::Endpoint& worker, const std::string& token, std::string& path) {
  path = keptTokenFile(worker);
  if (path.empty()) return Status::notFound("there is no home directory to keep the token in");
  return writeOwn(path, token);
}

Status makeTokenFile(const std::string& path) {
  std::error_code error;
  if (path.empty()) return Status::notFound("there is no home directory to keep a token in; name a --token-file");
  if (fs::exists(path, error)) return {};
  unsigned char bytes[32];
  platform::randomBytes(bytes);
  std::string text;
  for (const unsigned char byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return writeOwn(path, text);
}

}  // namespace hipr::access
