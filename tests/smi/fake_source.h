// A telemetry source for the libraries under test: two GPUs, of which the first tells everything and the second
// nothing.
#pragma once

#include "telemetry/source.h"

namespace hipr::smi {

struct FakeWorker {
  bool reachable = true;
  bool readable = true;
  int opened = 0, reads = 0, lists = 0;
};
FakeWorker& fakeWorker();

telemetry::SourcePtr fakeSource();

}  // namespace hipr::smi
