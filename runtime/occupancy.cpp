// Occupancy: how much of a device a kernel fills.
#include "runtime/occupancy.h"

#include <algorithm>
#include <climits>
#include <cstring>

#include "runtime/api.h"
#include "runtime/process.h"
#include "runtime/registry.h"

namespace hipr {

namespace {

code::Unit unitOf(const DeviceInfo& device) {
  return {device.props.gcnArchName, device.props.warpSize};
}

}  // namespace

int blocksPerUnit(const DeviceInfo& device, const code::GpuKernel& kernel, int blockSize, std::size_t dynamicShared) {
  const hipDeviceProp_tR0600& props = device.props;
  int blocks = kernel.groupsPerUnit(unitOf(device), blockSize);
  const std::size_t shared = kernel.resources().sharedBytes + dynamicShared;
  if (shared > props.sharedMemPerBlock) return 0;
  const std::size_t perUnit =
      props.maxSharedMemoryPerMultiProcessor != 0 ? props.maxSharedMemoryPerMultiProcessor : props.sharedMemPerBlock;
  if (shared != 0) blocks = static_cast<int>(std::min<std::size_t>(blocks, perUnit / shared));
  return blocks;
}

namespace api {

namespace {

hipError_t findHandle(hipFunction_t handle, Process*& p, Function*& out) {
  HIPR_TRY(process(p));
  out = p->functions.find(handle);
  return out != nullptr ? hipSuccess : hipErrorInvalidValue;
}

hipError_t findHost(const void* host, Process*& p, Function*& out) {
  Device* device;
  HIPR_TRY(currentDevice(p, device));
  return registeredFunction(*p, *device, host, out);
}

bool knownFlags(unsigned flags) {
  return flags == hipOccupancyDefault || flags == hipOccupancyDisableCachingOverride;
}

const DeviceInfo& infoOf(const Function& f) {
  return *f.module->owner->info;
}

hipError_t maxBlocks(const Function& f, int blockSize, std::size_t dynamicShared, int* out) {
  if (blockSize <= 0) return hipErrorInvalidValue;
  const DeviceInfo& info = infoOf(f);
  *out = blockSize > info.props.maxThreadsPerBlock ? 0 : blocksPerUnit(info, *f.kernel, blockSize, dynamicShared);
  return hipSuccess;
}

// AMD's choice: the largest block there may be, and as many of them as fit.
hipError_t bestBlock(const Function& f, std::size_t dynamicShared, int limit, int* gridSize, int* blockSize) {
  const DeviceInfo& info = infoOf(f);
  constexpr int kLanes = 64;  // one wave, or two
  const int wave = info.props.warpSize, bound = static_cast<int>(f.kernel->resources().maxGroupSize);
  int size = info.props.maxThreadsPerBlock;
  if (limit > 0 && limit < size) size = (limit + wave - 1) / wave * wave;
  size = std::min(size, kLanes * f.kernel->groupsPerUnit(unitOf(info), kLanes));
  if (bound != 0) size = std::min(size, bound);
  *blockSize = size;
  *gridSize = info.props.multiProcessorCount * blocksPerUnit(info, *f.kernel, size, dynamicShared);
  return hipSuccess;
}

}  // namespace

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, hipFunction_t f, int blockSize,
                                                                       size_t dynSharedMemPerBlk, unsigned int flags) {
  Process* p;
  Function* function;
  if (numBlocks == nullptr || !knownFlags(flags)) return hipErrorInvalidValue;
  HIPR_TRY(findHandle(f, p, function));
  return maxBlocks(*function, blockSize, dynSharedMemPerBlk, numBlocks);
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, hipFunction_t f, int blockSize,
                                                              size_t dynSharedMemPerBlk) {
  return api::hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, f, blockSize, dynSharedMemPerBlk,
                                                                          hipOccupancyDefault);
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* f, int blockSize,
                                                                 size_t dynSharedMemPerBlk, unsigned int flags) {
  Process* p;
  Function* function;
  if (numBlocks == nullptr || !knownFlags(flags)) return hipErrorInvalidValue;
  HIPR_TRY(findHost(f, p, function));
  return maxBlocks(*function, blockSize, dynSharedMemPerBlk, numBlocks);
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* f, int blockSize,
                                                        size_t dynSharedMemPerBlk) {
  return api::hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, f, blockSize, dynSharedMemPerBlk,
                                                                    hipOccupancyDefault);
}

hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int* gridSize, int* blockSize, hipFunction_t f,
                                                            size_t dynSharedMemPerBlk, int blockSizeLimit,
                                                            unsigned int flags) {
  Process* p;
  Function* function;
  if (gridSize == nullptr || blockSize == nullptr || !knownFlags(flags)) return hipErrorInvalidValue;
  HIPR_TRY(findHandle(f, p, function));
  return bestBlock(*function, dynSharedMemPerBlk, blockSizeLimit, gridSize, blockSize);
}

hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* gridSize, int* blockSize, hipFunction_t f,
                                                   size_t dynSharedMemPerBlk, int blockSizeLimit) {
  return api::hipModuleOccupancyMaxPotentialBlockSizeWithFlags(gridSize, blockSize, f, dynSharedMemPerBlk,
                                                               blockSizeLimit, hipOccupancyDefault);
}

hipError_t hipOccupancyMaxPotentialBlockSize(int* gridSize, int* blockSize, const void* f, size_t dynSharedMemPerBlk,
                                             int blockSizeLimit) {
  Process* p;
  Function* function;
  if (gridSize == nullptr || blockSize == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findHost(f, p, function));
  return bestBlock(*function, dynSharedMemPerBlk, blockSizeLimit, gridSize, blockSize);
}

hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, const void* f, int numBlocks,
                                                    int blockSize) {
  Process* p;
  Function* function;
  HIPR_TRY(findHost(f, p, function));
  if (dynamicSmemSize == nullptr || numBlocks <= 0 || blockSize <= 0) return hipErrorInvalidValue;
  const DeviceInfo& info = infoOf(*function);
  const std::size_t fixed = function->kernel->resources().sharedBytes;
  const std::size_t share = std::min(info.props.maxSharedMemoryPerMultiProcessor / static_cast<std::size_t>(numBlocks),
                                     info.props.sharedMemPerBlock);
  *dynamicSmemSize = share > fixed ? share - fixed : 0;
  return hipSuccess;
}

// No device has clusters.
hipError_t hipOccupancyMaxActiveClusters(int* numClusters, const void* f, const hipLaunchConfig_t* launchConfig) {
  Process* p;
  Function* function;
  if (numClusters == nullptr || launchConfig == nullptr) return hipErrorInvalidValue;
  HIPR_TRY(findHost(f, p, function));
  return hipErrorInvalidClusterSize;
}

hipError_t hipOccupancyMaxPotentialClusterSize(int* clusterSize, const void* f, const hipLaunchConfig_t* config) {
  return api::hipOccupancyMaxActiveClusters(clusterSize, f, config);
}

}  // namespace api
}  // namespace hipr
