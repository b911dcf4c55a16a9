// Functions that are called by pointer, through a library, and by a signal.

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#define ALONE __attribute__((noinline, noclone))

static volatile long sink;

ALONE void spin(long n) {
  for (long i = 0; i < n; i++) sink += i;
  sink++;
}

ALONE void on_alarm(int signal) {
  (void)signal;
  spin(20000000);
  sink++;
}

ALONE int compare(const void *a, const void *b) {
  spin(20000);
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static void (*volatile call)(long) = spin;

ALONE void each(void (*function)(long), long n) {
  for (int i = 0; i < 10; i++) {
    function(n);
    sink ^= i;
  }
}

int main(void) {
  static int numbers[1000];
  struct sigaction action = {.sa_handler = on_alarm};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval every = {{0, 100000}, {0, 100000}};
  setitimer(ITIMER_REAL, &every, NULL);
  for (int i = 0; i < 1000; i++) numbers[i] = i * 7919 % 1000;
  qsort(numbers, 1000, sizeof(int), compare);
  each(call, 80000000);
  return 0;
}
