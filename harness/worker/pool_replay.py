"""A trace of allocations through MXNet's own pool on a GPU; run by itself in a target, as ``harness pool`` asks.

``TRACE GPU FREE`` with the trace's lines (`harness/gpu/allocation_trace.py`), the GPU's number, and how many bytes are
left to the process, 0 for all: a block holds the rest. No kernel is launched, so that any GPU will do.
`harness/gpu/counting.c` is preloaded and counts. One line of JSON on standard output says what became of it.
"""

import ctypes
import gzip
import json
import sys
import time

import mxnet as mx

COUNTERS = ("mallocs", "frees", "failed", "malloc_ns", "free_ns", "held")
LONGEST = (1 << 31) - 1
"""Elements of an array that every MXNet takes: 16 GiB of the widest."""


class Counters(ctypes.Structure):
    """``cuda_counters`` of `counting.c`."""

    _fields_ = [(name, ctypes.c_uint64) for name in COUNTERS]


def events(path):
    """``(array, bytes)``, 0 bytes where it is freed."""
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as lines:
        for line in lines:
            words = line.split()
            if words:
                yield int(words[1]), int(words[2]) if words[0] == "a" else 0


def empty(size, context):
    """An array of so many bytes, which nothing writes to."""
    kind, width = ("uint8", 1) if size <= LONGEST else ("float64", 8)
    return mx.nd.empty((-(-size // width),), dtype=kind, ctx=context)


def hold_all_but(free, runtime):
    """One block of the device's own, outside the pool; returns what is really free then, in bytes."""
    known, total, block = ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_void_p()
    runtime.cudaMemGetInfo(ctypes.byref(known), ctypes.byref(total))
    rest = known.value - free if free else 0
    if rest < 0:
        raise SystemExit("only %d bytes of the GPU are free, and %d are asked for" % (known.value, free))
    if rest and runtime.cudaMalloc(ctypes.byref(block), ctypes.c_size_t(rest)):
        raise SystemExit("the GPU's other %d bytes cannot be held; is another process using it?" % rest)
    runtime.cudaMemGetInfo(ctypes.byref(known), ctypes.byref(total))
    return known.value  # the device gives whole pages


def largest(context, most):
    """Of the arrays that can still be had, by trying, to within 1 MiB or a thousandth; at most what MXNet can name."""
    low, high = 0, min(most, 8 * LONGEST)
    while high - low > max(1 << 20, most // 1000):
        middle = (low + high) // 2
        try:
            array = empty(middle, context)
        except mx.MXNetError:
            high = middle
        else:
            del array
            mx.nd.waitall()
            low = middle
    return low


def replay(path, context, counters):
    """Every event, until one fails: each array is freed, and is back in the pool, before the next event."""
    arrays, sizes = {}, {}
    live = peak_live = peak_held = beyond = count = 0
    before, failure, began = counters.held, None, time.perf_counter()
    for count, (array, size) in enumerate(events(path), 1):
        if size:
            try:
                arrays[array] = empty(size, context)
            except mx.MXNetError as error:
                said = str(error).strip().splitlines()[-1]
                held = counters.held - before
                failure = {"event": count - 1, "size": size, "live": live, "held": held, "said": said}
                break
            sizes[array] = size
        else:
            del arrays[array]
            mx.nd.waitall()
        live += size or -sizes.pop(array)
        held = counters.held - before
        peak_live, peak_held, beyond = max(peak_live, live), max(peak_held, held), max(beyond, held - live)
    return {
        "seconds": time.perf_counter() - began,
        "events": count,
        "peak_live": peak_live,
        "peak_held": peak_held,
        "end_live": live,
        "end_held": counters.held - before,
        "fragmentation": beyond,
        "failure": failure,
        "arrays": arrays,
    }


def main():
    """Replay what the arguments name."""
    path, gpu, free = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    context, own = mx.gpu(gpu), ctypes.CDLL(None)
    counters = Counters.in_dll(own, "cuda_counters")
    runtime = ctypes.CDLL("libcudart.so.11.0")
    runtime.cudaMalloc.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    mx.nd.waitall()
    first = empty(1, context)  # with it come the device's context and the pool, which keeps its block
    del first
    mx.nd.waitall()
    if not counters.mallocs:
        raise SystemExit(
            "calls of cudaMalloc are not seen: this MXNet has a CUDA runtime of its own inside, or not CUDA 11"
        )
    left = hold_all_but(free, runtime)
    calls = counters.mallocs, counters.frees
    found = replay(path, context, counters)
    found["mallocs"], found["frees"] = counters.mallocs - calls[0], counters.frees - calls[1]
    arrays = found.pop("arrays")
    found["largest"] = largest(context, left)
    del arrays
    sys.stdout.write(json.dumps({"free": left, "mxnet": mx.__version__, **found}) + "\n")


if __name__ == "__main__":
    main()
