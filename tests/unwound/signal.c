/* A signal whose handler has a stack of its own: main > work > burn, handler > in_handler > burn. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
volatile long sink;
__attribute__((noinline)) long burn(long n)
{ volatile long s = 0; for (long i = 0; i < n; i++) s += i * i; return s; }
static volatile int is_handled;
static volatile long lap;
/* No two laps last as long, so that no lap is in step with the clock that samples. */
__attribute__((noinline)) void in_handler(void) { sink += burn(1500000 + 7919 * lap); }
static void handler(int number)
{ in_handler(); sink += number; is_handled = 1; }
static const struct itimerval soon = { { 0, 0 }, { 0, 1000 } };
/* Each lap has one signal, and no signal comes before or after work, however busy the machine is. */
__attribute__((noinline)) void work(void)
{
    for (lap = 0; lap < 100; lap++) {
        is_handled = 0;
        setitimer(ITIMER_REAL, &soon, 0);
        do { sink += burn(1000000); sink++; } while (!is_handled);
    }
}
int main(void)
{
    stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
    sigaltstack(&stack, 0);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigaction(SIGALRM, &action, 0);
    work();
    return 0;
}
