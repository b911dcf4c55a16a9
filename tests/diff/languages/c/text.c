/* Text: orders as lines of a table, written and read again. */
#include "shop.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *names[] = {"lamp", "table", "chair", "sofa", "carpet", "shelf", "mirror", "curtain"};
static const char *cities[] = {"Oslo", "Lyon", "Porto", "Gent", "Turin", "Graz", "Malmo"};

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static char *put_number(char *to, uint32_t number) {
    char digits[12];
    int count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    while (count)
        *to++ = digits[--count];
    return to;
}

static char *put_string(char *to, const char *string) {
    while (*string)
        *to++ = *string++;
    return to;
}

size_t write_orders(char *text, int count, uint32_t seed) {
    char *to = text;
    for (int i = 0; i < count; i++) {
        to = put_number(to, (uint32_t)i);
        *to++ = ',';
        to = put_string(to, names[next_random(&seed) % 8]);
        *to++ = (char)('a' + next_random(&seed) % 26);
        *to++ = ',';
        to = put_string(to, cities[next_random(&seed) % 7]);
        *to++ = ',';
        to = put_number(to, next_random(&seed) % 1000);
        *to++ = ',';
        to = put_number(to, next_random(&seed) % 100000);
        *to++ = ',';
        to = put_number(to, next_random(&seed) % 365);
        *to++ = '\n';
    }
    *to = 0;
    return (size_t)(to - text);
}

static const char *read_number(const char *from, uint32_t *number) {
    uint32_t sum = 0;
    while (isdigit((unsigned char)*from))
        sum = sum * 10 + (uint32_t)(*from++ - '0');
    *number = sum;
    return from + 1;
}

static const char *read_string(const char *from, char *to, size_t size) {
    size_t length = 0;
    while (*from && *from != ',') {
        if (length + 1 < size)
            to[length++] = *from;
        from++;
    }
    memset(to + length, 0, size - length);
    return from + 1;
}

static const char *parse_order(const char *from, struct order *order) {
    from = read_number(from, &order->number);
    from = read_string(from, order->name, sizeof order->name);
    from = read_string(from, order->city, sizeof order->city);
    from = read_number(from, &order->amount);
    from = read_number(from, &order->price);
    return read_number(from, &order->day);
}

int parse_orders(const char *text, struct order *orders, int most) {
    int count = 0;
    while (*text && count < most)
        text = parse_order(text, &orders[count++]);
    return count;
}

int count_words(const char *text) {
    int count = 0, inside = 0;
    for (; *text; text++) {
        int letter = isalpha((unsigned char)*text) != 0;
        count += letter && !inside;
        inside = letter;
    }
    return count;
}

void capitalize(char *text) {
    for (int start = 1; *text; text++) {
        if (start)
            *text = (char)toupper((unsigned char)*text);
        start = *text == ',' || *text == '\n';
    }
}

size_t escape_html(const char *text, char *to) {
    char *start = to;
    for (; *text; text++) {
        switch (*text) {
        case '\n': to = put_string(to, "<br>"); break;
        case ',': to = put_string(to, "&#44;"); break;
        default: *to++ = *text;
        }
    }
    *to = 0;
    return (size_t)(to - start);
}

static char *format_line(const struct order *order) {
    char *line = malloc(96);
    snprintf(line, 96, "%06u %-12s %-10s %5u x %8.2f", order->number, order->name, order->city,
             order->amount, order->price / 100.0);
    return line;
}

static char *append(char *all, size_t *size, char *line) {
    size_t more = strlen(line);
    all = realloc(all, *size + more + 2);
    memcpy(all + *size, line, more);
    *size += more;
    all[(*size)++] = '\n';
    all[*size] = 0;
    free(line);
    return all;
}

char *report(const struct order *orders, int count) {
    char *all = NULL;
    size_t size = 0;
    for (int i = 0; i < count; i++)
        all = append(all, &size, format_line(&orders[i]));
    return all;
}
