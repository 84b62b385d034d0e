#include "tools/hip_on_cuda/launch_arguments.h"

#include <cstdint>

#include "hip_remote/handles.h"
#include "tools/hip_on_cuda/cuda_types.h"

namespace hipr::cuda {

bool LaunchArguments::read(void** extra, std::size_t declared) {
  void* buffer = nullptr;
  const std::size_t* given = nullptr;
  for (; *extra != HIP_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == HIP_LAUNCH_PARAM_BUFFER_POINTER) {
      buffer = extra[1];
    } else if (*extra == HIP_LAUNCH_PARAM_BUFFER_SIZE) {
      given = static_cast<const std::size_t*>(extra[1]);
    } else {
      return false;
    }
  }
  if (!given || (!buffer && *given)) return false;
  if (declared != SIZE_MAX && *given < declared) return false;
  size = declared == SIZE_MAX ? *given : declared;
  void* const cuda[] = {kLaunchBufferPointer, buffer, kLaunchBufferSize, &size, kLaunchEnd};
  for (int i = 0; i < 5; ++i) list[i] = cuda[i];
  return true;
}

}  // namespace hipr::cuda
