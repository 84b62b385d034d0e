// Device attributes computed from device properties, so the two can never disagree.
#pragma once

#include "types/platform.h"

namespace hipr::softgpu {

// Sets every attribute of HIP 7 except those that no property states (number of XCCs, PCI chip id).
void fillAttributes(const hipDeviceProp_tR0600& props, AttributeTable& out);

}  // namespace hipr::softgpu
