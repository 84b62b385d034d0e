#include "amdsmi/live.h"
#include "base/log.h"
#include "telemetry/remote.h"

namespace hipr::smi {

Status openWorker(telemetry::SourcePtr& source) {
  telemetry::RemoteOptions options;
  Status status = telemetry::remoteOptionsFromEnvironment(options);
  if (status.ok()) status = telemetry::openRemote(options, source);
  if (!status.ok())
    logError("no telemetry from worker %s:%d: %s", options.worker.host.c_str(), options.worker.port,
             status.message().c_str());
  return status;
}

}  // namespace hipr::smi
