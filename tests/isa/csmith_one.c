/* A csmith program (PROGRAM) run by one lane, or by the host. */
#define main csm_main
#include PROGRAM
#undef main

#ifdef __AMDGPU__
__attribute__((amdgpu_kernel, visibility("protected"))) void csm_kernel(__attribute__((address_space(1))) uint32_t* out) {
  csm_main();
  out[0] = csm_result;
}
#else
#undef printf
#undef memcpy
#include <stdio.h>
int main(void) {
  csm_main();
  printf("%08x\n", csm_result);
}
#endif
