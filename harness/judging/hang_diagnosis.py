"""Where the processes of a hung job are blocked, and on whom: native frames and sockets, put into words. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.planning.plan import Arm
from harness.vocabulary.events import Stack

_FRAMES = (
    ("KVStoreDist::~KVStoreDist", "wants to leave, and waits at the exit barrier for all others"),
    ("ps::Postoffice::Finalize", "waits at the exit barrier for all others to leave"),
    ("ps::Van::Start", "waits for the scheduler to let it in"),
    ("ps::Postoffice::Start", "waits for the scheduler to let it in"),
    ("ps::Postoffice::Barrier", "waits at a barrier for all others"),
    ("KVStoreDist::RunServer", "serves, and waits for requests of workers"),
    ("ps::Customer::WaitRequest", "waits for an answer of the servers"),
    ("gloo::rendezvous", "waits for other ranks to connect"),
    ("gloo::transport::tcp::UnboundBuffer::wait", "waits in Gloo for data of another rank"),
    ("gloo::transport::tcp::Pair", "waits in Gloo for data of another rank"),
    ("horovod::common::GlooController", "waits in Horovod until all ranks are ready"),
    ("serve_forever", "serves, and waits for requests"),
    ("ThreadedEngine::WaitForVar", "waits for an array that no operation has finished"),
    ("ThreadedEngine::WaitForAll", "waits for operations that do not finish"),
)
"""Functions that processes were seen to stand in, of ps-lite, MXNet, Gloo and Horovod; the first one counts."""

_IN_SYNC = ("ThreadedEngine::WaitForVar", "ThreadedEngine::WaitForAll")


@dataclass(frozen=True)
class BlockedProcess:
    """What one process waits for, the function that tells it, and the roles that it is connected to."""

    arm: str
    role: str
    doing: str
    function: str
    peers: Sequence[str]


def explain(arm: Arm, stacks: Sequence[Stack], absent: Mapping[str, str]) -> list[BlockedProcess]:
    """Say where each process stands that was looked at; ``absent`` are those that were not there, and why."""
    listening = {port: stack.subject for stack in stacks for port in _listening(stack)}
    return [_blocked(arm, stack, listening, absent) for stack in stacks]


def _blocked(arm: Arm, stack: Stack, listening: Mapping[str, str], absent: Mapping[str, str]) -> BlockedProcess:
    function, doing = next(
        ((name, words) for name, words in _FRAMES if name in stack.text), ("", "stands somewhere that is not known")
    )
    if stack.subject == "scheduler" and function == "ps::Van::Start":
        doing = "waits for all workers and servers to come"
    if stack.text.startswith("py-spy") or "Error" in stack.text.split("\n")[0]:
        doing = "cannot be looked into"
    if function in _IN_SYNC and arm.workload.kvstore.startswith("dist"):
        doing += ": pulls of weights that the servers have not answered"
    elif function in _IN_SYNC and arm.workload.loop == "horovod":
        doing += ": gradients that other ranks have not sent"
    if absent and function:
        doing += f" ({', '.join(f'{role} {how}' for role, how in absent.items())})"
    return BlockedProcess(stack.arm, stack.subject, doing, function, _peers(arm, stack, listening))


def _listening(stack: Stack) -> list[str]:
    return [text.split()[0].rsplit(":", 1)[1] for text in stack.sockets if text.endswith("LISTEN")]


def _peers(arm: Arm, stack: Stack, listening: Mapping[str, str]) -> list[str]:
    """Roles at the other ends: by the address of their host, or on loopback by the port that they listen on."""
    peers: list[str] = []
    for text in stack.sockets:
        if " > " not in text:
            continue
        address, port = text.split(" > ")[1].split()[0].rsplit(":", 1)
        hosts = [host for host in arm.network.hosts if host.address == address] if arm.network else []
        peers += [role for host in hosts for role in host.roles] or [listening.get(port, "")]
    return sorted(set(peers) - {stack.subject, ""})
