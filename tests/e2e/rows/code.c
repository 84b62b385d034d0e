// Compiled to gfx90a code objects and embedded: one kernel, one variable, a reference to a texture, and with HIPR_MANAGED a managed variable,
// which is a pointer and, under its second name, the initial value.
#define GLOBAL __attribute__((address_space(1)))
#define VISIBLE __attribute__((visibility("protected"), used))

VISIBLE GLOBAL int counter = 7;
VISIBLE GLOBAL char reference[88] __attribute__((aligned(8))) = {1};

__attribute__((amdgpu_kernel, visibility("protected"))) void store(GLOBAL int* out, int value) {
  out[0] = value + counter;
}

#ifdef HIPR_MANAGED
VISIBLE GLOBAL int sharedInitial __asm__("shared.managed") = 5;
VISIBLE GLOBAL int* sharedPointer __asm__("shared") = 0;
#endif
