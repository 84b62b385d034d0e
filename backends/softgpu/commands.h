// Operations as commands that have no place in a stream yet.
#pragma once

#include "backends/softgpu/command.h"
#include "runtime/operation.h"

namespace hipr::softgpu {

class Device;

CommandPtr copyCommand(Device& device, const Copy& copy);
CommandPtr fillCommand(Device& device, const Fill& fill);
hipError_t launchCommand(Device& device, const Launch& launch, CommandPtr& out);
CommandPtr hostCommand(const HostFunction& function);
CommandPtr recordCommand(const Record& record);  // the event is now what this command reaches
CommandPtr waitCommand(const Wait& wait);
CommandPtr wordCommand(Device& device, const WordSteps& steps);

}  // namespace hipr::softgpu
