/* A shop's night: reads orders, sorts and sums them, writes a report.
   Usage: shop [ROUNDS]; with SLOWER=1 in the environment edit_distance does 30 % more. */
#include "shop.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDERS = 1500 };

static uint64_t digest(const char *text, size_t size, char *spare) {
    uint64_t sum = crc32_of(text, size);
    sum = sum * 31 + adler32_of(text, size);
    sum = sum * 31 + fnv_of(text, size);
    sum = sum * 31 + murmur_of(text, size);
    sum = sum * 31 + pack_runs(text, size, spare);
    return sum * 31 + base64_of(text, size, spare);
}

static uint64_t sort_all(struct order *orders, int count) {
    sort_by_amount(orders, count);
    sort_by_name(orders, count);
    sort_by_day(orders, count);
    shuffle(orders, count);
    sort_by_number(orders, count);
    return orders[count / 2].price;
}

static uint64_t sum_all(const struct order *orders, int count) {
    return sum_by_city(orders, count) + fill_tree(orders, count) + shortest_ways(90, 5) + sieve(40000);
}

static uint64_t print_all(const struct order *orders, int count, char *spare) {
    char *text = report(orders, count);
    uint64_t sum = (uint64_t)count_words(text) + escape_html(text, spare);
    free(text);
    return sum;
}

static uint64_t night(struct order *orders, char *text, char *spare, uint32_t seed) {
    size_t size = write_orders(text, ORDERS, seed);
    uint64_t sum = digest(text, size, spare);
    capitalize(text);
    int count = parse_orders(text, orders, ORDERS);
    sum += sort_all(orders, count) + sum_all(orders, count);
    return sum + find_misspelt(orders, 400) + print_all(orders, count, spare);
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 800;
    const char *slower = getenv("SLOWER");
    set_slower(slower && !strcmp(slower, "1") ? 30 : 0);
    struct order *orders = calloc(ORDERS, sizeof *orders);
    char *text = malloc(1 << 20), *spare = malloc(1 << 20);
    uint64_t sum = 0;
    for (int round = 0; round < rounds; round++)
        sum = sum * 31 + night(orders, text, spare, (uint32_t)round);
    printf("%llu\n", (unsigned long long)sum);
    free(orders), free(text), free(spare);
    return 0;
}
