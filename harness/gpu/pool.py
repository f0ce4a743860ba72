"""MXNet's three memory pools on GPUs, by their source.

``src/storage/pooled_storage_manager.h`` of MXNet 1.9.1: ``RoundAllocSize`` (line 107) and ``Alloc`` (136) of Naive,
``get_bucket`` and ``get_size`` (271, 278) and ``Alloc`` (318) of Round. Unpooled is ``gpu_device_storage.h``: every
array is the device's own block.

``DirectFree`` is left out: workspaces that grow (``GetSpace`` in ``src/resource.cc``) go to the device at once, and a
trace does not tell which arrays these are.
"""

from __future__ import annotations

from harness.gpu.device_memory import Block, DeviceMemory
from harness.gpu.pool_settings import PoolSettings


class Pool:
    """Arrays in blocks of rounded sizes; a block that is freed waits for the next array of its size.

    ``held``: bytes of all blocks, by the pool's sizes (``used_memory_``); ``idle``: of those that wait.
    """

    def __init__(self, settings: PoolSettings, device: DeviceMemory) -> None:
        self.settings, self.device = settings, device
        self.held = self.idle = 0
        self._waiting: dict[int, list[Block]] = {}
        self._rounded: dict[int, int] = {}
        self._reserve = device.total * settings.reserve // 100

    def rounded(self, size: int) -> int:
        """Bytes of the block that an array of ``size`` bytes gets; few sizes come often."""
        known = self._rounded.get(size)
        if known is None:
            known = self._rounded[size] = self._round(size)
        return known

    def _round(self, size: int) -> int:
        settings = self.settings
        if settings.kind == "Unpooled":
            return size
        if settings.kind == "Naive":
            size = -(-size // settings.page_size) * settings.page_size
            return -(-size // settings.large_round) * settings.large_round if size > settings.large_round else size
        power = (size - 1).bit_length()
        if power > settings.cutoff:
            return -(-size >> settings.cutoff) << settings.cutoff
        return 1 << max(power, (settings.page_size - 1).bit_length())

    def allocate(self, size: int) -> Block | None:
        """A block for an array; None where the pool and the device have none, or the pool has no place for it."""
        size = self.rounded(size)
        if waiting := self._waiting.get(size):
            self.idle -= size
            return waiting.pop()
        return self._new(size) if size <= self.settings.most else None

    def free(self, block: Block, size: int) -> None:
        """Take back the block of an array of ``size`` bytes."""
        size = self.rounded(size)
        if self.settings.kind == "Unpooled":
            self._release(block, size)
        else:
            self.idle += size
            self._waiting.setdefault(size, []).append(block)

    def _new(self, size: int) -> Block | None:
        """Line 147: where too little would stay free, or the device has nothing, all that waits is given back first."""
        pooled, device = self.settings.kind != "Unpooled", self.device
        if pooled and (device.free <= self._reserve or size > device.free - self._reserve):
            self.release_all()
        block = device.malloc(size)
        if block is None and pooled:
            self.release_all()
            block = device.malloc(size)
        self.held += size if block is not None else 0
        return block

    def release_all(self) -> None:
        """Give all that waits back to the device."""
        for size, blocks in self._waiting.items():
            for block in blocks:
                self._release(block, size)
        self._waiting.clear()
        self.idle = 0

    def _release(self, block: Block, size: int) -> None:
        self.device.release(block)
        self.held -= size
