"""The protocol between the controller and agents, wherever those are."""

from __future__ import annotations

from typing import Protocol

from harness.base.errors import AgentError
from harness.base.version import __version__
from harness.vocabulary import instructions
from harness.vocabulary.instructions import Instruction


class Agent(Protocol):
    """A connection to one agent. A context manager: leaving it ends the agent and all that it started.

    Every method raises AgentError when the agent is gone or cannot be reached.
    """

    ended: bool
    """Whether nothing more will come."""

    clock_offset: float
    """Seconds to add to the agent's times to have the controller's; 0 until it has greeted."""

    def __enter__(self) -> Agent: ...

    def __exit__(self, *_: object) -> None: ...

    def send(self, instruction: Instruction) -> None:
        """Send one instruction."""
        ...

    def read(self, timeout: float | None) -> bytes:
        """Whole lines of events, as many as are there; b"" after ``timeout`` seconds or at the end."""
        ...

    def put(self, name: str, data: bytes) -> str:
        """Give it a file; the path under which its processes find it."""
        ...

    def get(self, name: str, last: int | None = None) -> bytes:
        """A file of its folder, or its ``last`` bytes; b"" where there is none."""
        ...

    def path(self, name: str) -> str:
        """Where a file or folder of that name lies for its processes."""
        ...

    def free_ports(self, count: int) -> list[int]:
        """So many TCP ports that nobody listens on, on its machine, in rising order."""
        ...


class Backend(Protocol):
    """A way to agents."""

    @property
    def isolated(self) -> bool:
        """Whether the end of an agent is, by the kernel's word, the end of all that it started."""
        ...

    @property
    def networked(self) -> bool:
        """Whether its agents can make pocket clusters."""
        ...

    @property
    def wire(self) -> str:
        """How the wire of its pocket clusters carries packets: ``compiled``, or why not."""
        ...

    def open(self, arm: str, networked: bool) -> Agent:
        """Start or find the agent of an arm; with ``networked`` it can make a pocket cluster."""
        ...


def same_version(greeting: bytes) -> float:
    """The clock of an agent that speaks our version; AgentError for any other."""
    try:
        version, clock = instructions.understand(greeting)
    except ValueError as error:
        raise AgentError(str(error)) from error
    if version != __version__:
        raise AgentError(f"the agent is of harness {version}, this is {__version__}; install the same on both sides")
    return clock
