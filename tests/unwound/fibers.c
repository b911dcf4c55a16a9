/* Fibers of makecontext: main > step > leaf > burn, fiber > step > leaf > burn. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <ucontext.h>
static ucontext_t home, fibers[3];
volatile long sink;
__attribute__((noinline)) long burn(long n)
{ volatile long s = 0; for (long i = 0; i < n; i++) s += i * i; return s; }
__attribute__((noinline)) long leaf(long n) { return burn(n) + 1; }
__attribute__((noinline)) long step(long n) { return leaf(n) + 2; }
static void fiber(int id)
{ for (int i = 0; i < 10; i++) { sink += step(3000000 + id); swapcontext(&fibers[id], &home); } }
int main(void)
{
    for (int i = 0; i < 3; i++) {
        getcontext(&fibers[i]);
        fibers[i].uc_stack.ss_sp =
            mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        fibers[i].uc_stack.ss_size = 65536;
        fibers[i].uc_link = &home;
        makecontext(&fibers[i], (void (*)(void))fiber, 1, i);
    }
    sink += step(20000000);
    for (int round = 0; round < 10; round++)
        for (int i = 0; i < 3; i++) swapcontext(&home, &fibers[i]);
    return 0;
}
