// librocm_sysdeps_drm_amdgpu: the libdrm_amdgpu that AMD's own packages carry under this name. It finds no GPU.
#include <cerrno>

#include "standins/refused.h"

#define REFUSED(name) HIPR_REFUSED(name, static_cast<std::uint32_t>(-ENODEV))
REFUSED(amdgpu_bo_cpu_map)
REFUSED(amdgpu_bo_export)
REFUSED(amdgpu_bo_free)
REFUSED(amdgpu_bo_import)
REFUSED(amdgpu_bo_query_info)
REFUSED(amdgpu_bo_set_metadata)
REFUSED(amdgpu_bo_va_op)
REFUSED(amdgpu_device_deinitialize)
REFUSED(amdgpu_device_get_fd)
REFUSED(amdgpu_device_initialize)
REFUSED(amdgpu_query_gpu_info)
#undef REFUSED

extern "C" HIPR_EXPORTED const char* amdgpu_get_marketing_name() {
  return nullptr;  // of no device
}
