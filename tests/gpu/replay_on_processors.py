"""A trace through the pool of MXNet 2 on processors, by the product's own loop; ``limited_memory.c`` is preloaded."""

import ctypes
import json
import sys

import mxnet as mx
import pool_replay


class Counters(ctypes.Structure):
    """Those of ``limited_memory.c``."""

    _fields_ = [(name, ctypes.c_uint64) for name in ("mallocs", "frees", "held")]


def main():
    """Say what became of it, and what the pool had before."""
    counters = Counters.in_dll(ctypes.CDLL(None), "counters")
    first = pool_replay.empty(1, mx.cpu())  # the pool keeps its block
    del first
    mx.nd.waitall()
    before = {name: getattr(counters, name) for name, _ in Counters._fields_}
    found = pool_replay.replay(sys.argv[1], mx.cpu(), counters)
    calls = {name: getattr(counters, name) - before[name] for name in ("mallocs", "frees")}
    arrays = found.pop("arrays")  # they stay until all is counted
    print(json.dumps({**found, **calls, "before": before["held"]}))
    del arrays


if __name__ == "__main__":
    main()
