#include <stdio.h>
#include <stdlib.h>
/* Sums squares; prints the sum. */
static long square(long n) { return n * n; }
int main(int argc, char **argv)
{
	long sum = 0, end = argc > 1 ? atol(argv[1]) : 10;
	for (long n = 0; n < end; n++) {
		sum += square(n);
	}
	printf("%ld\n", sum);
	return 0;
}
