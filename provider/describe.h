// From what telemetry knows to what the hypervisor reads. Fields of which nothing is known stay zero, texts empty.
#pragma once

#include <string>

#include "provider/accelerator.h"
#include "provider/text.h"
#include "provider/tflops.h"
#include "types/gpu.h"

namespace hipr::provider {

// What AMD GPUs can do under TensorFusion. It schedules by these, so none is true that is not. Hard isolation is the
// worker's: its clients get no more of the memory and of the compute units than it was given.
inline constexpr VirtualizationCapabilities kCapabilities = {.supportsPartitioning = false,
                                                             .supportsSoftIsolation = false,
                                                             .supportsHardIsolation = true,
                                                             .supportsSnapshot = false,
                                                             .supportsMetrics = true,
                                                             .supportsRemoting = true,
                                                             .maxPartitions = 0,
                                                             .maxWorkersPerDevice = 64};

void describeProperties(const telemetry::Gpu& gpu, const std::string& source, DeviceProperties& out);
void describeMetrics(const telemetry::Gpu& gpu, const telemetry::Reading& reading, DeviceMetrics& out);
void describeProcess(const telemetry::Gpu& gpu, const std::string& name, const telemetry::Process& process,
                     ProcessInformation& out);

// `Info` is the ExtendedDeviceInfo of any generation.
template <class Info>
void describeDevice(const telemetry::Gpu& gpu, const std::string& name, int index, const std::string& source,
                    Info& out) {
  setText(out.basic.uuid, name);
  setText(out.basic.vendor, "AMD");
  setText(out.basic.model, readable(gpu.name).empty() ? "AMD GPU" : gpu.name);
  setText(out.basic.driverVersion, readable(gpu.driverVersion));
  setText(out.basic.firmwareVersion, readable(gpu.firmwareVersion));
  if constexpr (requires { out.basic.deviceNode; }) setText(out.basic.deviceNode, readable(gpu.renderNode));
  out.basic.index = index;
  out.basic.numaNode = gpu.numaNode.value_or(-1);
  out.basic.totalMemoryBytes = gpu.memoryBytes;
  out.basic.totalComputeUnits = gpu.computeUnits.value_or(0);
  out.basic.maxTflops = maxTflops(gpu);
  out.basic.pcieGen = gpu.maxPcieGeneration.value_or(0);
  out.basic.pcieWidth = gpu.maxPcieWidth.value_or(0);
  describeProperties(gpu, source, out.props);
  out.virtualizationCapabilities = kCapabilities;
}

}  // namespace hipr::provider
