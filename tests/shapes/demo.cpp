// A program whose recordings have all that perf's text can hold: threads with
// odd names, an anonymous namespace, spaces in names of functions, system
// calls, page faults and sleep.

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

static volatile unsigned long sink;

namespace {
__attribute__((noinline)) void spin(unsigned long rounds) {
    for (unsigned long i = 0; i < rounds; i++) sink += i * i;
}
}  // namespace

__attribute__((noinline)) void touch(size_t pages) {
    char *memory = static_cast<char *>(malloc(pages * 4096));
    for (size_t page = 0; page < pages; page++) memory[page * 4096] = 1;
    free(memory);
}

template <typename F>
__attribute__((noinline)) void apply(F work) {
    for (int round = 0; round < 4; round++) {
        work(2000000);
        touch(40);
        usleep(2000);
        close(open("/etc/hostname", O_RDONLY));
    }
}

static void *thread(void *name) {
    prctl(PR_SET_NAME, name);
    apply<std::function<void(unsigned long)>>(spin);
    return nullptr;
}

int main() {
    static const char *names[] = {"io:wrk/1 [x]", "worker 12", "[ET_NET 0]", "a 2.5: b", "12 34", "99"};
    for (const char *name : names) {
        pthread_t id;
        pthread_create(&id, nullptr, thread, const_cast<char *>(name));
        pthread_join(id, nullptr);
    }
    if (fork() == 0) {
        spin(1000000);
        _exit(0);
    }
    wait(nullptr);
    apply<void (*)(unsigned long)>(spin);
}
