// Which folders of the host the containers of workers get.
#include <sys/stat.h>

#include "base/env.h"
#include "provider/provider.h"
#include "provider/text.h"

namespace hipr::provider {
namespace {

bool isFolder(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

AccelResult vendorMounts(MountPath* out, std::size_t max, std::size_t* count) {
  if (!out || !max || !count) return kInvalidParam;
  *count = 0;
  const std::string root = envText("ROCM_PATH").value_or("/opt/rocm");
  for (const std::string folder : {"/lib", "/bin"}) {
    if (*count == max || !isFolder(root + folder)) continue;
    MountPath& mount = out[(*count)++];
    setText(mount.hostPath, root + folder);
    setText(mount.guestPath, "/usr/local/rocm" + folder);
  }
  return *count ? kSuccess : kNotFound;
}

}  // namespace hipr::provider
