"""The pools of MXNet 1.9.1 by their source, held to what the real ones did: `python simulate.py` prints the differences.

Rules: `src/storage/pooled_storage_manager.h` (RoundAllocSize, get_bucket, Alloc, ReleaseAll). The device's own rules
were read from allocator.json: above 1 MiB it gives whole 2 MiB, below it cuts blocks of 512 bytes out of 2 MiB.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
MIB = 1 << 20


def up(size: int, multiple: int) -> int:
    return -(-size // multiple) * multiple


class Device:
    def __init__(self, free: int) -> None:
        self.free, self.made, self.slabs, self.blocks = free, 0, {}, {}

    def malloc(self, size: int) -> int | None:
        self.made += 1
        if size > MIB:
            taken, slab = up(size, 2 * MIB), None
        else:
            size = up(size, 512)
            slab = next((each for each in self.slabs if self.slabs[each][0] >= size), None)
            taken = 2 * MIB if slab is None else 0
        if taken > self.free:
            return None
        self.free -= taken
        if size <= MIB:
            if slab is None:
                slab = self.made
                self.slabs[slab] = [2 * MIB, 0]
            self.slabs[slab][0] -= size
            self.slabs[slab][1] += 1
        self.blocks[self.made] = (slab, size, taken)
        return self.made

    def release(self, block: int) -> None:
        slab, size, taken = self.blocks.pop(block)
        if slab is None:
            self.free += taken
            return
        self.slabs[slab][0] += size
        self.slabs[slab][1] -= 1
        if not self.slabs[slab][1]:
            del self.slabs[slab]
            self.free += 2 * MIB


class Pool:
    def __init__(self, settings: dict, free: int, total: int) -> None:
        ask = {name.removeprefix("MXNET_GPU_MEM_"): value for name, value in settings.items()}
        self.kind = ask.get("POOL_TYPE", "Naive")
        self.page = int(ask.get("POOL_PAGE_SIZE", 4096))
        self.large = int(ask.get("LARGE_ALLOC_ROUND_SIZE", 2 * MIB))
        self.cutoff = int(ask.get("POOL_ROUND_LINEAR_CUTOFF", 24))
        self.reserve = total * int(ask.get("POOL_RESERVE", 5)) // 100
        self.device = Device(free)
        self.idle = defaultdict(list)
        self.held = self.mallocs = self.frees = 0

    def rounded(self, size: int) -> int:
        if self.kind == "Unpooled":
            return size
        if self.kind == "Naive":
            size = up(size, self.page)
            return up(size, self.large) if size > self.large else size
        power = (size - 1).bit_length()
        return up(size, 1 << self.cutoff) if power > self.cutoff else 1 << max(power, (self.page - 1).bit_length())

    def alloc(self, size: int) -> tuple[int | None, int]:
        size = self.rounded(size)
        if self.idle[size]:
            return self.idle[size].pop(), size
        if self.kind != "Unpooled" and (
            self.device.free <= self.reserve or size > self.device.free - self.reserve
        ):
            self.release_all()
        block = self._malloc(size)
        if block is None and self.kind != "Unpooled":
            self.release_all()
            block = self._malloc(size)
        return block, size

    def free(self, block: int, size: int) -> None:
        if self.kind == "Unpooled":
            self._free(block, size)
        else:
            self.idle[size].append(block)

    def release_all(self) -> None:
        for size, blocks in self.idle.items():
            for block in blocks:
                self._free(block, size)
        self.idle.clear()

    def _malloc(self, size: int) -> int | None:
        self.mallocs += 1
        block = self.device.malloc(size)
        self.held += size if block is not None else 0
        return block

    def _free(self, block: int, size: int) -> None:
        self.frees += 1
        self.device.release(block)
        self.held -= size


def replay(trace: str, scale: int, pool: Pool) -> dict:
    pool.free(*pool.alloc(1))  # as the replay's own first array
    arrays, peak, failure = {}, 0, None
    with gzip.open(HERE / f"{trace}.gz", "rt") as events:
        for number, (what, which, *size) in enumerate(map(str.split, events)):
            if what == "a":
                arrays[which] = pool.alloc(int(size[0]) * scale)
                if arrays[which][0] is None:
                    failure = number
                    break
            elif which in arrays:
                pool.free(*arrays.pop(which))
            peak = max(peak, pool.held)
    return {"failure": failure, "mallocs": pool.mallocs, "frees": pool.frees, "peak_held": peak, "end_held": pool.held}


def main() -> None:
    exact = total = 0
    for line in (HERE / "replays.jsonl").read_text().splitlines():
        real = json.loads(line)
        if real["waits"] != "1":
            continue
        limit = real["limit_gb"]
        size = int(limit * 2**30) if limit else real["total"]
        pooled = real["settings"].get("MXNET_GPU_MEM_POOL_TYPE") != "Unpooled"
        pool = Pool(real["settings"], real["free_before"] + pooled * 2 * MIB, size)  # its first array was in the pool
        found = replay(real["trace"], real["scale"], pool)
        there = {**{name: real[name] for name in found}, "failure": real["failure"] and real["failure"]["event"]}
        total += 1
        if found == there:
            exact += 1
        else:
            print(real["name"], {name: (found[name], there[name]) for name in found if found[name] != there[name]})
    print(f"{exact} of {total} exactly as on the GPU")


if __name__ == "__main__":
    main()
