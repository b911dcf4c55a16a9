static inline __attribute__((always_inline)) void tick(volatile long *p) { *p += 1; }

static __attribute__((noipa)) long first(long n) {
  volatile long sum = 0;
  for (long i = 0; i < n; i++) sum += i;
  return sum;
}
