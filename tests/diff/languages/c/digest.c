/* Checksums and packing. */
#include "shop.h"
#include <string.h>

static uint32_t crc_table[256];

static void fill_crc_table(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++)
            value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
        crc_table[i] = value;
    }
}

uint32_t crc32_of(const void *data, size_t size) {
    const uint8_t *byte = data;
    uint32_t crc = ~0u;
    if (!crc_table[1])
        fill_crc_table();
    while (size--)
        crc = crc_table[(crc ^ *byte++) & 255] ^ crc >> 8;
    return ~crc;
}

uint32_t adler32_of(const void *data, size_t size) {
    const uint8_t *byte = data;
    uint32_t a = 1, b = 0;
    while (size--) {
        a = (a + *byte++) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

uint32_t fnv_of(const void *data, size_t size) {
    const uint8_t *byte = data;
    uint32_t hash = 2166136261u;
    while (size--)
        hash = (hash ^ *byte++) * 16777619u;
    return hash;
}

static uint32_t mix(uint32_t hash) {
    hash ^= hash >> 16;
    hash *= 0x85ebca6bu;
    hash ^= hash >> 13;
    hash *= 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

uint32_t murmur_of(const void *data, size_t size) {
    uint32_t hash = 0;
    for (const uint8_t *byte = data; size >= 4; size -= 4, byte += 4) {
        uint32_t word;
        memcpy(&word, byte, 4);
        hash = mix(hash ^ word);
    }
    return hash;
}

static size_t run_at(const char *text, size_t size) {
    size_t length = 1;
    while (length < size && length < 127 && text[length] == text[0])
        length++;
    return length;
}

size_t pack_runs(const char *text, size_t size, char *to) {
    size_t out = 0;
    while (size) {
        size_t length = run_at(text, size);
        if (length > 2) {
            to[out++] = (char)(128 + length);
            to[out++] = *text;
        } else {
            length = 1;
            to[out++] = *text;
        }
        text += length;
        size -= length;
    }
    return out;
}

size_t base64_of(const void *data, size_t size, char *to) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *byte = data;
    size_t out = 0;
    for (; size >= 3; size -= 3, byte += 3) {
        uint32_t three = (uint32_t)byte[0] << 16 | (uint32_t)byte[1] << 8 | byte[2];
        for (int shift = 18; shift >= 0; shift -= 6)
            to[out++] = digits[three >> shift & 63];
    }
    to[out] = 0;
    return out;
}
