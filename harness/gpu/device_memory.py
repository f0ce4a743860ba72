"""What ``cudaMalloc`` gives: the device's own rules, as they were seen on an H100 (`tests/recorded/h100`)."""

from __future__ import annotations

from dataclasses import dataclass, field

MIB = 1 << 20
PAGE = 2 * MIB
"""What is taken from the device is whole pages; smaller blocks share one."""

SMALL, GRAIN = MIB, 512


@dataclass
class _Page:
    """A page that small blocks share: bytes that are left, and how many blocks are in it; ``number`` by age."""

    number: int
    room: int = PAGE
    blocks: int = 0


class _Pages:
    """The oldest page with room, in logarithmic time: a tree whose nodes hold the most room below them."""

    def __init__(self) -> None:
        self._pages: list[_Page] = []
        self._leaves = 1
        self._most = [0, 0]

    def add(self) -> _Page:
        if len(self._pages) == self._leaves:
            self._grow()
        page = _Page(len(self._pages))
        self._pages.append(page)
        return page

    def note(self, page: _Page) -> None:
        """Its room has changed; one without blocks is the device's again."""
        node = self._leaves + page.number
        self._most[node] = page.room if page.blocks else 0
        while node > 1:
            node //= 2
            self._most[node] = max(self._most[2 * node], self._most[2 * node + 1])

    def first(self, size: int) -> _Page | None:
        if self._most[1] < size:
            return None
        node = 1
        while node < self._leaves:
            node = 2 * node if self._most[2 * node] >= size else 2 * node + 1
        return self._pages[node - self._leaves]

    def _grow(self) -> None:
        """Twice as many, without those that are the device's again."""
        self._pages = [page for page in self._pages if page.blocks]
        for number, page in enumerate(self._pages):
            page.number = number
        self._leaves = max(1, 1 << (2 * len(self._pages)).bit_length())
        self._most = [0] * 2 * self._leaves
        for page in self._pages:
            self.note(page)


@dataclass(frozen=True)
class Block:
    """Something that was allocated: its ``size`` as the device rounds it, and the page that it shares, if it does."""

    size: int
    page: _Page | None


@dataclass
class DeviceMemory:
    """``free`` bytes of a device of ``total`` bytes, and what was asked of it.

    Holes count as room: freed pages of 2 MiB were seen to serve a larger block as well as whole ones. Within a page it
    is taken for granted, so that small blocks may need somewhat more than is said. ``least_free``: at any time.
    """

    free: int
    total: int
    mallocs: int = 0
    frees: int = 0
    least_free: int = field(init=False)
    _pages: _Pages = field(default_factory=lambda: _Pages())

    def __post_init__(self) -> None:
        self.least_free = self.free

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
        self._pages.note(page)
        if not page.blocks:
            self.free += PAGE

    def _take(self, size: int) -> bool:
        fits = size <= self.free
        self.free -= size if fits else 0
        self.least_free = self.free if self.free < self.least_free else self.least_free
        return fits

    def _small(self, size: int) -> Block | None:
        page = self._pages.first(size)
        if page is None:
            if not self._take(PAGE):
                return None
            page = self._pages.add()
        page.room -= size
        page.blocks += 1
        self._pages.note(page)
        return Block(size, page)


def _up(size: int, multiple: int) -> int:
    return -(-size // multiple) * multiple
