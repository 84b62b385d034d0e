// Systems on which no GPU is looked for.
#include "telemetry/source.h"

namespace hipr::telemetry {

Status openSource(SourcePtr&) {
  return Status::unsupported("the GPUs of this machine are only looked for on Linux; name a worker with --host");
}

}  // namespace hipr::telemetry
