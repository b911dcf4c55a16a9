// A thread that sorts, whose comparison is interrupted by a signal, whose
// handler calls code that was made at run time.
//
// cc -O2 -o shapes shapes.c -lpthread

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "snapshot.h"

volatile word sink;

// push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret
static const char CODE[] = "\x55\x48\x89\xe5\xff\xd7\x5d\xc3";
static void (*made_code)(void (*)(void));

static void on_signal(int signal) {
    made_code(snapshot);
    sink = signal;
}

static int compare(const void *one, const void *other) {
    raise(SIGUSR1);
    return *(const char *)one - *(const char *)other;
}

__attribute__((noinline)) static void sorts(void) {
    char text[] = "text";
    qsort(text, strlen(text), 1, compare);
    sink = text[0];
}

static void *start(void *nothing) {
    sorts();
    sink = 1;
    return nothing;
}

int main(void) {
    void *memory = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    made_code = (void (*)(void (*)(void)))memcpy(memory, CODE, sizeof CODE);
    signal(SIGUSR1, on_signal);
    pthread_t thread;
    pthread_create(&thread, 0, start, 0);
    pthread_join(thread, 0);
    return 1;
}
