# A program as OCaml 5 leaves it: its runtime has effects.

    .text
    .globl caml_perform
    .type caml_perform, @function
caml_perform:
    ret
    .size caml_perform, . - caml_perform

    .globl camlFoo.run_12
    .type camlFoo.run_12, @function
camlFoo.run_12:
    lea -0x148(%rsp), %r10
    .ifdef FRAME_POINTERS
    push %rbp
    mov %rsp, %rbp
    pop %rbp
    .endif
    ret
    .size camlFoo.run_12, . - camlFoo.run_12

    .globl main
    .type main, @function
main:
    xor %eax, %eax
    ret
    .size main, . - main

    .section .note.GNU-stack, "", @progbits
