// hip-compile: compiles what it reads and writes what came of it. Started by a worker that was told to compile, once
// for each program.
#include "base/log.h"
#include "worker/compile_process.h"

int main() {
  hipr::setLogName("hip-compile");
  return hipr::worker::serveOneRequest();
}
