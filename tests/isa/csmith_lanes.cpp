// A csmith program (PROGRAM) as the body of a struct, so that 64 lanes run it at once, each with its own globals. One
// of them (LANE_GLOBAL) starts with the lane's number mixed in, and control flow diverges from there.
#define CSM_IN_STRUCT
#include "csmith.h"

struct Program {
#define static
#include "csmith_crc.h"
#define main csm_main
#include PROGRAM
#undef main
#undef static
};

// Members initialise here, once for host and device.
static __attribute__((noinline)) uint32_t runLane(uint32_t lane) {
  Program program;
  program.LANE_GLOBAL ^= lane;
  program.csm_main();
  return program.csm_result;
}

#ifdef __AMDGPU__
extern "C" __attribute__((amdgpu_kernel, visibility("protected"))) void csm_kernel(__attribute__((address_space(1)))
                                                                                   uint32_t* out) {
  uint32_t lane = __builtin_amdgcn_workitem_id_x();
  out[lane] = runLane(lane);
}
#else
#undef printf
#undef memcpy
#include <stdio.h>
int main() {
  for (uint32_t lane = 0; lane < 64; ++lane) printf("%08x\n", runLane(lane));
}
#endif
