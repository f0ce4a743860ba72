"""What arms that take turns have in common, so that nothing but what they are tells them apart.

Python draws a seed for its hashes in every process, unless it is told (``PYTHONHASHSEED``). It decides which names
collide in dicts, and with that how fast one and the same program is for as long as it lives: a process and its twin
have the same one. Ranks keep different ones, as without the harness: what iterates over a set does so in another order
in each.

glibc gives freed memory back to the kernel where it happens to lie at the end of a heap. ps-lite's servers allocate
each message anew, so that by luck one has ten times the page faults of its twin for as long as it lives: 15 servers of
resnet18 with two workers had 1,000 to 18,000 a second, and in 7 of 7 pairs the side with more was slower, by up to
3.5 %. Servers in turns keep what they had.

Where its memory lies decides, too, how fast a program is. The kernel draws that for every process; so the agent lets
it draw nothing (`harness/agent/children.py`), and each worker and server moves its heap, and what it maps from then on,
by as many pages as its twin. A longer environment moves what lies on the stack and after it (Mytkowicz and others,
2009), so that it has a padding, too, as long as its twin's. Of one pair both have the same luck, as far as threads that
allocate at the same time let them, and other pairs have other luck: what is the same in all of them passes for an
effect, as it did (`docs/comparing.md`).
"""

from __future__ import annotations

import random
from collections.abc import Iterable

from harness.planning.plan import Arm
from harness.topologies import Role

HASH_SEED, PADDING, SHIFT = "PYTHONHASHSEED", "HARNESS_PADDING", "HARNESS_SHIFT"

LENGTHS = (512, 4608)
"""Bytes of a padding: long enough to lie among other allocations, and to move them by anything up to a page."""

SHIFTS = ((1, 1 << 16), (1, 1 << 14))
"""Pages by which what is mapped is moved, up to 256 MiB, and the heap, up to 64 MiB (`harness/worker/layout.py`).

As far as what caches and predictors tell addresses apart by; both count as memory that somebody may have limited.
"""

KEEPS_MEMORY = {
    "MALLOC_TRIM_THRESHOLD_": str(16 << 30),
    "MALLOC_TOP_PAD_": str(64 << 20),
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
}
"""For glibc's malloc (mallopt(3)): bytes that may lie free before any are given back, that a heap grows by, and from
which on memory is mapped for each allocation, which is the most that it takes.
"""

_MALLOC = ("MALLOC_", "GLIBC_TUNABLES")
"""How names begin by which somebody sets malloc."""

_OF_THREADS = ("OMP_NUM_THREADS", "MXNET_CPU_WORKER_NTHREADS")

_SEEDS = 1 << 32


def alike(arms: Iterable[Arm]) -> list[Arm]:
    """The arms; those that take turns as their company needs it.

    Processors are shared out, and processes stopped, as the one asks for that needs most: else it would be the harness
    that tells a side with two threads from a side with one.
    """
    known = list(arms)
    return [_among(arm, [each for each in known if each.repeat == arm.repeat]) if arm.turn else arm for arm in known]


def _among(arm: Arm, company: list[Arm]) -> Arm:
    asks_for_malloc = any(name.startswith(_MALLOC) for each in company for name in each.env)
    drawn = (_padded(_shifted(_hashed(role, arm), arm), arm) for role in arm.roles)
    return arm.model_copy(
        update={
            "threads": max(map(_threads, company)),
            "restless": any(map(_is_restless, company)),
            "roles": tuple(role if asks_for_malloc else _keeping(role) for role in drawn),
        }
    )


def _keeping(role: Role) -> Role:
    """A server that gives no memory back."""
    return role.model_copy(update={"env": {**KEEPS_MEMORY, **role.env}}) if role.is_server else role


def _threads(arm: Arm) -> int:
    """That compute, in each process: OpenMP's, the engine's, of which each context has its own, and what decodes."""
    omp, engine = (_number(arm.env.get(name, "1").partition(",")[0]) for name in _OF_THREADS)
    job = arm.workload
    contexts = len({each for each in job.contexts if each.startswith("cpu")}) or 1
    decoding = job.input.workers if job.input is not None and job.input.by == "record_iter" else 0
    return max(omp, engine * contexts, 1 + decoding)


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 1


def _is_restless(arm: Arm) -> bool:
    """Whether its processes compute while they wait for a turn.

    Horovod's do, OpenMP's threads for a while, and loaders, which a script may have, too: they have batches ready.
    """
    job = arm.workload
    ahead = job.script is not None or job.input is not None
    return job.loop == "horovod" or arm.env.get("OMP_NUM_THREADS", "1") != "1" or ahead


def _padded(role: Role, arm: Arm) -> Role:
    """As long as its twin's: what a side adds to its environment moves the rest by as much, wherever that lies."""
    length = _random(PADDING, role, arm).randrange(*LENGTHS)
    return role.model_copy(update={"env": {**role.env, PADDING: "x" * length}})


def _shifted(role: Role, arm: Arm) -> Role:
    """As its twin is."""
    drawn = _random(SHIFT, role, arm)
    pages = " ".join(str(drawn.randrange(*span)) for span in SHIFTS)
    return role.model_copy(update={"env": {**role.env, SHIFT: pages}})


def _hashed(role: Role, arm: Arm) -> Role:
    """With a seed from the scenario's, the repeat and the role, unless the arm has one of its own."""
    if HASH_SEED in arm.env:
        return role
    seed = _random(HASH_SEED, role, arm).randrange(1, _SEEDS)
    return role.model_copy(update={"env": {**role.env, HASH_SEED: str(seed)}})


def _random(what: str, role: Role, arm: Arm) -> random.Random:
    """Another for each pair and role."""
    return random.Random(f"{arm.workload.seed} {arm.repeat} {role.name} {what}")
