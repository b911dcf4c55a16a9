// The loop is on the line that it has in the other folder.

static __attribute__((noipa)) long second(long n) {
  volatile long sum = 0;
  for (long i = 0; i < n; i++) sum += i;
  return sum;
}
