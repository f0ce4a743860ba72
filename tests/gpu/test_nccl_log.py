from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness.gpu.nccl_log import NcclLog, first_warnings, read

OF_A_RANK = """\
epoch 0
node-1:913:913 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>
node-1:913:913 [0] NCCL INFO NET/IB : No device found.
node-1:913:913 [0] NCCL INFO Using network Socket
NCCL version 2.13.4+cuda11.7
node-1:913:951 [0] NCCL INFO Channel 00/02 :    0   1   2
node-1:913:951 [0] NCCL INFO Channel 00/0 : 0[1000] -> 1[4000] via P2P/IPC/read
node-1:913:951 [0] NCCL INFO Channel 01/0 : 0[1000] -> 1[4000] via P2P/IPC/read
node-1:913:951 [0] NCCL INFO Channel 00 : 1[4000] -> 2[1000] [send] via NET/Socket/0
node-1:913:951 [0] NCCL INFO Ring 00 : 2 -> 0 [receive] via NET/Socket/0
node-1:913:951 [0] NCCL INFO comm 0x7f31 rank 0 nranks 3 cudaDev 0 busId 1000 - Init COMPLETE

node-1:913:960 [0] misc/socket.cc:521 NCCL WARN Net : Connection closed by remote peer 10.0.0.2<4242>
node-1:913:960 [0] NCCL INFO misc/socket.cc:529 -> 6
node-1:913:960 [0] misc/socket.cc:521 NCCL WARN Net : Connection closed by remote peer 10.0.0.2<4242>
"""


def test_version_network_ways_and_warnings_are_read_each_once() -> None:
    assert read(OF_A_RANK) == NcclLog(
        version="2.13.4",
        network="Socket",
        ways={"0->1": "P2P/IPC/read", "1->2": "NET/Socket/0", "2->0": "NET/Socket/0"},
        warnings=("misc/socket.cc:521: Net : Connection closed by remote peer 10.0.0.2<4242>",),
    )


def test_old_versions_say_it_otherwise() -> None:
    found = read(
        "host:1:1 [0] NCCL INFO Using internal Network Socket\nhost:1:1 [0] NCCL WARN Error opening libibverbs.so\n"
    )
    assert (found.network, found.warnings) == ("Socket", ("Error opening libibverbs.so",))


def test_a_log_without_nccl_says_nothing() -> None:
    assert read("epoch 0: loss 2.3\nvia NET/Socket/0\n").says_nothing
    assert not read("NCCL version 2.21.5+cuda11.0").says_nothing


def test_what_was_not_said_is_no_fact() -> None:
    assert read("NCCL version 2.21.5+cuda11.0").facts() == {"version": "2.21.5"}


def test_of_many_warnings_the_first_ten_are_kept() -> None:
    text = "".join(f"h:1:1 [0] net.cc:{line} NCCL WARN no {line}\n" for line in range(30))
    assert read(text).warnings[:2] == ("net.cc:0: no 0", "net.cc:1: no 1")
    assert len(read(text).warnings) == 10


def test_what_several_processes_warn_of_is_told_once() -> None:
    logs = {"worker/0": NcclLog(), "worker/1": NcclLog(warnings=("a", "b", "c")), "worker/2": NcclLog(warnings=("a",))}
    assert list(first_warnings(logs)) == [("worker/1", "a (and 2 more, in its log)")]


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert read(text).warnings == () or "NCCL WARN" in text
