/* Preloaded: counts what a program asks of CUDA's allocator, and how long that takes. CUDA_COUNTING_TOTAL, if it is set,
   is told as the size of the device in bytes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define SLOTS (1u << 21)

struct { uint64_t mallocs, frees, failed, malloc_ns, free_ns, held; } cuda_counters;

static struct { void *block; uint64_t size; } known[SLOTS];
static void *const FREED = (void *)1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *real(const char *name) {
    void *runtime = dlopen("libcudart.so.11.0", RTLD_NOW);
    return runtime ? dlsym(runtime, name) : NULL;
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static uint32_t slot(const void *block) {
    return (uint32_t)(((uint64_t)block >> 9) * 0x9E3779B97F4A7C15ull >> 43);
}

static void note(void *block, uint64_t size) {
    uint32_t at = slot(block);
    while (known[at].block && known[at].block != FREED) at = (at + 1) % SLOTS;
    known[at].block = block;
    known[at].size = size;
}

static uint64_t forget(void *block) {
    uint32_t at = slot(block);
    for (uint32_t tried = 0; tried < SLOTS && known[at].block; tried++, at = (at + 1) % SLOTS)
        if (known[at].block == block) {
            known[at].block = FREED;
            return known[at].size;
        }
    return 0;
}

int cudaMalloc(void **block, size_t size) {
    static int (*allocate)(void **, size_t);
    if (!allocate) allocate = real("cudaMalloc");
    uint64_t began = now();
    int result = allocate(block, size);
    uint64_t took = now() - began;
    pthread_mutex_lock(&lock);
    cuda_counters.mallocs++;
    cuda_counters.malloc_ns += took;
    if (result) {
        cuda_counters.failed++;
    } else {
        cuda_counters.held += size;
        note(*block, size);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

int cudaFree(void *block) {
    static int (*release)(void *);
    if (!release) release = real("cudaFree");
    pthread_mutex_lock(&lock);
    uint64_t size = block ? forget(block) : 0;
    pthread_mutex_unlock(&lock);
    uint64_t began = now();
    int result = release(block);
    uint64_t took = now() - began;
    pthread_mutex_lock(&lock);
    cuda_counters.frees++;
    cuda_counters.free_ns += took;
    cuda_counters.held -= size;
    pthread_mutex_unlock(&lock);
    return result;
}

int cudaMemGetInfo(size_t *unused, size_t *total) {
    static int (*ask)(size_t *, size_t *);
    if (!ask) ask = real("cudaMemGetInfo");
    int result = ask(unused, total);
    const char *told = getenv("CUDA_COUNTING_TOTAL");
    if (told) *total = strtoull(told, NULL, 10);
    return result;
}
