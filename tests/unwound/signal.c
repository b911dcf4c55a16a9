/* A signal whose handler has a stack of its own: main > work > burn, handler > in_handler > burn. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
volatile long sink;
__attribute__((noinline)) long burn(long n)
{ volatile long s = 0; for (long i = 0; i < n; i++) s += i * i; return s; }
__attribute__((noinline)) void in_handler(void) { sink += burn(1000000); }
/* Once: the next signal comes some time after the last, however fast the machine is. */
static const struct itimerval soon = { { 0, 0 }, { 0, 2000 } };
static void handler(int number)
{ in_handler(); setitimer(ITIMER_REAL, &soon, 0); sink += number; }
__attribute__((noinline)) void work(void)
{ for (int i = 0; i < 300; i++) { sink += burn(1000000); sink++; } }
int main(void)
{
    stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
    sigaltstack(&stack, 0);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &soon, 0);
    work();
    return 0;
}
