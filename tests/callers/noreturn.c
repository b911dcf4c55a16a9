// Calls that never return: where they would, the next function begins.

#include <stdlib.h>

#define ALONE __attribute__((noinline, noclone))

ALONE __attribute__((noreturn)) void burn(long n) {
  volatile long sum = 0;
  for (long i = 0; i < n; i++) sum += i;
  exit(0);
}
ALONE void after_burn(void) {}

ALONE __attribute__((noreturn)) void fatal(long n) { burn(n + 1); }
ALONE void after_fatal(void) {}

ALONE __attribute__((noreturn)) void caller(long n) { fatal(n + 1); }
ALONE void after_caller(void) {}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 9) {
    after_burn();
    after_fatal();
    after_caller();
  }
  caller(300000000);
}
