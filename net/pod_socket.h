// For a worker within the pod of its client, as TensorFusion starts it for pods on the GPU's own node. Both see the
// same folder /dev/shm and are given the same name. They meet at a unix socket of that name there, over which they
// share memory.
#pragma once

#include <string>

namespace hipr::net {

// Empty: of what cannot be the name of a file there.
inline std::string podSocket(const std::string& name) {
  if (name.empty() || name.find('/') != std::string::npos) return "";
  return "/dev/shm/" + name + ".hip-remote";
}

}  // namespace hipr::net
