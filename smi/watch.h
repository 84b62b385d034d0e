// The live view: metrics and processes, again and again. In place on a terminal; one after the other elsewhere.
#pragma once

#include "smi/fleet.h"
#include "smi/options.h"

namespace hipr::smi {

int watch(const Options& options, Fleet& fleet);

}  // namespace hipr::smi
