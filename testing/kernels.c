// Compiled to a gfx90a code object and embedded, so that tests and benchmarks need no compiler at run time.
#define KERNEL __attribute__((amdgpu_kernel, visibility("protected")))

KERNEL void empty(int unused) {}

// About `rounds` dependent multiply-adds per work-item.
KERNEL void work(__attribute__((address_space(1))) float* out, int rounds) {
  const int id = (int)(__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x());
  float x = (float)id;
  for (int i = 0; i < rounds; ++i) x = x * 0.999f + 1.0f;
  out[id] = x;
}
