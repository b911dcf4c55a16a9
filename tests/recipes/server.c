/* Each eighth request is slow: it computes for 120 ms and then waits for 50 ms. The log says when
   each request ended, and how long it took. */

#include <stdio.h>
#include <time.h>
#include <unistd.h>
static volatile long sink;

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

void compute(double seconds) {
    double end = now(CLOCK_THREAD_CPUTIME_ID) + seconds;
    while (now(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 0; i < 100000; i++) sink += i;
}

void rebuild_index(void) { compute(0.12); }
void write_index(void) { usleep(50000); }

void serve(int number) {
    compute(0.004);
    if (number % 8 == 5) {
        rebuild_index();
        write_index();
    }
}

int main(void) {
    FILE *log = fopen("access.log", "w");
    for (int number = 0; number < 40; number++) {
        double start = now(CLOCK_MONOTONIC);
        serve(number);
        double end = now(CLOCK_MONOTONIC);
        fprintf(log, "%.6f %.6f GET /item/%d\n", end, end - start, number % 2);
    }
    return fclose(log);
}
