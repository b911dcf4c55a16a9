/* Code that is made at run time, has a name in a perf map and no frame: main > call_made > made. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
volatile long sink;
/* mov %rdi, %rax; 1: dec %rax; jnz 1b; ret */
static const unsigned char code[] = { 0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3 };
__attribute__((noinline)) void call_made(long (*made)(long)) { sink += made(300000000); sink++; }
int main(void)
{
    void *page = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(page, code, sizeof code);
    char name[64];
    sprintf(name, "/tmp/perf-%d.map", getpid());
    FILE *map = fopen(name, "w");
    fprintf(map, "%lx %zx made\n", (long)page, sizeof code);
    fclose(map);
    for (int i = 0; i < 3; i++) call_made((long (*)(long))page);
    return 0;
}
