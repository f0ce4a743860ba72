"""Where memory lies: moved by as many pages as the plan says, where sides take turns (`harness/planning/twins.py`)."""

import _thread
import ctypes
import mmap
import os
from time import sleep

_AS_IT_IS, _ADDR_NO_RANDOMIZE = 0xFFFFFFFF, 0x0040000
"""Of personality(2), as the agent sets it (`harness/base/process.py`)."""

_HUGE_PAGE = 1 << 21
"""Kernels map at multiples of it what is a multiple of it long, and leave a hole above; some, all that is longer."""

_FAILED = ctypes.c_void_p(-1).value

_THREADS = 5
"""That MXNet's engine starts (`MXNET_CPU_PRIORITY_NTHREADS`, and one that computes)."""

_STACKS, _SMALL = 4, 1 << 18
"""So many stacks of the usual size does glibc keep, of 40 MiB; others are of so many bytes."""

_TASKS = "/proc/self/task"

_BLOCK, _HEAPS = 1 << 16, 1 << 28
"""Bytes: less than glibc maps by itself (`M_MMAP_THRESHOLD`), and more than fit between two heaps of threads."""

_MOST = 1 << 22
"""Bytes by which these are moved."""


def move():
    """Take addresses that nothing uses: what is mapped later lies below them, and what is on the heap above.

    Not where the kernel draws addresses all the same: returns whether it does not. What this process starts has drawn
    ones: it moves nothing.
    """
    pages = os.environ.pop("HARNESS_SHIFT", None)
    if pages is None:
        return False
    libc = ctypes.CDLL(None)
    flags = libc.personality(ctypes.c_ulong(_AS_IT_IS))
    if flags < 0 or not flags & _ADDR_NO_RANDOMIZE:
        return False
    libc.personality(ctypes.c_ulong(flags & ~_ADDR_NO_RANDOMIZE))
    mapped, heap = (int(number) * mmap.PAGESIZE for number in pages.split())
    _map_threads(libc, heap % _MOST)
    _fill(libc)
    _reserve(libc, mapped)
    trim = getattr(libc, "malloc_trim", None)  # glibc's
    if trim is not None:
        trim(ctypes.c_size_t(0))  # else what is free at its end would be used first
    libc.sbrk(ctypes.c_long(heap))
    return True


def _map_threads(libc, size):
    """Map, one after the other, what threads of the engine would map all at once: glibc keeps it for them.

    Heaps of threads begin at multiples of 64 MiB, wherever all else lies: so many bytes of each stay in use.
    """
    alone, gates = len(os.listdir(_TASKS)), []
    for number in range(_THREADS):
        usual = _thread.stack_size(_SMALL if number >= _STACKS else 0)
        there, leave = gate = _thread.allocate_lock(), _thread.allocate_lock()
        for lock in gate:
            lock.acquire()
        _thread.start_new_thread(_stay, (libc, size, there, leave))
        there.acquire()
        _thread.stack_size(usual)
        gates.append(leave)
    while gates:
        gates.pop().release()
        _await(alone + len(gates))


def _await(threads):
    """Until no more than so many are left, or half a second is over: heaps are taken again in the order of going."""
    for _ in range(500):
        if len(os.listdir(_TASKS)) <= threads:
            return
        sleep(0.001)


def _stay(libc, size, there, leave):
    """Of a heap that no other thread has while this one is there."""
    for taken in range(0, size + 1, _BLOCK):
        libc.malloc(ctypes.c_size_t(min(_BLOCK, size - taken + 1)))
    there.release()
    leave.acquire()


def _fill(libc):
    """Take what lies between heaps of threads: it would be the same for all, and is mapped before what is below."""
    below = _map(libc, _HEAPS)
    if below == _FAILED:
        return
    libc.munmap(ctypes.c_void_p(below), ctypes.c_size_t(_HEAPS))
    while True:
        where = _map(libc, _BLOCK)
        if where == _FAILED:
            return
        if where < below + _HEAPS:
            libc.munmap(ctypes.c_void_p(where), ctypes.c_size_t(_BLOCK))
            return


def _reserve(libc, size):
    """So many bytes, from above; nothing where that is refused."""
    whole = -(-size // _HUGE_PAGE) * _HUGE_PAGE + mmap.PAGESIZE
    where = _map(libc, whole)
    if where != _FAILED:
        libc.munmap(ctypes.c_void_p(where), ctypes.c_size_t(whole - size))


def _map(libc, size):
    """Addresses that nobody may read."""
    libc.mmap.restype = ctypes.c_void_p
    private, nobody = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 0
    length, nowhere = ctypes.c_size_t(size), ctypes.c_void_p(None)
    return libc.mmap(nowhere, length, nobody, private, -1, ctypes.c_long(0))
