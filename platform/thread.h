// What std::thread lacks, and where std::atomic's waiting cannot be had.
#pragma once

#include <atomic>
#include <cstdint>

namespace hipr::platform {

void nameThisThread(const char* name);  // for debuggers; at most 15 characters are kept everywhere
std::uint64_t threadId();               // the system's number of the calling thread

// Returns when the word has another value; whoever changes it calls wakeOne() afterwards. As std::atomic::wait(), which
// for Windows libstdc++ makes of a condition variable and which misses a change that comes before it sleeps.
void waitWhile(const std::atomic<int>& word, int value);
void wakeOne(std::atomic<int>& word);

}  // namespace hipr::platform
