// Compiling in a process of its own, hip-compile: what it takes, uses up or does wrong is not ours. The request and the
// result travel through pipes. It has limited time and memory, no other descriptors of ours, and a folder of its own
// that is removed afterwards.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace hipr::worker {

// The encoded result, or nothing when the process failed or `over` said so. Waits.
std::string compileInProcess(const std::string& program, std::string_view request, const std::function<bool()>& over);

// hip-compile beside the program that is running; empty when there is none.
std::string compileProgram();

// The other end: hip-compile's main.
int serveOneRequest();

}  // namespace hipr::worker
