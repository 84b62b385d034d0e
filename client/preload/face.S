// One entry for each function of libamdhip64, made from the API rows. The first call of a function finds out where it
// goes (bind.cpp); every later one is a load, a test and a jump. Nothing here needs a relocation, so that a process which
// never calls HIP pays for mapping the file and for nothing else.
#if !defined(__x86_64__)
#error "only x86-64 so far"
#endif

.macro FACE name
.text
.p2align 4
.globl \name
.type \name, @function
\name:
  movq .Lslot_\name(%rip), %r11
  testq %r11, %r11
  je .Lbind_\name
  jmp *%r11
.Lbind_\name:
  leaq .Lname_\name(%rip), %r11
  leaq .Lslot_\name(%rip), %r10
  jmp .Lbind
.size \name, . - \name
.section .rodata.str1.1, "aMS", @progbits, 1
.Lname_\name:
  .asciz "\name"
.local .Lslot_\name
.comm .Lslot_\name, 8, 8
.endm

// Keeps what may hold arguments, asks, and goes on as if the function had been called itself.
.text
.Lbind:
  pushq %rax
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  subq $128, %rsp
  movaps %xmm0, 0(%rsp)
  movaps %xmm1, 16(%rsp)
  movaps %xmm2, 32(%rsp)
  movaps %xmm3, 48(%rsp)
  movaps %xmm4, 64(%rsp)
  movaps %xmm5, 80(%rsp)
  movaps %xmm6, 96(%rsp)
  movaps %xmm7, 112(%rsp)
  movq %r11, %rdi
  movq %r10, %rsi
  call hiprPreloadBind
  movq %rax, %r11
  movaps 0(%rsp), %xmm0
  movaps 16(%rsp), %xmm1
  movaps 32(%rsp), %xmm2
  movaps 48(%rsp), %xmm3
  movaps 64(%rsp), %xmm4
  movaps 80(%rsp), %xmm5
  movaps 96(%rsp), %xmm6
  movaps 112(%rsp), %xmm7
  addq $128, %rsp
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  popq %rax
  jmp *%r11

#define HIP_API(name, node, abis, verb, arity) FACE name
#define HIP_API_SPT(name, base, node, abis, verb, arity) FACE name
#define HIP_API_CXX(name, symbol, node, abis, verb, arity) FACE symbol
#include "api/hip.def"

.section .note.GNU-stack, "", @progbits
