#include "shop.h"

static volatile int limit = 9;

static inline int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : limit; }

static inline double step(double value, char c) {
    auto shifted = [&](int by) { return value * 10 + by; };
    return shifted(digit(c));
}

namespace shop {

double parse(const char *text) {
    double value = 0;
    for (; *text; text++)
        value = step(value, *text);
    float halves[3] = {0.5f, 1.5f, (float)value};
    return value + fold(halves, 3);
}

}
