/* lzpack: packs telemetry packets one by one, so that each can be unpacked
 * on its own, and checks every packet by unpacking it again.
 *
 *   lzpack PACKETS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PACKET_SIZE 60000
#define PACKED_LIMIT (PACKET_SIZE * 2)
#define HASH_BITS 23
#define MIN_MATCH 4
#define MAX_MATCH 130
#define CHAIN_LIMIT 400

typedef struct {
    size_t raw_bytes, packed_bytes;
    size_t matches, literals;
    uint32_t checksum;
} Totals;

static uint32_t next_random(void)
{
    static uint32_t rng_state = 20011;
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 17;
    rng_state ^= rng_state << 5;
    return rng_state;
}

/* Fills a packet with sensor lines; returns its length. */
static size_t make_packet(char *out, unsigned number)
{
    static const char *const sensors[] = {"boiler", "inlet", "outlet", "pump-a", "pump-b", "valve"};
    size_t used = 0;
    while (used + 96 < PACKET_SIZE) {
        uint32_t r = next_random();
        used += (size_t)snprintf(out + used, PACKET_SIZE - used, "%06u;%s;%u.%02u;id=%08x%08x\n",
                                 number, sensors[r % 6], (r >> 8) % 90 + 10, (r >> 16) % 100,
                                 next_random(), next_random());
    }
    return used;
}

static uint32_t adler32(const uint8_t *data, size_t length)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < length; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static inline uint32_t hash4(const uint8_t *p)
{
    uint32_t word;
    memcpy(&word, p, sizeof word);
    return word * 2654435761u >> (32 - HASH_BITS);
}

static size_t match_length(const uint8_t *a, const uint8_t *b, const uint8_t *end)
{
    size_t n = 0;
    while (n < MAX_MATCH && b + n < end && a[n] == b[n])
        n++;
    return n;
}

/* Literal runs: 0..127 then the bytes. Matches: 128 + length, then distance. */
static uint8_t *emit_literals(uint8_t *out, const uint8_t *from, const uint8_t *to, Totals *totals)
{
    totals->literals += (size_t)(to - from);
    while (from < to) {
        size_t run = (size_t)(to - from) < 128 ? (size_t)(to - from) : 128;
        *out++ = (uint8_t)(run - 1);
        memcpy(out, from, run);
        out += run;
        from += run;
    }
    return out;
}

static uint8_t *emit_match(uint8_t *out, size_t length, size_t distance, Totals *totals)
{
    totals->matches++;
    *out++ = (uint8_t)(128 + length - MIN_MATCH);
    *out++ = (uint8_t)distance;
    *out++ = (uint8_t)(distance >> 8);
    return out;
}

/* Follows the chain of earlier places with the same hash; places count from 1. */
static size_t longest_match(const uint8_t *data, size_t length, size_t pos, size_t place,
                            const uint16_t *earlier, size_t *distance)
{
    size_t best = 0;
    for (int tries = 0; place && tries < CHAIN_LIMIT; tries++, place = earlier[place]) {
        size_t n = match_length(data + place - 1, data + pos, data + length);
        if (n > best) {
            best = n;
            *distance = pos + 1 - place;
        }
    }
    return best;
}

static size_t pack(const uint8_t *data, size_t length, uint8_t *packed, Totals *totals)
{
    static uint16_t earlier[PACKET_SIZE + 1];
    uint32_t *heads = calloc((size_t)1 << HASH_BITS, sizeof *heads);
    if (!heads)
        exit(2);
    uint8_t *out = packed;
    size_t pending = 0;
    for (size_t pos = 0; pos + MIN_MATCH <= length; pos++) {
        size_t distance = 0, n = 0;
        uint32_t *head = &heads[hash4(data + pos)];
        if (pos >= pending)
            n = longest_match(data, length, pos, *head, earlier, &distance);
        earlier[pos + 1] = (uint16_t)*head;
        *head = (uint32_t)(pos + 1);
        if (n >= MIN_MATCH) {
            out = emit_literals(out, data + pending, data + pos, totals);
            out = emit_match(out, n, distance, totals);
            pending = pos + n;
        }
    }
    out = emit_literals(out, data + pending, data + length, totals);
    free(heads);
    return (size_t)(out - packed);
}

static size_t unpack(const uint8_t *packed, size_t length, uint8_t *data)
{
    const uint8_t *end = packed + length;
    uint8_t *out = data;
    while (packed < end) {
        unsigned code = *packed++;
        if (code < 128) {
            memcpy(out, packed, code + 1);
            out += code + 1;
            packed += code + 1;
            continue;
        }
        size_t distance = packed[0] | (size_t)packed[1] << 8;
        packed += 2;
        for (size_t n = code - 128 + MIN_MATCH; n > 0; n--, out++)
            *out = *(out - distance);
    }
    return (size_t)(out - data);
}

int main(int argc, char **argv)
{
    unsigned packets = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 160;
    static uint8_t raw[PACKET_SIZE], packed[PACKED_LIMIT], again[PACKET_SIZE];
    Totals totals = {0};

    for (unsigned i = 0; i < packets; i++) {
        size_t length = make_packet((char *)raw, i);
        size_t size = pack(raw, length, packed, &totals);
        if (unpack(packed, size, again) != length || memcmp(raw, again, length) != 0) {
            fprintf(stderr, "packet %u does not unpack to itself\n", i);
            return 1;
        }
        totals.raw_bytes += length;
        totals.packed_bytes += size;
        totals.checksum = totals.checksum * 31 + adler32(packed, size);
    }
    printf("%u packets: %zu bytes -> %zu bytes (%.1f %%), %zu matches, %zu literals, checksum %08x\n",
           packets, totals.raw_bytes, totals.packed_bytes,
           100.0 * (double)totals.packed_bytes / (double)totals.raw_bytes,
           totals.matches, totals.literals, totals.checksum);
    return 0;
}
