// One kernel for each family: `rounds` times 64 copies of its instructions.
#define CLOBBERS                                                                                                   \
  "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v33", "v34", "v35", "v36", "v37", "v40", "v41", "v42", "v43", \
      "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "a10", "a11", "a12", "a13", "a14", "a15", "s16", \
      "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27", "s30", "s31", "vcc", "scc", "memory"

#define FAMILY(name, goal, what, instructions, count)                                                                 \
  kernel void name(global char* memory, ulong exec, int rounds) {                                                     \
    uint lane = __builtin_amdgcn_workitem_id_x() & 63;                                                                \
    uint random = (lane * 37 & 63) * 4 + (lane * 11 & 31) * 256;                                                      \
    __asm volatile(                                                                                                   \
        ".irp r, 4,5,6,7,8,9,10,11\n v_mov_b32 v\\r, 0x3f803c00\n .endr\n"                                            \
        ".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n v_accvgpr_write_b32 a\\r, 0\n .endr\n"                       \
        "v_mov_b32 v33, 0\n v_lshlrev_b32 v34, 2, %[lane]\n v_lshrrev_b32 v35, 2, %[lane]\n"                          \
        "s_mov_b32 s20, 0x3f800000\n s_mov_b32 s21, 5\n s_mov_b32 s22, 0x55555555\n"             \
        "s_mov_b32 s23, 0x55555555\n v_mov_b32 v36, %[low]\n v_mov_b32 v37, %[high]\n"                                \
        "v_add_co_u32 v36, vcc, v36, %[lane]\n v_addc_co_u32 v37, vcc, 0, v37, vcc\n"                                 \
        "s_mov_b32 s16, %[low]\n s_mov_b32 s17, %[high]\n s_mov_b32 s18, 0x10000\n s_mov_b32 s19, 0x00024000\n"       \
        "s_mov_b64 exec, %[exec]\n s_nop 4\n"                                                                         \
        "0:\n .rept 64\n " instructions                                                                               \
        "\n 1:\n .endr\n s_sub_u32 %[rounds], %[rounds], 1\n s_cmp_lg_u32 %[rounds], 0\n s_cbranch_scc1 0b\n"         \
        "s_mov_b64 exec, -1\n"                                                                                        \
        : [rounds] "+s"(rounds)                                                                                       \
        : [lane] "v"(lane * 4), [apart] "v"(lane * 32), [random] "v"(random), [memory] "s"(memory),                   \
          [low] "s"((uint)(ulong)memory), [high] "s"((uint)((ulong)memory >> 32)), [exec] "s"(exec)                   \
        : CLOBBERS);                                                                                                  \
  }
#include "softgpu_families.inc"
