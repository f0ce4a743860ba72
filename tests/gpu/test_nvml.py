"""What is made of NVML's answers, through a library that gives recorded ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from harness.base.process import module
from harness.gpu import installed, sampler
from harness.vocabulary import events
from harness.vocabulary.events import Event, GpuFault, GpuMissing, GpuSampled
from tests.conftest import ROOT

SHOW = """
import json
from dataclasses import asdict
import pynvml
from harness.gpu import installed, nvml
driver = installed.driver()
with nvml.connection():
    known = [gpu.index for gpu in driver.gpus if not gpu.missing]
    samples = [asdict(nvml.sample(pynvml.nvmlDeviceGetHandleByIndex(n), slow=True)) for n in known]
print(json.dumps({"driver": asdict(driver), "samples": samples}))
"""


@dataclass(frozen=True)
class Answers:
    """One GPU's; bits of ``refused`` and ``lives`` as in `fake_nvml.c`."""

    name: str
    capability: tuple[int, int]
    total: int
    used: int
    load: int
    sm: int
    memory: int
    power: int
    temperature: int
    reasons: int = 0
    refused: int = 0
    lives: int = -1
    mig: int = 0

    @property
    def line(self) -> str:
        """As the library reads it."""
        numbers = (*self.capability, self.mig, self.total, self.used, self.load, self.sm, self.memory, self.power)
        return " ".join(map(str, (*numbers, self.temperature, self.reasons, self.refused, self.lives, self.name)))


LINKS = 2048
SOURCE = Path(__file__).with_name("fake_nvml.c")
H100 = Answers("NVIDIA H100 80GB HBM3", (9, 0), 85520809984, 2129461248, 100, 1410, 2619, 699_000, 62, 4, LINKS)
"""As it answered under a matrix product (`tests/recorded/h100/nvml.json`): its power cap held."""

H200 = Answers("NVIDIA H200", (9, 0), 150754820096, 644939776, 2, 1980, 3201, 86_883, 36, 1, LINKS)
"""As one answered when idle, on 2026-11-23."""

