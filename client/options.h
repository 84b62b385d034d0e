// What the environment says about the worker to use.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "net/shortcut.h"
#include "net/socket.h"

namespace hipr::client {

// What TensorFusion puts into the environment of its pods. Does not count where TF_WORKER_HOST is set.
struct TensorFusion {
  std::string connection;   // TENSOR_FUSION_OPERATOR_CONNECTION_INFO: the worker
  std::string operatorUrl;  // TENSOR_FUSION_OPERATOR_GET_CONNECTION_URL: who knows the worker
  std::string tokenFile;    // who we are (HIP_REMOTE_SERVICE_ACCOUNT_TOKEN; default: where Kubernetes puts it)
  bool asked() const { return !connection.empty() || !operatorUrl.empty(); }
};

// HIP_REMOTE_TRANSPORT: auto, shm, tcp, ucx.
enum class Nearness {
  kWherePossible,  // a worker on the same machine shares memory with us
  kShared,         // and nothing else will do
  kNever,          // bytes travel over a socket, also within a machine
  kUcx,            // over UCX (ucx.h)
};

struct Options {
  std::vector<net::Endpoint> workers;  // any of them: the first that has room; or all, each with a core of its own
  bool all = false;                    // HIP_REMOTE_WORKERS=all
  TensorFusion tensorFusion;
  int connectTimeout = 30;  // seconds
  int ioTimeout = 60;
  int waitForRoom = 0;  // HIP_REMOTE_WAIT: seconds, when every worker that answers is full
  Nearness nearness = Nearness::kWherePossible;
  net::When naming = net::When::kWhereItPays;   // HIP_REMOTE_DATA_CACHE
  net::When packing = net::When::kWhereItPays;  // HIP_REMOTE_COMPRESS
  net::When lanes = net::When::kWhereItPays;    // HIP_REMOTE_LANES
  bool lazy = false;      // HIP_REMOTE_SYNC=lazy: a synchronization waits only where somebody could tell
  bool resume = true;     // HIP_REMOTE_RESUME=0: a broken connection is the end of the session
  std::string statsFile;  // HIP_REMOTE_STATS: one line of counters is appended here at exit

  std::string workerName() const;  // for messages
};

Status readOptions(Options& out);

}  // namespace hipr::client
