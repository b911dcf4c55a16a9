/* What the compiler puts into work is known by the debug information only. */
static volatile long bias = 3;

static inline __attribute__((always_inline)) long square(long x) { return x * x + bias; }

static inline __attribute__((always_inline)) long both(long x) {
    return square(x) + square(x + 1);
}

__attribute__((noinline)) long work(long n) {
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum += both(i) ^ sum;
    return sum;
}

__attribute__((noinline)) static long twice(long n) {
    long once = work(n);
    return 2 * once + 1;
}

int main(int count, char **words) {
    (void)words;
    return twice(count * 1000L) == 42;
}
