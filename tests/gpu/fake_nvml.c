/* A libnvidia-ml.so.1 that answers what the file FAKE_NVML says: of each GPU a line of numbers, in the order of `struct
   gpu`, then its name. A question whose bit is set in `refused` gets "not supported"; after `lives` samples a GPU is
   lost. FAKE_NVML_XID: an error that is told once. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OK = 0, INVALID = 2, UNSUPPORTED = 3, TIMEOUT = 10, LOST = 15 };
enum { MEMORY = 1, UTILISATION = 2, CLOCK = 4, POWER = 8, TEMPERATURE = 16, ECC = 32, REPLAY = 64, PCIE = 128,
       REASONS = 256, PROCESSES = 512, EVENTS = 1024, LINKS = 2048 };

static struct gpu {
    int major, minor, mig;
    unsigned long long total, used;
    unsigned load, sm, memory, power, temperature;
    unsigned long long reasons;
    int refused, lives;
    char name[96];
} gpus[8];
static int count, told;

#define ASK(question) \
    struct gpu *gpu = device; \
    if (gpu->lives == 0) return LOST; \
    if (gpu->refused & (question)) return UNSUPPORTED

int nvmlInitWithFlags(unsigned flags) {
    FILE *file = fopen(getenv("FAKE_NVML"), "r");
    count = 0;
    if (!file) return 9;
    while (count < 8) {
        struct gpu *g = &gpus[count];
        if (fscanf(file, "%d %d %d %llu %llu %u %u %u %u %u %llu %d %d %95[^\n]\n", &g->major, &g->minor, &g->mig,
                   &g->total, &g->used, &g->load, &g->sm, &g->memory, &g->power, &g->temperature, &g->reasons,
                   &g->refused, &g->lives, g->name) != 14) break;
        count++;
    }
    fclose(file);
    return OK;
}
int nvmlShutdown(void) { return OK; }
const char *nvmlErrorString(int code) { return "a word of the driver's"; }
int nvmlSystemGetDriverVersion(char *text, unsigned size) { strncpy(text, "470.42.01", size); return OK; }
int nvmlSystemGetCudaDriverVersion_v2(int *version) { *version = 11040; return OK; }
int nvmlDeviceGetCount_v2(unsigned *number) { *number = count; return OK; }
int nvmlDeviceGetHandleByIndex_v2(unsigned number, void **device) {
    if ((int)number >= count) return INVALID;
    if (gpus[number].lives == 0) return LOST;
    *device = &gpus[number];
    return OK;
}
int nvmlDeviceGetName(void *device, char *text, unsigned size) { strncpy(text, ((struct gpu *)device)->name, size); return OK; }
static int is_slice(void *device);
int nvmlDeviceGetUUID(void *device, char *text, unsigned size) {
    if (is_slice(device)) { strncpy(text, device, size); return OK; }
    snprintf(text, size, "GPU-%d", (int)((struct gpu *)device - gpus));
    return OK;
}
int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor) {
    *major = ((struct gpu *)device)->major;
    *minor = ((struct gpu *)device)->minor;
    return OK;
}
int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *then) {
    *now = *then = ((struct gpu *)device)->mig;
    return OK;
}
/* A split GPU has two slices, in the first and the third of its places. */
int nvmlDeviceGetMaxMigDeviceCount(void *device, unsigned *number) { *number = 3; return OK; }
static struct slice { char name[32]; } slices[3] = {{"MIG-one"}, {""}, {"MIG-two"}};
int nvmlDeviceGetMigDeviceHandleByIndex(void *device, unsigned place, void **slice) {
    if (place == 1) return 6;
    *slice = &slices[place];
    return OK;
}
static int is_slice(void *device) { return (char *)device >= (char *)slices && (char *)device < (char *)(slices + 3); }
struct field { unsigned id, scope; long long time, latency; unsigned kind; int result; unsigned long long value; };
int nvmlDeviceGetFieldValues(void *device, int number, struct field *fields) {
    struct gpu *gpu = device;
    if (gpu->lives == 0) return LOST;
    fields->result = gpu->refused & LINKS ? UNSUPPORTED : fields->scope == 0xFFFFFFFF ? OK : INVALID;
    fields->value = fields->id == 138 ? 1000 : 3000;
    return OK;
}
int nvmlDeviceGetMemoryInfo(void *device, unsigned long long *info) {
    struct gpu *lost = device;
    if (lost->lives > 0) lost->lives--;
    ASK(MEMORY);
    info[0] = gpu->total, info[1] = gpu->total - gpu->used, info[2] = gpu->used;
    return OK;
}
int nvmlDeviceGetUtilizationRates(void *device, unsigned *rates) {
    ASK(UTILISATION);
    rates[0] = gpu->load, rates[1] = 0;
    return OK;
}
int nvmlDeviceGetClockInfo(void *device, int kind, unsigned *clock) {
    ASK(CLOCK);
    *clock = kind == 1 ? gpu->sm : gpu->memory;
    return OK;
}
int nvmlDeviceGetPowerUsage(void *device, unsigned *power) { ASK(POWER); *power = gpu->power; return OK; }
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *heat) { ASK(TEMPERATURE); *heat = gpu->temperature; return OK; }
int nvmlDeviceGetTotalEccErrors(void *device, int kind, int since, unsigned long long *errors) { ASK(ECC); *errors = 0; return OK; }
int nvmlDeviceGetPcieReplayCounter(void *device, unsigned *replays) { ASK(REPLAY); *replays = 7; return OK; }
int nvmlDeviceGetPcieThroughput(void *device, int way, unsigned *rate) { ASK(PCIE); *rate = way ? 300 : 200; return OK; }
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons) { ASK(REASONS); *reasons = gpu->reasons; return OK; }
/* FAKE_NVML_PROCESSES: as in "10:500 10:700 21:-", with what each holds, which is not told where a dash stands. */
struct process { unsigned pid; unsigned long long used; unsigned gi, ci; };
int nvmlDeviceGetComputeRunningProcesses_v2(void *device, unsigned *number, struct process *infos) {
    ASK(PROCESSES);
    const char *rest = getenv("FAKE_NVML_PROCESSES");
    unsigned there = 0, room = *number, pid;
    char used[24];
    for (int length; rest && sscanf(rest, "%u:%23s%n", &pid, used, &length) == 2; rest += length, there++)
        if (there < room) infos[there] = (struct process){pid, *used == '-' ? ~0ULL : strtoull(used, NULL, 10), 0, 0};
    *number = there;
    return there > room ? 7 : OK;
}
#ifndef OLD
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *number, struct process *infos) {
    return nvmlDeviceGetComputeRunningProcesses_v2(device, number, infos);
}
#endif
int nvmlDeviceGetNvLinkState(void *device, unsigned link, unsigned *up) {
    ASK(LINKS);
    if (link >= 12) return INVALID;
    *up = 1;
    return OK;
}
int nvmlDeviceGetTopologyCommonAncestor(void *one, void *other, int *near) { *near = 30; return OK; }
int nvmlDeviceGetP2PStatus(void *one, void *other, int what, int *status) {
    *status = ((struct gpu *)one)->refused & LINKS ? 1 : 0;
    return OK;
}
int nvmlEventSetCreate(void **set) { *set = &told; return OK; }
int nvmlDeviceRegisterEvents(void *device, unsigned long long kinds, void *set) { ASK(EVENTS); return OK; }
struct event { void *device; unsigned long long kind, data; unsigned gi, ci; };
int nvmlEventSetWait_v2(void *set, struct event *event, unsigned milliseconds) {
    const char *xid = getenv("FAKE_NVML_XID");
    usleep(milliseconds * 1000);
    if (!xid || told) return TIMEOUT;
    told = 1;
    event->device = &gpus[0], event->kind = 8, event->data = strtoull(xid, NULL, 10);
    return OK;
}
