// A kernel launch: builds what the kernel finds when it starts (argument segment, dispatch packet), gives it to the
// processor in stream order, and turns a fault into the error HIP reports.
#include <algorithm>
#include <cstring>

#include "backends/softgpu/commands.h"
#include "backends/softgpu/core.h"
#include "backends/softgpu/device_services.h"
#include "backends/softgpu/isa/packet.h"
#include "backends/softgpu/launch_pool.h"
#include "backends/softgpu/module.h"
#include "backends/softgpu/state.h"
#include "backends/softgpu/stream.h"
#include "base/log.h"
#include "code_object/kernarg.h"
#include "runtime/async_error.h"

namespace hipr::softgpu {
namespace {

// Kernels with a stack of unknown depth get at least this much, whatever hipLimitStackSize says.
constexpr std::size_t kLeastStack = std::size_t{16} << 10;
// Bytes of arguments besides those that a program passes; compilers add 256.
constexpr std::size_t kMostHidden = 4096;

hipError_t errorOf(const Fault& fault, Device& device) {
  switch (fault.kind) {
    case FaultKind::kMemory:
      return hipErrorIllegalAddress;
    case FaultKind::kWatchdog:
      return hipErrorLaunchTimeOut;
    case FaultKind::kResources:
      return hipErrorLaunchOutOfResources;
    case FaultKind::kTrap:
      return device.services->takeAssertion() ? hipErrorAssert : hipErrorLaunchFailure;
    case FaultKind::kIllegalInstruction:
      return hipErrorLaunchFailure;
  }
  return hipErrorUnknown;
}

// What a launch needs until its kernel is done.
struct LaunchMemory {
  LaunchPool::Block arguments;
  LaunchPool::Block printf;
  std::function<void()> print;
  bool nothingToRun = false;  // an empty kernel is done whatever its grid, which may have billions of groups
};

class KernelRun : public Command {
 public:
  KernelRun(Device& device, Dispatch dispatch, LaunchMemory memory)
      : device_(device), dispatch_(std::move(dispatch)), memory_(std::move(memory)) {}

 protected:
  void start(Starter) override {
    if (memory_.nothingToRun || device_.skipsWork()) return end();
    device_.meter.kernelStarted();
    device_.executor().submit(std::move(dispatch_), [self = std::static_pointer_cast<KernelRun>(shared_from_this())](
                                                        std::optional<Fault> fault) { self->ended(fault); });
  }

 private:
  void ended(const std::optional<Fault>& fault) {
    device_.meter.kernelEnded();
    if (memory_.print) memory_.print();
    if (fault && !device_.abandoning()) {
      const hipError_t error = errorOf(*fault, device_);
      device_.fail(error);
      raiseAsyncError(*state().core.load(std::memory_order_relaxed), error, fault->text);
    }
    end();
  }
  void end() {
    memory_ = {};
    finish();
  }

