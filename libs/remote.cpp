// libamdhip64 for a GPU that is somewhere else: each of its cores is a worker.
#include "client/remote_core.h"

const std::vector<hipr::Core*>& hipr::cores() {
  static const auto* row = new std::vector(client::remoteCores());  // never destroyed: calls may come at exit
  return *row;
}
