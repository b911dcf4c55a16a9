/* A function in assembly without CFI: main > encode > tramp > burn, main > decode > burn. */
volatile long sink;
__attribute__((noinline)) long burn(long n)
{ volatile long s = 0; for (long i = 0; i < n; i++) s += i * i; return s; }
long tramp(long);
__asm__(".text\n.globl tramp\n.type tramp, @function\n"
        "tramp:\n push %rbx\n push %r12\n sub $24, %rsp\n xor %ebx, %ebx\n call burn\n"
        " add $24, %rsp\n pop %r12\n pop %rbx\n ret\n.size tramp, .-tramp\n");
__attribute__((noinline)) void encode(void) { sink += tramp(20000000); sink++; }
__attribute__((noinline)) void decode(void) { sink += burn(10000000); sink++; }
int main(void) { for (int i = 0; i < 6; i++) { encode(); decode(); } return 0; }
