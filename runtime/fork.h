// fork(): the child inherits memory but neither the threads nor the connection behind it.
#pragma once

#include <mutex>

namespace hipr {

// Serialises opening. Kept here because a child may inherit it locked by a thread it does not have.
std::mutex& openMutex();

// Guards what outlives a fork: the registry of kernels and variables. Held across the fork itself.
std::mutex& registryMutex();

}  // namespace hipr
