#include "client/options.h"

#include "base/env.h"
#include "wire/frame.h"

namespace hipr::client {

Status readOptions(Options& out) {
  const auto port = static_cast<std::uint16_t>(envNumber("TF_WORKER_PORT", wire::kDefaultPort, 1, 65535));
  const std::string host = envText("TF_WORKER_HOST").value_or("localhost");
  if (Status status = net::parseEndpoint(host, port, out.worker); !status.ok()) return status.within("TF_WORKER_HOST");
  out.connectTimeout = static_cast<int>(envNumber("TF_CONNECT_TIMEOUT", 30, 1, 3600));
  out.ioTimeout = static_cast<int>(envNumber("TF_IO_TIMEOUT", 60, 1, 86400));
  out.statsFile = envText("HIP_REMOTE_STATS").value_or("");
  return {};
}

}  // namespace hipr::client
