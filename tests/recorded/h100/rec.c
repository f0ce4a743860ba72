// Records allocations of CPU arrays: posix_memalign of MXNet's alignment (64), and their frees.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <pthread.h>
#define N (1<<20)
static struct { void *p; uint32_t id; } tab[N];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static FILE *lf; static uint32_t next_id = 1; static volatile int live;
static uint64_t h(void *p) { return ((uint64_t)p >> 6) * 0x9E3779B97F4A7C15ull >> 44; }
void rec_open(const char *n) { lf = fopen(n, "w"); }
void rec_close(void) { fclose(lf); lf = 0; }
int posix_memalign(void **p, size_t a, size_t s) {
  static int (*real)(void **, size_t, size_t); if (!real) real = dlsym(RTLD_NEXT, "posix_memalign");
  int r = real(p, a, s);
  if (!r && a == 64) { pthread_mutex_lock(&m); if (lf) { uint64_t i = h(*p); while (tab[i].p && tab[i].p != (void*)1) i = (i + 1) % N; tab[i].p = *p; tab[i].id = next_id; live++; fprintf(lf, "a %u %zu\n", next_id++, s); } pthread_mutex_unlock(&m); }
  return r; }
void free(void *p) {
  static void (*real)(void *); if (!real) real = dlsym(RTLD_NEXT, "free");
  if (p && live && !((uint64_t)p & 63)) { pthread_mutex_lock(&m); uint64_t i = h(p); while (tab[i].p) { if (tab[i].p == p) { tab[i].p = (void*)1; live--; if (lf) fprintf(lf, "f %u\n", tab[i].id); break; } i = (i + 1) % N; } pthread_mutex_unlock(&m); }
  real(p); }
