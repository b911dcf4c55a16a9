/* Programs that wait in different ways. In each, heavy() is what the others wait for, and light() runs
 * beside it. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 6 };

static void spin(long milliseconds) {
    struct timespec start, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < milliseconds);
}

__attribute__((noinline)) static void heavy(void) {
    spin(60);
    __asm__ volatile("");
}

__attribute__((noinline)) static void light(void) {
    spin(12);
    __asm__ volatile("");
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Both count themselves as done, and the main thread waits for both. */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done;

static void *counted(void *is_heavy) {
    if (is_heavy) heavy();
    else light();
    pthread_mutex_lock(&lock);
    done++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void condition(void) {
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[2];
        done = 0;
        for (long i = 0; i < 2; i++)
            pthread_create(threads + i, NULL, counted, (void *)i);
        pthread_mutex_lock(&lock);
        while (done < 2)
            pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
    }
}

/* The writer holds the lock while it works; the reader works first, and then waits for it. */
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t together;

static void *writing(void *unused) {
    for (int round = 0; round < ROUNDS; round++) {
        pthread_rwlock_wrlock(&shared);
        pthread_barrier_wait(&together);
        heavy();
        pthread_rwlock_unlock(&shared);
        pthread_barrier_wait(&together);
    }
    return unused;
}

static void readers_and_writer(void) {
    pthread_t writer;
    pthread_barrier_init(&together, NULL, 2);
    pthread_create(&writer, NULL, writing, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&together);
        light();
        pthread_rwlock_rdlock(&shared);
        pthread_rwlock_unlock(&shared);
        pthread_barrier_wait(&together);
    }
    pthread_join(writer, NULL);
}

/* A semaphore says when to begin, another one when it is done. */
static sem_t begun, ended;

static void *on_demand(void *unused) {
    for (int round = 0; round < ROUNDS; round++) {
        sem_wait(&begun);
        heavy();
        sem_post(&ended);
    }
    return unused;
}

static void semaphores(void) {
    pthread_t thread;
    sem_init(&begun, 0, 0);
    sem_init(&ended, 0, 0);
    pthread_create(&thread, NULL, on_demand, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        sem_post(&begun);
        light();
        sem_wait(&ended);
    }
    pthread_join(thread, NULL);
}

/* The main thread waits for events, as servers do; two threads work, and write when they are done. */
static int tasks[2], results[2];

static void *pooled(void *unused) {
    char task;
    while (read(tasks[0], &task, 1) == 1 && task != 'q') {
        if (task == 'h') heavy();
        else light();
        if (write(results[1], &task, 1) != 1) abort();
    }
    return unused;
}

static void events(void) {
    pthread_t pool[2];
    int waiting = epoll_create1(0);
    if (pipe(tasks) || pipe(results)) abort();
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(waiting, EPOLL_CTL_ADD, results[0], &event);
    for (int i = 0; i < 2; i++)
        pthread_create(pool + i, NULL, pooled, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        if (write(tasks[1], "hl", 2) != 2) abort();
        for (int got = 0; got < 2;) {
            char result;
            epoll_wait(waiting, &event, 1, -1);
            if (read(results[0], &result, 1) == 1) got++;
        }
    }
    if (write(tasks[1], "qq", 2) != 2) abort();
    for (int i = 0; i < 2; i++)
        pthread_join(pool[i], NULL);
}

int main(int count, char **words) {
    const char *name = count > 1 ? words[1] : "";
    if (strcmp(name, "condition") == 0) condition();
    if (strcmp(name, "rwlock") == 0) readers_and_writer();
    if (strcmp(name, "semaphore") == 0) semaphores();
    if (strcmp(name, "epoll") == 0) events();
    return 0;
}
