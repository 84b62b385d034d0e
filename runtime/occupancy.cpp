// Occupancy from a kernel's metadata, by the rules of gfx9 and later.
#include "runtime/occupancy.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <string_view>

#include "code_object/target_id.h"
#include "runtime/api.h"
#include "runtime/process.h"
#include "runtime/registry.h"

namespace hipr {

namespace {

constexpr int kSimdsPerUnit = 4;

struct RegisterFile {
  int vgprs, vgprGranule;  // per lane of a SIMD
  int sgprs, sgprGranule;  // per SIMD; 0: never a limit
};

// gfx90a and gfx94x have one file for VGPRs and AGPRs (the metadata counts them together); others have 256. From gfx10
// on every wave has all its SGPRs.
RegisterFile registerFile(std::string_view arch) {
  if (arch.starts_with("gfx90a") || arch.starts_with("gfx94") || arch.starts_with("gfx95")) return {512, 8, 800, 16};
  if (arch.starts_with("gfx9")) return {256, 4, 800, 16};
  return {1024, 8, 0, 1};
}

int roundUp(int value, int granule) {
  return (value + granule - 1) / granule * granule;
}

}  // namespace

int blocksPerUnit(const DeviceInfo& device, const code::KernelMetadata& kernel, int blockSize,
                  std::size_t dynamicShared) {
  const hipDeviceProp_tR0600& props = device.props;
  const int lanes = std::max(1, static_cast<int>(kernel.wavefrontSize != 0 ? kernel.wavefrontSize : props.warpSize));
  const RegisterFile file = registerFile(props.gcnArchName);
  int wavesPerSimd = std::max(1, props.maxThreadsPerMultiProcessor / lanes / kSimdsPerUnit);
  if (kernel.vgprCount > 0)
    wavesPerSimd = std::min(wavesPerSimd, file.vgprs / roundUp(static_cast<int>(kernel.vgprCount), file.vgprGranule));
  if (file.sgprs != 0 && kernel.sgprCount > 0)
    wavesPerSimd = std::min(wavesPerSimd, file.sgprs / roundUp(static_cast<int>(kernel.sgprCount), file.sgprGranule));

  const int wavesPerBlock = (blockSize + lanes - 1) / lanes;
  int blocks = wavesPerSimd * kSimdsPerUnit / wavesPerBlock;
  const std::size_t shared = kernel.groupFixedSize + dynamicShared;
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
  *out =
      blockSize > info.props.maxThreadsPerBlock ? 0 : blocksPerUnit(info, f.kernel->metadata, blockSize, dynamicShared);
  return hipSuccess;
}

// The block size that keeps most lanes busy, the largest of equals, and the grid that fills the device with it.
hipError_t bestBlock(const Function& f, std::size_t dynamicShared, int limit, int* gridSize, int* blockSize) {
  const DeviceInfo& info = infoOf(f);
  const code::KernelMetadata& kernel = f.kernel->metadata;
  int most = info.props.maxThreadsPerBlock;
  if (kernel.maxFlatWorkgroupSize != 0) most = std::min(most, static_cast<int>(kernel.maxFlatWorkgroupSize));
  if (limit > 0) most = std::min(most, limit);
  int bestThreads = 0, bestSize = 0, bestBlocks = 0;
  const int step = info.props.warpSize;
  for (int size = most; size > 0; size -= size % step == 0 ? step : size % step) {
    const int blocks = blocksPerUnit(info, kernel, size, dynamicShared);
    if (blocks * size > bestThreads) {
      bestThreads = blocks * size;
      bestSize = size;
      bestBlocks = blocks;
    }
  }
  *blockSize = bestSize;
  *gridSize = bestBlocks * info.props.multiProcessorCount;
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
  const std::size_t fixed = function->kernel->metadata.groupFixedSize;
  const std::size_t share = std::min(info.props.maxSharedMemoryPerMultiProcessor / static_cast<std::size_t>(numBlocks),
                                     info.props.sharedMemPerBlock);
  *dynamicSmemSize = share > fixed ? share - fixed : 0;
  return hipSuccess;
}

}  // namespace api
}  // namespace hipr
