"""What ``cudaMalloc`` gives: the device's own rules, as they were seen on an H100 (`tests/recorded/h100`)."""

from __future__ import annotations

from dataclasses import dataclass, field

MIB = 1 << 20
PAGE = 2 * MIB
"""What is taken from the device is whole pages; smaller blocks share one."""

SMALL, GRAIN = MIB, 512


@dataclass
class _Page:
    """A page that small blocks share: bytes that are left, and how many blocks are in it."""

    room: int = PAGE
    blocks: int = 0


@dataclass(frozen=True)
class Block:
    """Something that was allocated: its ``size`` as the device rounds it, and the page that it shares, if it does."""

    size: int
    page: _Page | None


@dataclass
class DeviceMemory:
    """``free`` bytes of a device of ``total`` bytes, and what was asked of it.

    Holes count as room: freed pages of 2 MiB were seen to serve a larger block as well as whole ones.
    """

    free: int
    total: int
    mallocs: int = 0
    frees: int = 0
    _open: list[_Page] = field(default_factory=list)

    def malloc(self, size: int) -> Block | None:
        """Memory for ``size`` bytes; None where there is none (``cudaErrorMemoryAllocation``)."""
        self.mallocs += 1
        if size <= SMALL:
            return self._small(_up(size, GRAIN))
        whole = _up(size, PAGE)
        return Block(whole, None) if self._take(whole) else None

    def release(self, block: Block) -> None:
        """Give back what was allocated, once."""
        self.frees += 1
        if block.page is None:
            self.free += block.size
            return
        page = block.page
        page.room += block.size
        page.blocks -= 1
        if not page.blocks:
            self._open.remove(page)
            self.free += PAGE

    def _take(self, size: int) -> bool:
        fits = size <= self.free
        self.free -= size if fits else 0
        return fits

    def _small(self, size: int) -> Block | None:
        page = next((page for page in self._open if page.room >= size), None)
        if page is None:
            if not self._take(PAGE):
                return None
            page = _Page()
            self._open.append(page)
        page.room -= size
        page.blocks += 1
        return Block(size, page)


def _up(size: int, multiple: int) -> int:
    return -(-size // multiple) * multiple