A100 = Answers("NVIDIA A100-SXM4-40GB", (8, 0), 42_949_672_960, 1 << 30, 97, 1410, 1215, 395_000, 61)
V100 = Answers("Tesla V100-SXM2-16GB", (7, 0), 17_179_869_184, 1 << 30, 99, 1530, 877, 298_000, 85, 0x20 | 0x40)
REFUSED = 2 | 4 | 8 | 16 | 32 | 128 | 1024 | LINKS
SLICE = Answers("NVIDIA A100 MIG 3g.20gb", (8, 0), 20_937_965_568, 0, 0, 0, 0, 0, 0, refused=REFUSED, mig=1)
"""These three by NVIDIA's data sheets, and the questions that its documentation says MIG slices refuse."""


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a compiled ``libnvidia-ml.so.1``."""
    folder = tmp_path_factory.mktemp("nvml")
    subprocess.run(["gcc", "-w", "-shared", "-fPIC", "-o", folder / "libnvidia-ml.so.1", SOURCE], check=True)
    return folder


def environment(library: Path, folder: Path, *gpus: Answers, **more: str) -> dict[str, str]:
    """Of a process that sees these GPUs."""
    (folder / "gpus").write_text("".join(f"{gpu.line}\n" for gpu in gpus))
    return {**os.environ, "LD_LIBRARY_PATH": str(library), "FAKE_NVML": str(folder / "gpus"), **more}


def shown(library: Path, folder: Path, *gpus: Answers) -> dict[str, Any]:
    argv = [sys.executable, "-c", SHOW]
    done = subprocess.run(argv, env=environment(library, folder, *gpus), capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_what_each_gpu_is(library: Path, tmp_path: Path) -> None:
    driver = shown(library, tmp_path, A100, V100)["driver"]
    assert (driver["version"], driver["cuda"], driver["missing"]) == ("470.42.01", [11, 4], "")
    first, second = driver["gpus"]
    assert first == {
        "index": 0, "name": "NVIDIA A100-SXM4-40GB", "uuid": "GPU-0", "capability": [8, 0], "memory": 42949672960,
        "nvlinks": 12, "mig": False, "missing": "", "slices": [],
    }  # fmt: skip
    assert (second["name"], second["capability"]) == ("Tesla V100-SXM2-16GB", [7, 0])
    assert driver["pairs"] == [{"first": 0, "second": 1, "near": "one host bridge", "reach": True}]


def test_a_sample_is_in_plain_units(library: Path, tmp_path: Path) -> None:
    (sample,) = shown(library, tmp_path, H100)["samples"]
    assert sample["values"] == {
        "memory_used": 2129461248, "utilisation": 1.0, "sm_clock": 1410, "memory_clock": 2619, "power": 699.0,
        "temperature": 62, "ecc_errors": 0, "pcie_replays": 7, "pcie_sent": 200_000, "pcie_received": 300_000,
    }  # fmt: skip
    assert sample["missing"] == dict.fromkeys(("nvlink_sent", "nvlink_received"), "not supported")
    assert (sample["slowed"], sample["processes"]) == (["power cap"], {})


def test_what_links_carried_is_told_in_bytes_of_all_of_them(library: Path, tmp_path: Path) -> None:
    (sample,) = shown(library, tmp_path, A100)["samples"]
    assert (sample["values"]["nvlink_sent"], sample["values"]["nvlink_received"]) == (1_024_000, 3_072_000)


def test_idling_is_no_reason_and_heat_is_two(library: Path, tmp_path: Path) -> None:
    idle, hot = shown(library, tmp_path, H200, V100)["samples"]
    assert idle["slowed"] == []
    assert hot["slowed"] == ["temperature (driver)", "temperature (hardware)"]


def test_what_a_slice_refuses_is_told_in_nvmls_words(library: Path, tmp_path: Path) -> None:
    found = shown(library, tmp_path, SLICE)
    (gpu,) = found["driver"]["gpus"]
    assert (gpu["mig"], gpu["slices"]) == (True, ["MIG-one", "MIG-two"]), "places without a slice are passed over"
    (sample,) = found["samples"]
    refused = ("utilisation", "sm_clock", "memory_clock", "power", "temperature", "ecc_errors", "pcie_sent")
    assert {sample["missing"][name] for name in refused} == {"not supported"}
    assert sample["values"] == {"memory_used": 0, "pcie_replays": 7}


def test_gpus_that_do_not_reach_each_other(library: Path, tmp_path: Path) -> None:
    (pair,) = shown(library, tmp_path, H100, H200)["driver"]["pairs"]
    assert pair["reach"] is False


def test_a_driver_that_hangs_is_not_waited_for(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is anything made of one that ends who asks it."""
    for name, value in environment(library, tmp_path, A100).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(installed.ctypes, "CDLL", lambda _: None)
    assert [gpu.name for gpu in installed.driver().gpus] == [A100.name]
    monkeypatch.setattr(installed, "module", lambda _: ["sleep", "100"])
    monkeypatch.setattr(installed, "_PATIENCE_SECONDS", 0.1)
    assert installed.driver().missing == "the driver does not answer within 0.1 s"
    monkeypatch.setattr(installed, "_PATIENCE_SECONDS", 20.0)
    monkeypatch.setattr(installed, "module", lambda _: ["sh", "-c", "kill -SEGV $$"])
    assert installed.driver().missing == "who asked the driver ended with status -11"


def test_without_a_driver() -> None:
    found = subprocess.run(
        [sys.executable, "-c", "from harness.gpu import installed; print(installed.driver().missing)"],
        env={**os.environ, "LD_LIBRARY_PATH": "/nowhere", "FAKE_NVML": "/nowhere"},
        capture_output=True,
        text=True,
        check=True,
    )
    if found.stdout.strip():
        assert found.stdout == "nvml shared library not found\n"


def sampled(env: dict[str, str], *gpus: str, most: int = 12) -> list[Event]:
    """The first events of a sampler, as the agent starts it."""
    read, write = os.pipe()
    argv = module("harness.gpu.sampler", "main", "0.02", *gpus)
    with subprocess.Popen(argv, env={**env, "HARNESS_EVENTS_FD": str(write)}, cwd=ROOT, pass_fds=(write,)) as process:
        os.close(write)
        with os.fdopen(read, "rb") as lines:
            told = [events.decode(line) for _, line in zip(range(most), lines, strict=False)]
        process.kill()
    return told


