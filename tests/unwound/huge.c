/* A frame that is larger than any copy of a stack: main > writes > burn. */
#include <string.h>
volatile long sink;
__attribute__((noinline)) long burn(long n)
{ volatile long s = 0; for (long i = 0; i < n; i++) s += i * i; return s; }
__attribute__((noinline)) long writes(long n)
{
    char buffer[65600];
    memset(buffer, (int)n, sizeof buffer);
    __asm__ volatile("" : : "r"(buffer) : "memory");
    return burn(n) + buffer[sink % 7];
}
int main(void) { for (int i = 0; i < 6; i++) sink += writes(10000000); return 0; }
