/* meter: prices the readings of electricity meters. Each zone has a file with
 * the price of every hour of the week; readings arrive in order of time.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ZONES 24
#define HOURS (24 * 7)
#define METERS 20000
#define SLOTS 65536

typedef struct {
    uint32_t meter, zone, hour;
    double kwh;
} Reading;

typedef struct {
    uint32_t meter, readings, unusual;
    double kwh, amount;
} Account;

static Account accounts[SLOTS];
static char folder[] = "/tmp/meter-XXXXXX";

static void give_up(const char *path)
{
    perror(path);
    exit(1);
}

static void zone_path(char *path, size_t size, uint32_t zone)
{
    snprintf(path, size, "%s/zone-%02u.tariff", folder, zone);
}

/* Prices follow the sun and the working day, a little different per zone. */
static void write_tariffs(void)
{
    char path[64];
    for (uint32_t zone = 0; zone < ZONES; zone++) {
        zone_path(path, sizeof path, zone);
        FILE *file = fopen(path, "wb");
        if (!file)
            give_up(path);
        for (int hour = 0; hour < HOURS; hour++) {
            double weekend = hour / 24 >= 5 ? 0.9 : 1.0;
            double price = weekend * (0.21 + 0.05 * sin((hour % 24 - 7) * 0.2618) + 0.002 * zone);
            fwrite(&price, sizeof price, 1, file);
        }
        fclose(file);
    }
}

static void remove_tariffs(void)
{
    char path[64];
    for (uint32_t zone = 0; zone < ZONES; zone++) {
        zone_path(path, sizeof path, zone);
        unlink(path);
    }
    rmdir(folder);
}

static uint64_t scramble(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Writes one line of the feed, as the collector delivers it. */
static void feed_line(char *line, size_t size, uint32_t number)
{
    uint64_t r = scramble(number + 1);
    uint32_t meter = (uint32_t)(r % METERS) + 100000;
    double kwh = 0.02 - 0.6 * log(1.0 - (double)(r >> 40 & 0xffff) / 65536.0);
    snprintf(line, size, "%u;%u;%u;%.3f\n", meter, meter % ZONES, number / 2500 % HOURS, kwh);
}

static int parse_line(const char *line, Reading *reading)
{
    char *end;
    reading->meter = (uint32_t)strtoul(line, &end, 10);
    reading->zone = (uint32_t)strtoul(end + 1, &end, 10);
    reading->hour = (uint32_t)strtoul(end + 1, &end, 10);
    reading->kwh = strtod(end + 1, &end);
    return *end == '\n' && reading->zone < ZONES && reading->hour < HOURS;
}

/* What a household of this kind draws on average at this hour of the week. */
static double usual_kwh(uint32_t meter, uint32_t hour)
{
    double turn = hour * (6.283185307179586 / HOURS), kwh = 0.6;
    for (int wave = 1; wave <= 14; wave++)
        kwh += cos(turn * wave - meter % 7) * 0.12 / wave;
    return kwh;
}

static double tariff_price(uint32_t zone, uint32_t hour)
{
    char path[64];
    double price = 0;
    zone_path(path, sizeof path, zone);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, (long)(hour * sizeof price), SEEK_SET) != 0 ||
        fread(&price, sizeof price, 1, file) != 1)
        give_up(path);
    fclose(file);
    return price;
}

/* Standing charge, a lower price above 1.5 kWh an hour, and tax. */
static double charge(const Reading *reading, double price)
{
    double over = reading->kwh > 1.5 ? reading->kwh - 1.5 : 0;
    double net = 0.013 + (reading->kwh - over) * price + over * price * 0.85;
    return round(net * 1.19 * 10000) / 10000;
}

static Account *account_of(uint32_t meter)
{
    size_t slot = scramble(meter) % SLOTS;
    while (accounts[slot].readings && accounts[slot].meter != meter)
        slot = (slot + 1) % SLOTS;
    accounts[slot].meter = meter;
    return &accounts[slot];
}

static void book(const Reading *reading)
{
    double price = tariff_price(reading->zone, reading->hour);
    Account *account = account_of(reading->meter);
    account->readings++;
    account->unusual += reading->kwh > 3 * usual_kwh(reading->meter, reading->hour);
    account->kwh += reading->kwh;
    account->amount += charge(reading, price);
}

static int by_amount(const void *a, const void *b)
{
    const Account *x = a, *y = b;
    return x->amount < y->amount ? 1 : x->amount > y->amount ? -1 : 0;
}

static void print_bill(size_t top)
{
    Account all = {0};
    qsort(accounts, SLOTS, sizeof *accounts, by_amount);
    for (size_t i = 0; i < SLOTS; i++) {
        all.kwh += accounts[i].kwh;
        all.amount += accounts[i].amount;
        all.unusual += accounts[i].unusual;
        if (i < top)
            printf("meter %u: %9.2f kWh %9.2f\n", accounts[i].meter, accounts[i].kwh, accounts[i].amount);
    }
    printf("in all: %.2f kWh, %.2f, %u unusual readings\n", all.kwh, all.amount, all.unusual);
}

int main(int argc, char **argv)
{
    uint32_t readings = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 600000;
    char line[80];
    Reading reading;
    if (!mkdtemp(folder))
        give_up(folder);
    write_tariffs();
    for (uint32_t i = 0; i < readings; i++) {
        feed_line(line, sizeof line, i);
        if (parse_line(line, &reading))
            book(&reading);
    }
    print_bill(5);
    remove_tariffs();
    return 0;
}