def test_a_gpu_that_falls_off_the_bus_is_told_once_and_others_go_on(library: Path, tmp_path: Path) -> None:
    """Samples before it, one event when it is lost, and none for it afterwards."""
    told = sampled(environment(library, tmp_path, replace(A100, lives=3), V100), "0", "1")
    first = [event for event in told if event.subject == "gpu/0"]
    assert [type(event) for event in first] == [GpuSampled, GpuSampled, GpuMissing]
    assert isinstance(first[-1], GpuMissing)
    assert first[-1].reason == "gpu is lost"
    others = [event for event in told if event.subject == "gpu/1"]
    assert len(others) == 9
    assert all(isinstance(event, GpuSampled) for event in others)


def test_one_gpu_that_cannot_be_asked_leaves_the_others(library: Path, tmp_path: Path) -> None:
    """As a lost one, or one that a container may not see."""
    driver = shown(library, tmp_path, A100, replace(V100, lives=0))["driver"]
    assert [gpu["missing"] for gpu in driver["gpus"]] == ["", "gpu is lost"]
    assert driver["pairs"][0]["reach"] is None


def test_a_driver_from_before_510(library: Path, tmp_path: Path) -> None:
    """It has no third version of the question for processes."""
    old = tmp_path / "old"
    old.mkdir()
    argv = ["gcc", "-w", "-shared", "-fPIC", "-DOLD", "-o", old / "libnvidia-ml.so.1", SOURCE]
    subprocess.run(argv, check=True)
    (sample,) = shown(old, tmp_path, A100)["samples"]
    assert (sample["processes"], "processes" in sample["missing"]) == ({}, False)


def test_what_processes_hold(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One on two slices comes twice; of one it is not told."""
    monkeypatch.setenv("FAKE_NVML_PROCESSES", "10:500 10:700 21:- 30:9")
    (sample,) = shown(library, tmp_path, A100)["samples"]
    assert sample["processes"] == {"10": 1200, "30": 9}
    assert sample["missing"]["processes"] == "what some processes hold is not available"


def test_only_processes_that_have_a_gpu_open_are_told(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A number may be another process's here, of another container."""
    env = environment(library, tmp_path, A100, FAKE_NVML_PROCESSES=f"{os.getpid()}:500")
    told = sampled(env, "0", most=1)
    assert [event.processes for event in told if isinstance(event, GpuSampled)] == [{}]
    assert not sampler._has_a_gpu_open(str(os.getpid()))
    monkeypatch.setattr(sampler.Path, "readlink", lambda path: Path("/dev/nvidia0"))
    assert sampler._has_a_gpu_open(str(os.getpid()))


def test_events_that_one_gpu_refuses_are_missing_of_that_one(library: Path, tmp_path: Path) -> None:
    told = sampled(environment(library, tmp_path, SLICE, V100), "0", "1", most=4)
    missing = {event.subject: event.missing.get("xid") for event in told if isinstance(event, GpuSampled)}
    assert missing == {"gpu/0": "events are not told", "gpu/1": None}


def test_the_error_of_a_lost_gpu_is_its_own(library: Path, tmp_path: Path) -> None:
    told = sampled(environment(library, tmp_path, replace(A100, lives=2), FAKE_NVML_XID="79"), "0", most=3)
    (fault,) = [event for event in told if isinstance(event, GpuFault)]
    assert (fault.subject, fault.xid) == ("gpu/0", 79)


def test_a_critical_error_is_told_with_its_number(library: Path, tmp_path: Path) -> None:
    told = sampled(environment(library, tmp_path, A100, FAKE_NVML_XID="79"), "0", most=3)
    (fault,) = [event for event in told if isinstance(event, GpuFault)]
    assert (fault.subject, fault.xid) == ("gpu/0", 79)


def test_without_events_samples_say_so(library: Path, tmp_path: Path) -> None:
    first, *_ = sampled(environment(library, tmp_path, SLICE), "0", most=2)
    assert isinstance(first, GpuSampled)
    assert first.missing["xid"] == "events are not told"


def test_a_number_that_no_gpu_has(library: Path, tmp_path: Path) -> None:
    (told,) = sampled(environment(library, tmp_path, A100), "3")
    assert isinstance(told, GpuMissing)
    assert (told.subject, told.reason) == ("", "invalid argument")
