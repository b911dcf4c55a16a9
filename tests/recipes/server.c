/* Each eighth request is slow: it computes for 120 ms and then waits for 50 ms. One log says when
   each request ended, and how long it took; the other says at which time of day a version began. */

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

/* What came with the second version. */
void check_twice(void) { compute(0.01); }

void serve(int number) {
    compute(0.004);
    if (number >= 20) check_twice();
    if (number % 8 == 5) {
        rebuild_index();
        write_index();
    }
}

int main(void) {
    FILE *log = fopen("access.log", "w"), *deployments = fopen("deploy.log", "w");
    for (int number = 0; number < 40; number++) {
        if (number % 20 == 0) {
            fprintf(deployments, "%.6f v%d\n", now(CLOCK_REALTIME), 1 + number / 20);
            /* A new version needs time to start. The clock of the day may meanwhile be corrected by
               a few milliseconds, which must not move its requests into the version before it. */
            usleep(100000);
        }
        double start = now(CLOCK_MONOTONIC);
        serve(number);
        double end = now(CLOCK_MONOTONIC);
        fprintf(log, "%.6f %.6f GET /item/%d\n", end, end - start, number % 2);
    }
    fprintf(deployments, "%.6f end\n", now(CLOCK_REALTIME));
    return fclose(deployments) + fclose(log);
}
