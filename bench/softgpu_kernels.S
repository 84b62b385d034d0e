# The code object as bytes of this program (HIPR_KERNELS names the file).
    .section .rodata
    .balign 4096
    .globl hiprBenchKernels
hiprBenchKernels:
    .incbin HIPR_KERNELS
    .section .note.GNU-stack,"",@progbits
