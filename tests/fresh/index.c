/* Spends its time and its memory in rebuild_index, until RUN_FOR seconds have passed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Some profilers sample half a megabyte at a time. */
enum { WORDS = 20000, LETTERS = 1000 };
static char *words[WORDS];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

/* Each word is allocated anew, and the first one is forgotten, for those who look for leaks. */
__attribute__((noinline)) static void rebuild_index(double end) {
    do {
        words[0] = NULL;
        for (int word = 0; word < WORDS; word++) {
            free(words[word]);
            words[word] = malloc(LETTERS);
            for (int letter = 0; letter < LETTERS; letter++)
                words[word][letter] = word * letter;
        }
    } while (now() < end);
}

int main(void) {
    const char *seconds = getenv("RUN_FOR");
    rebuild_index(now() + (seconds ? atof(seconds) : 4));
    return 0;
}
