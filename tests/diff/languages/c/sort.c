/* Four ways to sort orders. */
#include "shop.h"
#include <stdlib.h>
#include <string.h>

static void swap(struct order *a, struct order *b) {
    struct order kept = *a;
    *a = *b;
    *b = kept;
}

static void sift_down(struct order *orders, int start, int end) {
    for (;;) {
        int child = 2 * start + 1;
        if (child >= end)
            return;
        if (child + 1 < end && orders[child].amount < orders[child + 1].amount)
            child++;
        if (orders[start].amount >= orders[child].amount)
            return;
        swap(&orders[start], &orders[child]);
        start = child;
    }
}

/* Heap sort. */
void sort_by_amount(struct order *orders, int count) {
    for (int start = count / 2 - 1; start >= 0; start--)
        sift_down(orders, start, count);
    for (int end = count - 1; end > 0; end--) {
        swap(&orders[0], &orders[end]);
        sift_down(orders, 0, end);
    }
}

static int compare_names(const void *a, const void *b) {
    const struct order *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order ? order : (left->number > right->number) - (left->number < right->number);
}

void sort_by_name(struct order *orders, int count) {
    qsort(orders, (size_t)count, sizeof *orders, compare_names);
}

/* Counting sort. */
void sort_by_day(struct order *orders, int count) {
    int starts[366] = {0};
    struct order *sorted = malloc((size_t)count * sizeof *sorted);
    for (int i = 0; i < count; i++)
        starts[orders[i].day + 1]++;
    for (int day = 1; day < 366; day++)
        starts[day] += starts[day - 1];
    for (int i = 0; i < count; i++)
        sorted[starts[orders[i].day]++] = orders[i];
    memcpy(orders, sorted, (size_t)count * sizeof *sorted);
    free(sorted);
}

static void merge(struct order *orders, struct order *spare, int middle, int count) {
    int left = 0, right = middle;
    for (int to = 0; to < count; to++) {
        int take_left = right >= count || (left < middle && orders[left].number <= orders[right].number);
        spare[to] = orders[take_left ? left++ : right++];
    }
    memcpy(orders, spare, (size_t)count * sizeof *orders);
}

static void merge_sort(struct order *orders, struct order *spare, int count) {
    if (count < 2)
        return;
    merge_sort(orders, spare, count / 2);
    merge_sort(orders + count / 2, spare, count - count / 2);
    merge(orders, spare, count / 2, count);
}

void sort_by_number(struct order *orders, int count) {
    struct order *spare = malloc((size_t)count * sizeof *spare);
    merge_sort(orders, spare, count);
    free(spare);
}

void shuffle(struct order *orders, int count) {
    uint32_t seed = 7;
    for (int i = count - 1; i > 0; i--) {
        seed = seed * 1664525u + 1013904223u;
        swap(&orders[i], &orders[(seed >> 8) % (uint32_t)(i + 1)]);
    }
}
