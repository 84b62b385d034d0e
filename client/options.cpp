#include "client/options.h"

#include "base/env.h"
#include "wire/frame.h"

namespace hipr::client {
namespace {

constexpr std::size_t kMostWorkers = 64;  // whose devices make one row
constexpr int kConnectTimeout = 30;
constexpr int kSchedulingTimeout = 300;  // a worker that TensorFusion starts for us takes its time
constexpr const char* kTokenFile = "/var/run/secrets/kubernetes.io/serviceaccount/token";

Status readNearness(Nearness& out) {
  const std::string text = envText("HIP_REMOTE_TRANSPORT").value_or("auto");
  if (text == "auto") {
    out = Nearness::kWherePossible;
  } else if (text == "shm") {
    out = Nearness::kShared;
  } else if (text == "tcp") {
    out = Nearness::kNever;
  } else if (text == "ucx") {
    out = Nearness::kUcx;
  } else {
    return Status::invalid("HIP_REMOTE_TRANSPORT is auto, shm, tcp or ucx, not \"" + text + "\"");
  }
  return {};
}

// A thing that is done where it pays, always or never.
Status readWhen(const char* name, net::When& out) {
  const std::string text = envText(name).value_or("auto");
  if (text != "auto" && text != "on" && text != "off")
    return Status::invalid(std::string(name) + " is auto, on or off, not \"" + text + "\"");
  out = text == "on" ? net::When::kAlways : text == "off" ? net::When::kNever : net::When::kWhereItPays;
  return {};
}

}  // namespace

Status readOptions(Options& out) {
  const auto port = static_cast<std::uint16_t>(envNumber("TF_WORKER_PORT", wire::kDefaultPort, 1, 65535));
  const auto host = envText("TF_WORKER_HOST");
  if (!host) {
    out.tensorFusion.connection = envText("TENSOR_FUSION_OPERATOR_CONNECTION_INFO").value_or("");
    out.tensorFusion.operatorUrl = envText("TENSOR_FUSION_OPERATOR_GET_CONNECTION_URL").value_or("");
    out.tensorFusion.tokenFile = envText("HIP_REMOTE_SERVICE_ACCOUNT_TOKEN").value_or(kTokenFile);
  }
  if (Status status = net::parseEndpoints(host.value_or("localhost"), port, out.workers); !status.ok()) {
    return status.within("TF_WORKER_HOST");
  }
  const std::string how = envText("HIP_REMOTE_WORKERS").value_or("any");
  if (how != "any" && how != "all")
    return Status::invalid("HIP_REMOTE_WORKERS must be any or all, not \"" + how + "\"");
  out.all = how == "all";
  if (out.all && out.workers.size() > kMostWorkers)
    return Status::invalid("HIP_REMOTE_WORKERS=all: at most " + std::to_string(kMostWorkers) + " workers");
  const int patience = out.tensorFusion.asked() ? kSchedulingTimeout : kConnectTimeout;
  out.connectTimeout = static_cast<int>(envNumber("TF_CONNECT_TIMEOUT", patience, 1, 3600));
  out.ioTimeout = static_cast<int>(envNumber("TF_IO_TIMEOUT", 60, 1, 86400));
  out.waitForRoom = static_cast<int>(envNumber("HIP_REMOTE_WAIT", 0, 0, 7 * 86400));
  out.resume = envNumber("HIP_REMOTE_RESUME", 1, 0, 1) != 0;
  if (Status status = readNearness(out.nearness); !status.ok()) return status;
  if (Status status = readWhen("HIP_REMOTE_DATA_CACHE", out.naming); !status.ok()) return status;
  if (Status status = readWhen("HIP_REMOTE_COMPRESS", out.packing); !status.ok()) return status;
  if (Status status = readWhen("HIP_REMOTE_LANES", out.lanes); !status.ok()) return status;
  const std::string sync = envText("HIP_REMOTE_SYNC").value_or("exact");
  if (sync != "exact" && sync != "lazy")
    return Status::invalid("HIP_REMOTE_SYNC is exact or lazy, not \"" + sync + "\"");
  out.lazy = sync == "lazy" && !envFlag("HIP_LAUNCH_BLOCKING");  // whoever sets that wants to wait
  out.statsFile = envText("HIP_REMOTE_STATS").value_or("");
  return {};
}

std::string Options::workerName() const {
  if (tensorFusion.asked()) return "the address that TensorFusion gives";
  std::string names;
  for (const net::Endpoint& worker : workers) names += (names.empty() ? "" : ", ") + worker.name();
  return names;
}

}  // namespace hipr::client