  Device& device_;
  Dispatch dispatch_;
  LaunchMemory memory_;
};

code::HiddenValues hiddenValues(const Launch& launch, const LoadedKernel& kernel, DeviceServices& services) {
  code::HiddenValues values = code::HiddenValues::forGrid({launch.threads.x, launch.threads.y, launch.threads.z},
                                                          {launch.block.x, launch.block.y, launch.block.z});
  values.gridDims = 3;
  values.dynamicLdsSize = launch.sharedBytes;
  values.privateBase = kPrivateBase;
  values.sharedBase = kSharedBase;
  values.multigridSyncArg = launch.cooperative ? 1 : 0;  // "one grid, all resident": not a pointer
  if (kernel.wantsHostcalls) values.hostcallBuffer = services.hostcallBuffer();
  if (kernel.wantsHeap) values.heapV1 = services.heap();
  if (kernel.wantsQueue) values.queuePtr = values.defaultQueue = services.queue();
  return values;
}

// Fills the argument segment and, behind it, the dispatch packet.
hipError_t prepare(const Launch& launch, Device& device, LoadedModule& module, LaunchMemory& memory,
                   Dispatch& dispatch) {
  const auto& kernel = static_cast<const code::Kernel&>(*launch.function->kernel);  // it runs nothing but AMD's
  const LoadedKernel& loaded = module.kernel(kernel);
  const std::size_t size =
      std::max<std::size_t>({kernel.metadata.kernargSize, launch.arguments.size(), kernel.descriptor.kernargSize});
  const std::size_t packetAt = roundUp(size, 64);
  // What nobody passes: launches that wait would fill the machine with it, each by a message of a few bytes.
  const std::size_t passed =
      std::max<std::size_t>(launch.arguments.size(), kernel.metadata.args.empty() ? kernel.metadata.kernargSize : 0);
  if (size > passed + kMostHidden || packetAt + sizeof(DispatchPacket) > LaunchPool::kMaxBlock)
    return hipErrorInvalidValue;
  memory.arguments = device.launches->take(packetAt + sizeof(DispatchPacket));
  if (!memory.arguments) return hipErrorOutOfMemory;

  code::HiddenValues hidden = hiddenValues(launch, loaded, *device.services);
  if (loaded.wantsPrintfBuffer) {
    memory.printf = device.launches->take(std::clamp<std::size_t>(device.printfBytes, 4096, LaunchPool::kMaxBlock));
    if (!memory.printf) return hipErrorOutOfMemory;
    memory.print =
        device.services->bufferedPrintf({memory.printf.begin(), memory.printf.size()}, module.object->printfFormats());
    hidden.printfBuffer = reinterpret_cast<std::uint64_t>(memory.printf.begin());
  }
  const std::span<std::byte> kernarg(memory.arguments.begin(), size);
  std::copy(launch.arguments.begin(), launch.arguments.end(), kernarg.begin());
  std::fill(kernarg.begin() + static_cast<std::ptrdiff_t>(launch.arguments.size()), kernarg.end(), std::byte{0});
  if (const Status status = code::fillHidden(kernel.metadata, hidden, kernarg); !status.ok()) {
    logError("softgpu: kernel %s: %s", kernel.metadata.name.c_str(), status.message().c_str());
    return hipErrorInvalidImage;
  }

  memory.nothingToRun = loaded.empty;
  dispatch.kernel = loaded.code;
  dispatch.groupSize = {launch.block.x, launch.block.y, launch.block.z};
  dispatch.gridSize = {launch.threads.x, launch.threads.y, launch.threads.z};
  dispatch.dynamicLdsBytes = launch.sharedBytes;
  dispatch.privateBytes = std::max(kernel.metadata.privateFixedSize, kernel.descriptor.privateFixedSize);
  if (kernel.metadata.usesDynamicStack || kernel.descriptor.usesDynamicStack())
    dispatch.privateBytes += static_cast<std::uint32_t>(std::max<std::size_t>(device.stackBytes, kLeastStack));
  dispatch.kernarg = reinterpret_cast<std::uint64_t>(kernarg.data());
  dispatch.dispatchPacket = dispatch.kernarg + packetAt;
  dispatch.queue = hidden.queuePtr;
  dispatch.dispatchId = device.nextDispatch.fetch_add(1, std::memory_order_relaxed);
  dispatch.cooperative = launch.cooperative;
  dispatch.watchdogMilliseconds = device.watchdogMilliseconds;

  DispatchPacket packet;
  for (int i = 0; i < 3; ++i) {
    packet.groupSize[i] = static_cast<std::uint16_t>(dispatch.groupSize[i]);
    packet.gridSize[i] = dispatch.gridSize[i];
  }
  packet.privateBytes = dispatch.privateBytes;
  packet.groupBytes = kernel.descriptor.groupFixedSize + launch.sharedBytes;
  packet.kernelObject = module.image.address() + kernel.descriptorAddress;
  packet.kernarg = dispatch.kernarg;
  std::memcpy(memory.arguments.begin() + packetAt, &packet, sizeof packet);
  return hipSuccess;
}

}  // namespace

hipError_t launchCommand(Device& device, const Launch& launch, CommandPtr& out) {
  LaunchMemory memory;
  Dispatch dispatch;
  LoadedModule& module = loadedOf(*launch.function->module);
  if (const hipError_t error = prepare(launch, device, module, memory, dispatch); error != hipSuccess) return error;
  out = std::make_shared<KernelRun>(device, std::move(dispatch), std::move(memory));
  return hipSuccess;
}

hipError_t SoftgpuCore::perform(const Launch& launch, Stream& stream, Stage until) {
  Device& device = state().device(stream.device);
  if (device.failure() != hipSuccess) return device.failure();
  CommandPtr command;
  if (const hipError_t error = launchCommand(device, launch, command); error != hipSuccess) return error;
  if (launch.start != nullptr) perform(Record{launch.start}, stream, until);
  queueOf(stream).submit(command);
  if (launch.stop != nullptr) perform(Record{launch.stop}, stream, until);
  return hipSuccess;
}

}  // namespace hipr::softgpu
