// Templates and functions that are put into others, in both units.
#pragma once
#include <stddef.h>

namespace shop {

template <typename T> struct Sum {
    T total = T();
    inline __attribute__((always_inline)) void add(T value, int turns) {
        total += scaled(value, turns);
    }
    // A loop, so that samples are taken here.
    inline __attribute__((always_inline)) T scaled(T value, int turns) {
        T result = value;
        for (int turn = 0; turn < turns; turn++)
            result = result * value + T(turn);
        return result;
    }
};

template <typename T, size_t N> __attribute__((noinline)) T fold(const T (&values)[N], int turns) {
    Sum<T> sum;
    for (const T &value : values)
        sum.add(value, turns);
    return sum.total;
}

double parse(const char *text);

}
