#pragma once

namespace shop {

inline long mix(long x) {
    for (int i = 0; i < 20; i++) x = x * 31 + (x >> 7);
    return x;
}

}  // namespace shop
