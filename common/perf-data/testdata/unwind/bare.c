// Calls of many shapes without the C library, on x86-64 and AArch64: main is
// interrupted by a signal in the first instruction of a function that calls none.
//
// cc -O2 -nostdlib -static -o bare bare.c

#include "snapshot.h"

#define SHAPE __attribute__((noinline, noclone, used))

volatile word zero, sink;

// As many bytes on the stack as the caller says.
SHAPE static void alloca_frame(word size) {
    char *memory = __builtin_alloca(size);
    memory[0] = sink;
    snapshot();
    sink = memory[size - 1];
}

// A stack that is aligned better than the convention asks for.
SHAPE static void realigned_frame(word size) {
    _Alignas(128) volatile char memory[200];
    memory[size] = 1;
    alloca_frame(size + memory[size]);
    sink += memory[size];
}

// Many registers to save.
SHAPE static void saving_frame(word size) {
    word a = sink, b = sink, c = sink, d = sink, e = sink, f = sink;
    realigned_frame(size);
    sink = a + b * c - d * e + f;
}

// Its last instruction is a call.
SHAPE __attribute__((noreturn)) static void never_returns(word size) {
    saving_frame(size);
    for (;;) call_system(SYS_exit, 1, 0, 0);
}

SHAPE static void ends_in_a_call(word size) {
    if (size) never_returns(size);
}

SHAPE static void on_signal(int signal) {
    ends_in_a_call(signal + zero + 60);
    sink = signal;
}

// Reads address 0, without a frame and by its first instruction.
void faulting(word *address);

#if defined(__x86_64__)
enum { SYS_sigaction = 13 };
__asm__(".text\n"
        ".type faulting, @function\n"
        "faulting:\n"
        ".cfi_startproc\n"
        "mov (%rdi), %rax\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size faulting, . - faulting\n"
        // Without call frame information, as musl has it.
        ".type restore, @function\n"
        "restore:\n"
        "mov $15, %rax\n"
        "syscall\n"
        ".size restore, . - restore\n"
        ".globl _start\n"
        ".type _start, @function\n"
        "_start:\n"
        ".cfi_startproc\n"
        ".cfi_undefined rip\n"
        "xor %ebp, %ebp\n"
        "call main\n"
        "hlt\n"
        ".cfi_endproc\n"
        ".size _start, . - _start\n");
#elif defined(__aarch64__)
enum { SYS_sigaction = 134 };
__asm__(".text\n"
        ".type faulting, @function\n"
        "faulting:\n"
        ".cfi_startproc\n"
        "ldr x0, [x0]\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size faulting, . - faulting\n"
        // Without call frame information, as in Linux's own.
        ".type restore, @function\n"
        "restore:\n"
        "mov x8, 139\n"
        "svc 0\n"
        ".size restore, . - restore\n"
        ".globl _start\n"
        ".type _start, @function\n"
        "_start:\n"
        ".cfi_startproc\n"
        ".cfi_undefined x30\n"
        "mov x29, 0\n"
        "bl main\n"
        "brk 0\n"
        ".cfi_endproc\n"
        ".size _start, . - _start\n");
#endif

void restore(void);

SHAPE static word calls_faulting(word *address) {
    faulting(address);
    return sink + 1;
}

__attribute__((used)) int main(void) {
    enum { SIGSEGV = 11, SA_RESTORER = 0x04000000 };
    struct { void (*handler)(int); word flags; void (*restorer)(void); word mask; } action =
        {on_signal, SA_RESTORER, restore, 0};
    call_system4(SYS_sigaction, SIGSEGV, (word)&action, 0, 8);
    return calls_faulting((word *)zero) + sink;
}
