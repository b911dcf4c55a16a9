/* What the parts of the program share. */
#include <stddef.h>
#include <stdint.h>

struct order {
    uint32_t number, amount, price, day;
    char name[16], city[16];
};

/* text.c */
size_t write_orders(char *text, int count, uint32_t seed);
int parse_orders(const char *text, struct order *orders, int most);
int count_words(const char *text);
void capitalize(char *text);
size_t escape_html(const char *text, char *to);
char *report(const struct order *orders, int count);

/* digest.c */
uint32_t crc32_of(const void *data, size_t size);
uint32_t adler32_of(const void *data, size_t size);
uint32_t fnv_of(const void *data, size_t size);
uint32_t murmur_of(const void *data, size_t size);
size_t pack_runs(const char *text, size_t size, char *to);
size_t base64_of(const void *data, size_t size, char *to);

/* sort.c */
void sort_by_amount(struct order *orders, int count);
void sort_by_name(struct order *orders, int count);
void sort_by_day(struct order *orders, int count);
void sort_by_number(struct order *orders, int count);
void shuffle(struct order *orders, int count);

/* store.c */
uint64_t sum_by_city(const struct order *orders, int count);
uint64_t fill_tree(const struct order *orders, int count);
uint64_t shortest_ways(int places, uint32_t seed);
uint64_t sieve(int limit);

/* match.c */
void set_slower(int percent);
uint64_t find_misspelt(const struct order *orders, int count);
