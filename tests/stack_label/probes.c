/* Requests of which every tenth does more; prints when each began and ended, by CLOCK_MONOTONIC. */
#include <stdio.h>
#include <time.h>

static volatile long sink;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

__attribute__((noinline)) void compute(long rounds) {
    for (long i = 0; i < rounds; i++) sink += i;
}

__attribute__((noinline)) void rebuild(long rounds) {
    for (long i = 0; i < rounds; i++) sink += i ^ sink;
}

__attribute__((noinline)) void handle(int number) {
    compute(1000000);
    if (number % 10 == 0) rebuild(20000000);
    sink++;
}

int main(void) {
    for (int number = 0; number < 40; number++) {
        long long start = now();
        handle(number);
        printf("%lld %lld\n", start, now());
    }
    return 0;
}
