#include "platform/view.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

namespace hipr::platform {
namespace fs = std::filesystem;
namespace {

using Files = std::map<std::string, std::string>;

std::string reason(const std::string& what) {
  return what + ": " + std::strerror(errno);
}

bool writeFile(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  return static_cast<bool>(file.flush());
}

// A mount namespace of our own. Root needs no more; everybody else becomes root of a user namespace that knows one
// user.
std::string enter() {
  const unsigned user = geteuid(), group = getegid();
  if (unshare(CLONE_NEWNS) != 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return reason("no namespace of its own");
    const auto onlyItself = [](unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1\n"; };
    if (!writeFile("/proc/self/setgroups", "deny") || !writeFile("/proc/self/uid_map", onlyItself(user)) ||
        !writeFile("/proc/self/gid_map", onlyItself(group)))
      return reason("no identity in a user namespace");
  }
  return "";
}

// What is mounted on `folder` from now on stays in our namespace. The mount that has the folder in it decides that, and
// its path is the one, going up, that can be changed: in a chroot often not the root folder, which is just a folder
// there.
std::string keepToOurselves(const fs::path& wanted) {
  fs::path folder = wanted;
  while (mount(nullptr, folder.c_str(), nullptr, MS_SLAVE, nullptr) != 0) {
    if (errno != EINVAL) return reason("mounts cannot be made private");
    if (folder == folder.parent_path())
      return wanted.string() + " is on a mount from outside this chroot; mount /sys in the chroot";
    folder = folder.parent_path();
  }
  return "";
}

// Covers `folder` with an empty one in which everything that was in it is found again.
std::string cover(const fs::path& folder) {
  const int before = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (before < 0) return reason(folder.string());
  const fs::path old = "/proc/self/fd/" + std::to_string(before);
  std::error_code error;
  std::vector<fs::directory_entry> entries(fs::directory_iterator(old, error), {});
  std::string why;
  if (error) why = old.string() + ": " + error.message();
  if (why.empty() && mount("tmpfs", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=755") != 0)
    why = reason("no tmpfs on " + folder.string());
  for (const fs::directory_entry& entry : entries) {
    if (!why.empty()) break;
    const fs::path place = folder / entry.path().filename();
    if (entry.is_symlink(error)) {
      fs::create_symlink(fs::read_symlink(entry.path(), error), place, error);
      continue;
    }
    if (entry.is_directory(error))
      fs::create_directory(place, error);
    else
      writeFile(place, "");
    if (mount(entry.path().c_str(), place.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0)
      why = reason("cannot show " + place.string());
  }
  close(before);
  return why;
}

std::string show(const fs::path& place, const Files& files) {
  if (std::string why = enter(); !why.empty()) return why;
  fs::path existing = place;
  std::error_code error;
  while (!fs::is_directory(existing, error)) existing = existing.parent_path();
  if (existing == "/") return place.string() + " would have to be made in the root folder";
  if (std::string why = keepToOurselves(existing); !why.empty()) return why;
  if (std::string why = cover(existing); !why.empty()) return why;
  for (const auto& [name, text] : files) {
    const fs::path file = place / name;
    fs::create_directories(file.parent_path(), error);
    if (!writeFile(file, text)) return "cannot write " + file.string();
  }
  return "";
}

}  // namespace

// A namespace cannot be left again, so a child tries first.
std::string addToView(const std::string& place, const Files& files) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return reason("pipe");
  const pid_t child = fork();
  if (child < 0) return reason("fork");
  if (child == 0) {
    const std::string why = show(place, files);
    if (write(ends[1], why.data(), why.size()) < 0) _exit(2);
    _exit(why.empty() ? 0 : 1);
  }
  close(ends[1]);
  std::string why(512, '\0');
  const ssize_t size = read(ends[0], why.data(), why.size());
  why.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) return why.empty() ? "it was not allowed" : why;
  return show(place, files);
}

}  // namespace hipr::platform
