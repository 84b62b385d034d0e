// Systems for which there is no ROCm to stand in for.
#include "cli/surroundings.h"

namespace hipr::cli {

void surround(const Target&, const std::string&, const std::string&) {}

}  // namespace hipr::cli
