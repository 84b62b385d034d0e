// The telemetry source over AMD's own library, taken apart so that tests can give it a library of their own.
#pragma once

#include <string>

#include "telemetry/source.h"

namespace hipr::telemetry::amdsmi {

// As openAmdSmi, with the library at `path` and no other.
Status open(const std::string& path, SourcePtr& source);

// A label for a GPU that stays the same across restarts: the library's own, if it is made from a serial number, else
// one made of this machine and the GPU's place in it.
std::string label(const std::string& libraryUuid, const std::string& serial, const std::string& bdf);

}  // namespace hipr::telemetry::amdsmi
