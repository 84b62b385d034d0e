// kernel<<<grid, block, shared, stream>>>(…): the configuration waits on a per-thread stack while the arguments are
// evaluated, which may launch kernels themselves. The older hipConfigureCall way uses the same stack.
#include <algorithm>
#include <cstring>

#include "runtime/api.h"
#include "runtime/launch.h"

namespace hipr::api {

hipError_t __hipPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem, hipStream_t stream) {
  threadObjects().calls.push_back({gridDim, blockDim, sharedMem, stream, {}});
  return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3* gridDim, dim3* blockDim, size_t* sharedMem, hipStream_t* stream) {
  auto& calls = threadObjects().calls;
  if (calls.empty()) return hipErrorMissingConfiguration;
  const CallConfiguration& call = calls.back();
  *gridDim = call.grid;
  *blockDim = call.block;
  *sharedMem = call.sharedBytes;
  *stream = call.stream;
  calls.pop_back();
  return hipSuccess;
}

hipError_t hipConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem, hipStream_t stream) {
  return api::__hipPushCallConfiguration(gridDim, blockDim, sharedMem, stream);
}

hipError_t hipSetupArgument(const void* arg, size_t size, size_t offset) {
  constexpr std::size_t kLargest = 1 << 20;  // far beyond any kernarg segment
  auto& calls = threadObjects().calls;
  if (calls.empty()) return hipErrorMissingConfiguration;
  if (arg == nullptr || size > kLargest || offset > kLargest) return hipErrorInvalidValue;
  auto& arguments = calls.back().arguments;
  arguments.resize(std::max(arguments.size(), offset + size));
  std::memcpy(arguments.data() + offset, arg, size);
  return hipSuccess;
}

hipError_t hipLaunchByPtr(const void* func) {
  auto& calls = threadObjects().calls;
  if (calls.empty()) return hipErrorMissingConfiguration;
  const CallConfiguration call = std::move(calls.back());
  calls.pop_back();
  return launchHost(
      func, call.stream,
      {.groups = call.grid, .block = call.block, .sharedBytes = call.sharedBytes, .packed = call.arguments});
}

}  // namespace hipr::api
