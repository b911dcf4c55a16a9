#include "shop.h"

namespace {
struct Clock {
    volatile unsigned ticks = 0;
    inline unsigned next() { return ticks = ticks * 1103515245u + 12345u; }
};
}

static Clock clock_;

__attribute__((noinline)) static long long spin(int turns) {
    long long values[4] = {1, 2, 3, (long long)clock_.next()};
    return shop::fold(values, turns);
}

// With an argument, it runs for long enough to be recorded.
int main(int count, char **words) {
    long long sum = 0;
    int rounds = count > 1 ? 1500 : 10;
    for (int i = 0; i < rounds; i++)
        sum += spin(count > 1 ? 50000 : 10) + (long long)shop::parse(words[0]);
    return sum == 42;
}
