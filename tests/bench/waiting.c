/* Programs whose threads wait for one another, and in which one function can be made faster:
 *
 *     waiting fork-join [FUNCTION FACTOR]
 *
 * Prints how many seconds it took. What each of them should show is at its functions.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MICROSECOND 520 /* rounds of the loop, about */

static const char *faster = "";
static double factor = 1;

static void spin(double microseconds, const char *name) {
    double by = strcmp(name, faster) == 0 ? factor : 1;
    unsigned long rounds = microseconds * MICROSECOND / by, x = 88172645463325252ul;
    for (unsigned long i = 0; i < rounds; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    __asm__ volatile("" : : "r"(x));
}

#define WORK(NAME)                                                                                 \
    __attribute__((noinline, noclone)) static void NAME(double microseconds) {                     \
        spin(microseconds, #NAME);                                                                 \
        __asm__ volatile("");                                                                      \
    }

static void start(pthread_t *threads, int count, void *(*run)(void *)) {
    for (long i = 0; i < count; i++)
        if (pthread_create(threads + i, NULL, run, (void *)i)) abort();
}

static void join(pthread_t *threads, int count) {
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

/* Two threads at a time: only the slow one matters, until it is as fast as the other. */
WORK(fast_part)
WORK(slow_part)
WORK(serial_part)

static void *part(void *number) {
    if (number) slow_part(160000);
    else fast_part(60000);
    return NULL;
}

static void fork_join(void) {
    for (int i = 0; i < 6; i++) {
        pthread_t threads[2];
        start(threads, 2, part);
        join(threads, 2);
        serial_part(40000);
    }
}

/* A pipe between two threads: the slower stage matters. */
WORK(produce)
WORK(consume)

static int ends[2];

static void *stage(void *number) {
    char item[4096] = {0};
    if (!number) {
        for (int i = 0; i < 240; i++) {
            produce(3000);
            if (write(ends[1], item, sizeof item) < 0) abort();
        }
        close(ends[1]);
        return NULL;
    }
    for (;;) {
        for (size_t have = 0; have < sizeof item;) {
            ssize_t got = read(ends[0], item + have, sizeof item - have);
            if (got <= 0) return NULL;
            have += got;
        }
        consume(5000);
    }
}

static void pipeline(void) {
    pthread_t threads[2];
    if (pipe(ends)) abort();
    start(threads, 2, stage);
    join(threads, 2);
}

/* Four threads and one lock: what is done under it matters. */
WORK(local_work)
WORK(critical)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *locking(void *unused) {
    for (int i = 0; i < 100; i++) {
        local_work(2000);
        pthread_mutex_lock(&lock);
        critical(3000);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void convoy(void) {
    pthread_t threads[4];
    start(threads, 4, locking);
    join(threads, 4);
}

/* Two workers and a queue with one large task late in it: that matters, then the others do. */
WORK(small_task)
WORK(big_task)
WORK(fill_queue)

enum { TASKS = 80, SMALL, BIG, LAST };

static int queue[TASKS + 2], first, last;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;

static void put(int task) {
    pthread_mutex_lock(&lock);
    queue[last++] = task;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

static int take(void) {
    pthread_mutex_lock(&lock);
    while (first == last)
        pthread_cond_wait(&filled, &lock);
    int task = queue[first++];
    pthread_mutex_unlock(&lock);
    return task;
}

static void *worker(void *unused) {
    for (int task; (task = take()) != LAST;) {
        if (task == BIG) big_task(500000);
        else small_task(10000);
    }
    return unused;
}

static void pool(void) {
    pthread_t threads[2];
    start(threads, 2, worker);
    for (int i = 0; i < TASKS; i++) {
        fill_queue(500);
        put(i == TASKS * 3 / 4 ? BIG : SMALL);
    }
    put(LAST);
    put(LAST);
    join(threads, 2);
}

/* One server and three clients: what the server does matters. */
WORK(prepare)
WORK(handle)
WORK(render)

enum { CLIENTS = 3, REQUESTS = 100 };

static int sockets[CLIENTS][2];

static void *serve(void *unused) {
    struct pollfd waiting[CLIENTS];
    for (int i = 0; i < CLIENTS; i++)
        waiting[i] = (struct pollfd){sockets[i][1], POLLIN, 0};
    for (int open = CLIENTS; open > 0;) {
        poll(waiting, CLIENTS, -1);
        for (int i = 0; i < CLIENTS; i++) {
            char byte;
            if (!waiting[i].revents) continue;
            if (read(waiting[i].fd, &byte, 1) <= 0) {
                waiting[i].fd = -1;
                open--;
                continue;
            }
            handle(4000);
            if (write(waiting[i].fd, &byte, 1) < 0) abort();
        }
    }
    return unused;
}

static void *request(void *number) {
    int server = sockets[(long)number][0];
    for (int i = 0; i < REQUESTS; i++) {
        char byte = 1;
        prepare(1200);
        if (write(server, &byte, 1) < 0 || read(server, &byte, 1) < 0) abort();
        render(800);
    }
    close(server);
    return NULL;
}

static void client_server(void) {
    pthread_t threads[CLIENTS], server;
    for (int i = 0; i < CLIENTS; i++)
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets[i])) abort();
    start(&server, 1, serve);
    start(threads, CLIENTS, request);
    join(threads, CLIENTS);
    join(&server, 1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

int main(int count, char **words) {
    static const struct {
        const char *name;
        void (*run)(void);
    } programs[] = {{"fork-join", fork_join}, {"pipeline", pipeline}, {"convoy", convoy},
                    {"pool", pool}, {"client-server", client_server}};
    if (count == 4) faster = words[2], factor = atof(words[3]);
    double began = now();
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (count > 1 && strcmp(words[1], programs[i].name) == 0) programs[i].run();
    printf("%.6f\n", now() - began);
    return 0;
}
