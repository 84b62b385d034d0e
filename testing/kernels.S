# The code object as bytes of this program (HIPR_KERNELS names the file).
    .section .rodata
    .balign 4096
    .globl hiprTestKernels, hiprTestKernelsEnd
hiprTestKernels:
    .incbin HIPR_KERNELS
hiprTestKernelsEnd:
    .section .note.GNU-stack,"",@progbits
