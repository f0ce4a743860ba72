from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from harness.base import outlet
from harness.base.errors import StuckError
from harness.base.outlet import Outlet


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    read, write = os.pipe()
    yield read, write
    os.close(read)
    os.close(write)


def test_what_does_not_go_is_kept_in_order(pipe: tuple[int, int]) -> None:
    read, write = pipe
    out = Outlet(write, "nobody", 60.0)
    data = bytes(range(256)) * 1000
    out.write(data[:200_000])
    out.write(data[200_000:])
    assert out.backlog == len(data) - 65536
    got = b""
    while len(got) < len(data):
        got += os.read(read, 50_000)
        out.flush()
    assert (got, out.backlog) == (data, 0)


def test_who_takes_nothing_is_given_up(pipe: tuple[int, int]) -> None:
    out = Outlet(pipe[1], "the agent", 0.05)
    out.check()
    out.write(bytes(100_000))
    out.check()
    time.sleep(0.06)
    with pytest.raises(StuckError, match=r"the agent has read nothing for 0.05 s"):
        out.check()


def test_no_more_is_kept_than_there_is_room_for(pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlet, "LARGEST_BACKLOG", 1000)
    out = Outlet(pipe[1], "the wire", 60.0)
    with pytest.raises(StuckError, match="the wire leaves 34464 bytes unread"):
        out.write(bytes(100_000))


def test_at_the_end_the_rest_is_tried_for_a_while(pipe: tuple[int, int]) -> None:
    out = Outlet(pipe[1], "nobody", 60.0)
    out.write(bytes(100_000))
    out.finish(0.02)
    assert out.backlog == 34464
    os.read(pipe[0], 65536)
    out.finish(1.0)
    assert out.backlog == 0
