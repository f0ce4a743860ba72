"""The agent's sampler of GPUs, on a machine where NVML finds none, or a number that is none."""

from __future__ import annotations

from pathlib import Path

from harness.execution.backends.local import LocalBackend
from harness.vocabulary.events import Closed, GpuMissing
from harness.vocabulary.instructions import Shutdown, WatchGpus
from tests.agent.listening import Listener


def test_what_nvml_says_is_told_and_then_that_nobody_samples(tmp_path: Path) -> None:
    with LocalBackend(tmp_path).open("main", networked=False) as agent:
        session = Listener(agent, tmp_path)
        agent.send(WatchGpus("", (77,), 0.1))
        first, then = session.until(GpuMissing), session.until(GpuMissing)
        agent.send(Shutdown("", 1.0))
        session.until(Closed)
    assert first.reason in ("nvml shared library not found", "invalid argument")
    assert then.reason.startswith("the sampler ended")
