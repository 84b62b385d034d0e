// How it went: the exit code, and a line about each machine that did not answer.
#pragma once

#include "smi/options.h"
#include "smi/views.h"

namespace hipr::smi {

int exitCode(const Options& options, const Reports& reports);
void printFailures(const Reports& reports);

}  // namespace hipr::smi
