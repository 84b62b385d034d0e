// mincore() of macOS does not tell unmapped pages from absent ones; the kernel's list of regions does.
#include <mach/mach.h>

#include "platform/memory.h"

namespace hipr::platform {

bool isMapped(const void* address, std::size_t size) {
  const auto begin = reinterpret_cast<vm_address_t>(address);
  for (vm_address_t at = begin; at < begin + size;) {
    vm_address_t region = at;
    vm_size_t length = 0;
    vm_region_basic_info_data_64_t info;
    mach_msg_type_number_t count = VM_REGION_BASIC_INFO_COUNT_64;
    mach_port_t object = MACH_PORT_NULL;
    const kern_return_t result = vm_region_64(mach_task_self(), &region, &length, VM_REGION_BASIC_INFO_64,
                                              reinterpret_cast<vm_region_info_t>(&info), &count, &object);
    // It gives the region at the address or the next one behind it.
    if (result != KERN_SUCCESS || region > at || (info.protection & VM_PROT_READ) == 0) return false;
    at = region + length;
  }
  return true;
}

}  // namespace hipr::platform
