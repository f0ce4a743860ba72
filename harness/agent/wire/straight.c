/* Packets that nothing holds up, from device to device. How it is called: straight.py, its only caller. */

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 65536, SMALL = 1024, BURST = 32, IPV4 = 4, DESTINATION = 16 };
enum { OTHER = -1, LATE = -2, FAILED = -3 };

struct route {
    uint64_t packets, bytes;
    uint32_t open;
};

struct devices {
    int epoll, hosts;
    const int *descriptors;
    const uint32_t *addresses; /* as packets have them */
    struct route *routes;       /* hosts times hosts, by source, then target */
    unsigned char *packet;
    int64_t size;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

/* The place of a host's device, or of its address; -1 where there is none. */
static int place(const uint32_t *values, int count, uint32_t value)
{
    for (int i = 0; i < count; i++)
        if (values[i] == value)
            return i;
    return -1;
}

/* Timeouts of epoll_wait are whole milliseconds; those of ppoll are exact. */
static void wait_until(int epoll, double until)
{
    double left = until - now();
    if (left <= 0)
        return;
    struct pollfd any = {epoll, POLLIN, 0};
    struct timespec timeout = {(time_t)left, (long)((left - (time_t)left) * 1e9)};
    ppoll(&any, 1, &timeout, NULL);
}

static struct route *route_of(const struct devices *d, int source, int *target)
{
    uint32_t address;
    memcpy(&address, d->packet + DESTINATION, sizeof address);
    if (d->size < DESTINATION + 4 || d->packet[0] >> 4 != IPV4)
        return NULL;
    *target = place(d->addresses, d->hosts, address);
    return *target < 0 ? NULL : &d->routes[source * d->hosts + *target];
}

/* Carry what one host sends. After a small packet there is hardly ever another, and to look takes its time. */
static int take(struct devices *d, int source)
{
    for (int i = 0; i < BURST; i++) {
        int target = 0;
        d->size = read(d->descriptors[source], d->packet, LARGEST);
        if (d->size < 0)
            return errno == EAGAIN || errno == EINTR ? OTHER : FAILED;
        struct route *route = route_of(d, source, &target);
        if (route == NULL || !route->open)
            return source;
        route->packets++;
        route->bytes += d->size;
        if (write(d->descriptors[target], d->packet, d->size) < 0)
            return FAILED;
        if (d->size < SMALL)
            break;
    }
    return OTHER;
}

/* One device at a time, since epoll puts that one behind the others: nobody waits for who has much to send.
   Carry packets until there is something else to do, at `until` at the latest; never late where that is negative. */
int carry(struct devices *d, double until)
{
    struct epoll_event event;
    for (;;) {
        if (until >= 0)
            wait_until(d->epoll, until);
        int ready = epoll_wait(d->epoll, &event, 1, until >= 0 ? 0 : -1);
        if (ready < 0 && errno != EINTR)
            return FAILED;
        if (ready > 0) {
            int source = place((const uint32_t *)d->descriptors, d->hosts, event.data.fd);
            if (source < 0)
                return OTHER;
            int result = take(d, source);
            if (result != OTHER)
                return result;
        }
        if (until >= 0 && now() >= until)
            return LATE;
    }
}
