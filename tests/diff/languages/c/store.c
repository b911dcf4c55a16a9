/* A hash table, a tree, a graph, a sieve. */
#include "shop.h"
#include <stdlib.h>
#include <string.h>

struct entry {
    struct entry *next;
    char city[16];
    uint64_t sum;
};

enum { BUCKETS = 64 };

static struct entry *find_entry(struct entry **table, const char *city) {
    struct entry **place = &table[fnv_of(city, strlen(city)) % BUCKETS];
    while (*place && strcmp((*place)->city, city))
        place = &(*place)->next;
    if (!*place) {
        *place = calloc(1, sizeof **place);
        strcpy((*place)->city, city);
    }
    return *place;
}

static uint64_t drop_table(struct entry **table) {
    uint64_t sum = 0;
    for (int i = 0; i < BUCKETS; i++) {
        while (table[i]) {
            struct entry *entry = table[i];
            sum = sum * 31 + entry->sum;
            table[i] = entry->next;
            free(entry);
        }
    }
    return sum;
}

uint64_t sum_by_city(const struct order *orders, int count) {
    struct entry *table[BUCKETS] = {0};
    for (int i = 0; i < count; i++)
        find_entry(table, orders[i].city)->sum += (uint64_t)orders[i].amount * orders[i].price;
    return drop_table(table);
}

struct node {
    struct node *left, *right;
    uint32_t key, count;
};

static struct node *insert(struct node *root, uint32_t key) {
    struct node **place = &root;
    while (*place) {
        if ((*place)->key == key) {
            (*place)->count++;
            return root;
        }
        place = key < (*place)->key ? &(*place)->left : &(*place)->right;
    }
    *place = calloc(1, sizeof **place);
    (*place)->key = key;
    return root;
}

static uint64_t depth_sum(const struct node *node, int depth) {
    if (!node)
        return 0;
    return (uint64_t)depth + depth_sum(node->left, depth + 1) + depth_sum(node->right, depth + 1);
}

static void drop_tree(struct node *node) {
    if (!node)
        return;
    drop_tree(node->left);
    drop_tree(node->right);
    free(node);
}

uint64_t fill_tree(const struct order *orders, int count) {
    struct node *root = NULL;
    for (int i = 0; i < count; i++)
        root = insert(root, orders[i].price);
    uint64_t sum = depth_sum(root, 0);
    drop_tree(root);
    return sum;
}

static void relax(uint32_t *away, const uint32_t *ways, int places, int from) {
    for (int to = 0; to < places; to++) {
        uint32_t other = away[from] + ways[from * places + to];
        if (other < away[to])
            away[to] = other;
    }
}

static int nearest(const uint32_t *away, const char *done, int places) {
    int best = -1;
    for (int place = 0; place < places; place++)
        if (!done[place] && (best < 0 || away[place] < away[best]))
            best = place;
    return best;
}

/* Dijkstra's way. */
uint64_t shortest_ways(int places, uint32_t seed) {
    uint32_t *ways = malloc((size_t)places * (size_t)places * sizeof *ways);
    uint32_t *away = malloc((size_t)places * sizeof *away);
    char *done = calloc((size_t)places, 1);
    for (int i = 0; i < places * places; i++)
        ways[i] = ((seed = seed * 1664525u + 1013904223u) >> 8) % 1000 + 1;
    for (int place = 0; place < places; place++)
        away[place] = place ? 1u << 30 : 0;
    for (int step = 0; step < places; step++) {
        int from = nearest(away, done, places);
        done[from] = 1;
        relax(away, ways, places, from);
    }
    uint64_t sum = 0;
    for (int place = 0; place < places; place++)
        sum += away[place];
    free(ways), free(away), free(done);
    return sum;
}

uint64_t sieve(int limit) {
    char *crossed = calloc((size_t)limit, 1);
    uint64_t count = 0;
    for (int number = 2; number < limit; number++) {
        count += !crossed[number];
        if (!crossed[number])
            for (int other = 2 * number; other < limit; other += number)
                crossed[other] = 1;
    }
    free(crossed);
    return count;
}
