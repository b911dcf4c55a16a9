/* The functions of the C library that take the time: main > compare > memcmp, and main > search >
   strstr > those that strstr calls. */
#include <string.h>
static char a[1 << 20], b[1 << 20];
volatile int sink;
__attribute__((noinline)) void compare(void)
{ for (int i = 0; i < 300; i++) sink += memcmp(a, b, sizeof a); sink++; }
__attribute__((noinline)) void search(void)
{ for (int i = 0; i < 300; i++) sink += strstr(a, "zq") != 0; sink++; }
int main(void)
{
    memset(a, 'x', sizeof a - 1);
    memset(b, 'x', sizeof b - 1);
    compare();
    search();
    return 0;
}
