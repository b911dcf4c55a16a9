// What perf copies for a sample, printed by the program itself: its registers,
// by the numbers of DWARF, its stack from the stack pointer on, and what is
// mapped. For x86-64 and AArch64, without the C library.

typedef unsigned long word;

enum { REGISTERS = 33, MOST_OF_STACK = 1 << 16 };

// Also written by the assembly below.
word registers[REGISTERS];

// Where the stack ends; 0 if only the system knows.
static word stack_end;

#if defined(__x86_64__)

enum { STACK_POINTER = 7, SYS_read = 0, SYS_write = 1, SYS_open = 2, SYS_exit = 231 };

static word call_system4(word number, word a, word b, word c, word d) {
    register word r10 __asm__("r10") = d;
    word result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
}

static word open_file(const char *path) { return call_system4(SYS_open, (word)path, 0, 0, 0); }

__asm__(".text\n"
        ".type snapshot, @function\n"
        "snapshot:\n"
        ".cfi_startproc\n"
        "mov %rax, registers + 0(%rip)\n"
        "mov %rdx, registers + 8(%rip)\n"
        "mov %rcx, registers + 16(%rip)\n"
        "mov %rbx, registers + 24(%rip)\n"
        "mov %rsi, registers + 32(%rip)\n"
        "mov %rdi, registers + 40(%rip)\n"
        "mov %rbp, registers + 48(%rip)\n"
        "mov %rsp, registers + 56(%rip)\n"
        "mov %r8, registers + 64(%rip)\n"
        "mov %r9, registers + 72(%rip)\n"
        "mov %r10, registers + 80(%rip)\n"
        "mov %r11, registers + 88(%rip)\n"
        "mov %r12, registers + 96(%rip)\n"
        "mov %r13, registers + 104(%rip)\n"
        "mov %r14, registers + 112(%rip)\n"
        "mov %r15, registers + 120(%rip)\n"
        "0: lea 0b(%rip), %rax\n"
        "mov %rax, registers + 128(%rip)\n"
        "and $-16, %rsp\n"
        "call print_snapshot\n"
        ".cfi_endproc\n"
        ".size snapshot, . - snapshot\n");

#elif defined(__aarch64__)

enum { STACK_POINTER = 31, SYS_openat = 56, SYS_read = 63, SYS_write = 64, SYS_exit = 94 };

static word call_system4(word number, word a, word b, word c, word d) {
    register word x8 __asm__("x8") = number;
    register word x0 __asm__("x0") = a;
    register word x1 __asm__("x1") = b;
    register word x2 __asm__("x2") = c;
    register word x3 __asm__("x3") = d;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
}

static word open_file(const char *path) {
    return call_system4(SYS_openat, -100, (word)path, 0, 0);
}

__asm__(".text\n"
        ".type snapshot, @function\n"
        "snapshot:\n"
        ".cfi_startproc\n"
        // x16 is for linkers: it need not be kept.
        "adrp x16, registers\n"
        "add x16, x16, :lo12:registers\n"
        "stp x0, x1, [x16]\n"
        "stp x2, x3, [x16, 16]\n"
        "stp x4, x5, [x16, 32]\n"
        "stp x6, x7, [x16, 48]\n"
        "stp x8, x9, [x16, 64]\n"
        "stp x10, x11, [x16, 80]\n"
        "stp x12, x13, [x16, 96]\n"
        "stp x14, x15, [x16, 112]\n"
        "stp x16, x17, [x16, 128]\n"
        "stp x18, x19, [x16, 144]\n"
        "stp x20, x21, [x16, 160]\n"
        "stp x22, x23, [x16, 176]\n"
        "stp x24, x25, [x16, 192]\n"
        "stp x26, x27, [x16, 208]\n"
        "stp x28, x29, [x16, 224]\n"
        "mov x17, sp\n"
        "stp x30, x17, [x16, 240]\n"
        "0: adr x17, 0b\n"
        "str x17, [x16, 256]\n"
        "bl print_snapshot\n"
        ".cfi_endproc\n"
        ".size snapshot, . - snapshot\n");

#endif

void snapshot(void);

static word call_system(word number, word a, word b, word c) {
    return call_system4(number, a, b, c, 0);
}

static char output[1 << 13];
static word output_length;

static void flush(void) {
    call_system(SYS_write, 1, (word)output, output_length);
    output_length = 0;
}

static void print(char c) {
    if (output_length == sizeof output) flush();
    output[output_length++] = c;
}

static void print_text(const char *text) {
    while (*text) print(*text++);
}

// As many hexadecimal digits as asked for, at least as many as there are.
static void print_number(word number, int digits) {
    if (digits > 1 || number > 15) print_number(number >> 4, digits - 1);
    print("0123456789abcdef"[number & 15]);
}

// The lines of /proc/self/maps, each behind "map ". Returns where the area ends
// that has `address`.
static word print_maps(word address) {
    static char text[1 << 16];
    word file = open_file("/proc/self/maps"), length = 0, more, end = 0;
    while ((more = call_system(SYS_read, file, (word)text + length, sizeof text - length)) + 4095
           > 4095 && more) length += more;
    for (word at = 0; at < length;) {
        word bounds[2] = {0, 0}, start = at;
        for (int bound = 0; bound < 2; at++) {
            char c = text[at];
            if (c == '-' || c == ' ') bound++;
            else bounds[bound] = bounds[bound] << 4 | (c < 'a' ? c - '0' : c - 'a' + 10);
        }
        if (bounds[0] <= address && address < bounds[1]) end = bounds[1];
        print_text("map ");
        for (at = start; text[at] != '\n'; at++) print(text[at]);
        print(text[at++]);
    }
    return end;
}

__attribute__((noreturn, used)) static void print_snapshot(void) {
    print_text("registers");
    for (int i = 0; i < REGISTERS; i++) {
        print(' ');
        print_number(registers[i], 1);
    }
    print('\n');
    word start = registers[STACK_POINTER];
    word end = print_maps(start);
    if (stack_end) end = stack_end;
    if (end - start > MOST_OF_STACK) end = start + MOST_OF_STACK;
    print_text("stack ");
    for (; start < end; start++) print_number(*(unsigned char *)start, 2);
    print('\n');
    flush();
    call_system(SYS_exit, 0, 0, 0);
    for (;;) {}
}
