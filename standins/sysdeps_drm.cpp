// librocm_sysdeps_drm: the libdrm that AMD's own packages carry under this name. There is no device to open here.
#include <cerrno>

#include "standins/refused.h"

#define REFUSED(name) HIPR_REFUSED(name, static_cast<std::uint32_t>(-ENODEV))
REFUSED(drmCommandWriteRead)
REFUSED(drmSyncobjCreate)
REFUSED(drmSyncobjDestroy)
#undef REFUSED

extern "C" HIPR_EXPORTED int drmIoctl() {
  errno = ENODEV;
  return -1;
}
