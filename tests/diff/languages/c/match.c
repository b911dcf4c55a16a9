/* Which names may be misspelt ones: what takes the longest. */
#include "shop.h"
#include <string.h>

static int repeats = 100;

void set_slower(int percent) { repeats = 100 + percent; }

/* The hot function: how many letters differ. */
__attribute__((noinline, noclone)) static unsigned edit_distance(const char *left, const char *right) {
    unsigned row[17], result = 0;
    size_t width = strlen(right);
    for (int repeat = 0; repeat < repeats; repeat++) {
        for (size_t j = 0; j <= width; j++)
            row[j] = (unsigned)j;
        for (size_t i = 0; left[i]; i++) {
            unsigned diagonal = row[0];
            row[0] = (unsigned)i + 1;
            for (size_t j = 0; j < width; j++) {
                unsigned above = row[j + 1], best = diagonal + (left[i] != right[j]);
                best = best <= above ? best : above + 1;
                row[j + 1] = best <= row[j] ? best : row[j] + 1;
                diagonal = above;
            }
        }
        result = row[width];
        __asm__ volatile("" : : : "memory");
    }
    return result;
}

uint64_t find_misspelt(const struct order *orders, int count) {
    uint64_t found = 0;
    for (int i = 0; i + 1 < count; i++)
        found += edit_distance(orders[i].name, orders[i + 1].name) == 1;
    return found;
}
