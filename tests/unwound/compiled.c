/* What compilers do with the stack: saved registers, memory of a size that is not known, a jump
   through a table, a return in the middle, an argument on the stack, a tail call.
   main > each of the six > burn */
#include <alloca.h>
volatile long sink;
__attribute__((noinline)) long burn(long n)
{ volatile long s = 0; for (long i = 0; i < n; i++) s += i * i; return s; }
__attribute__((noinline)) long saves(long n)
{
    long a = sink, b = sink * 3, c = sink ^ 5, d = sink + 7;
    long s = burn(n);
    return s + a * b + c * d + burn(n) + a + b + c + d;
}
__attribute__((noinline)) long sized(long n)
{
    char *bytes = alloca(n % 100 + 16);
    bytes[n % 7] = 1;
    sink += bytes[0];
    return burn(n) + bytes[n % 7];
}
__attribute__((noinline)) long table(long n)
{
    switch (n % 8) {
    case 0: return burn(n) + 1;
    case 1: return burn(n + 1) * 3;
    case 2: return burn(n + 2) - 4;
    case 3: return burn(n + 3) ^ 9;
    case 4: return burn(n + 4) * burn(3);
    case 5: return burn(n + 5) + 77;
    case 6: return burn(n + 6) / 3;
    default: return burn(n + 7) % 11;
    }
}
__attribute__((noinline)) long early(long n)
{
    if (sink == 12345) return 1;
    long kept = sink;
    if (n % 2 && burn(n) == 3) return kept;
    return burn(n) + kept;
}
__attribute__((noinline)) long many(long a, long b, long c, long d, long e, long f, long g, long h)
{ return burn(a) + b + c + d + e + f + g + h; }
__attribute__((noinline)) long passes(long n) { return many(n, 1, 2, 3, 4, 5, sink, n) + 1; }
int main(void)
{
    for (int i = 0; i < 8; i++) {
        long n = 4000000 + i;
        sink += saves(n) + sized(n) + table(n) + early(n) + passes(n);
    }
    return 0;
}
