// What is known about a kernel on its device, by HIP's numbers.
#pragma once

#include "runtime/objects.h"

namespace hipr {

// Shared memory per block that the kernel's own does not take.
int availableShared(const Function& function);

hipError_t functionAttribute(const Function& function, hipFunction_attribute attribute, int& value);

// The most shared memory a launch may add, when the program has set a limit that launches must keep to; else -1.
int sharedLimit(const Function& function);

}  // namespace hipr
