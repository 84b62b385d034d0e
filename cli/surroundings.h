// What programs look for besides HIP, and what a machine without a GPU does not have: libraries of ROCm (standins/),
// its commands, the files of AMD's driver.
#pragma once

#include <string>

#include "cli/commands.h"

namespace hipr::cli {

// Gives it to the program that this process is about to become. What the machine or the program's packages have is left
// as it is. `folder` is that of our libraries. Where something cannot be given, a line says so; the program starts
// anyway.
void surround(const Target& target, const std::string& program, const std::string& folder);

}  // namespace hipr::cli
