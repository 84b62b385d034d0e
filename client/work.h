// Turns operations into the messages that carry them. The messages either travel now (copy.cpp, launch.cpp) or are kept
// by the worker as steps of a graph (graph.cpp). The caller fills in the stream.
#pragma once

#include "client/session.h"
#include "runtime/operation.h"

namespace hipr::client {

// Device memory, and host memory that kernels know of: the worker's copy counts.
bool isThere(Session& s, const Plane& plane);
bool isThere(Session& s, const Fill& fill);
bool isThere(const WordSteps& steps);  // all in device memory
bool waits(const WordSteps& steps);

void introduce(Session& s, Function& function);  // to the worker, when it is first used

// REQUIRES: everything they name is there, and the function has been introduced.
wire::Shape shapeThere(Session& s, const Plane& plane, const Copy& copy);  // one side of it
wire::DeviceCopy copyMessage(Session& s, const Copy& copy);
bool namesArray(const Copy& copy);
wire::ArrayCopy arrayCopyMessage(Session& s, const Copy& copy);  // REQUIRES: besides, it does
wire::FillMemory fillMessage(Session& s, const Fill& fill);
wire::LaunchKernel launchMessage(const Launch& launch);
wire::WordSteps wordMessage(const WordSteps& steps);

}  // namespace hipr::client
