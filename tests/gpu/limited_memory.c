/* Preloaded: what MXNet 2's pools on processors ask of the C library, counted, from a device of LIMITED_MEMORY bytes: they
   allocate aligned to 64 bytes, and ask sysinfo how much is free (`src/storage/storage_manager_helpers.h`). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/sysinfo.h>

#define SLOTS (1u << 18)

struct { uint64_t mallocs, frees, held; } counters;

static struct { void *block; uint64_t size; } known[SLOTS];
static void *const FREED = (void *)1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t limit(void) {
    static uint64_t bytes;
    if (!bytes) bytes = strtoull(getenv("LIMITED_MEMORY"), NULL, 10);
    return bytes;
}

static uint32_t slot(const void *block) {
    return (uint32_t)(((uint64_t)block >> 6) * 0x9E3779B97F4A7C15ull >> 46);
}

static int granted(uint64_t size) {
    counters.mallocs++;
    if (counters.held + size > limit()) return 0;
    counters.held += size;
    return 1;
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    static int (*allocate)(void **, size_t, size_t);
    if (!allocate) allocate = dlsym(RTLD_NEXT, "posix_memalign");
    if (alignment != 64) return allocate(block, alignment, size);
    pthread_mutex_lock(&lock);
    int result = granted(size) ? allocate(block, alignment, size) : ENOMEM;
    if (!result) {
        uint32_t at = slot(*block);
        while (known[at].block && known[at].block != FREED) at = (at + 1) % SLOTS;
        known[at].block = *block;
        known[at].size = size;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

void free(void *block) {
    static void (*release)(void *);
    if (!release) release = dlsym(RTLD_NEXT, "free");
    pthread_mutex_lock(&lock);
    uint32_t at = slot(block);
    while (block && known[at].block && known[at].block != block) at = (at + 1) % SLOTS;
    if (block && known[at].block) {
        counters.frees++;
        counters.held -= known[at].size;
        known[at].block = FREED;
    }
    pthread_mutex_unlock(&lock);
    release(block);
}

int sysinfo(struct sysinfo *said) {
    static int (*ask)(struct sysinfo *);
    if (!ask) ask = dlsym(RTLD_NEXT, "sysinfo");
    int result = ask(said);
    said->totalram = limit();
    said->freeram = limit() - counters.held;
    said->mem_unit = 1;
    return result;
}
