// A call that is the last instruction of its line: it returns to code that was inlined.

static inline __attribute__((always_inline)) void tick(volatile long *p) { *p += 1; }

__attribute__((noinline)) long burn(long n) {
  volatile long sum = 0;
  for (long i = 0; i < n; i++) sum += i;
  return sum;
}

__attribute__((noinline)) void work(volatile long *p) {
  *p += burn(30000000);
  *p += burn(3);
}

int main(void) {
  volatile long x = 0;
  for (int i = 0; i < 8; i++) {
    work(&x);
    tick(&x);
  }
  return 0;
}
