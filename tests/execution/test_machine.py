"""What this machine can do, and what is refused where it cannot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness import cli
from harness.base.errors import InputError
from harness.execution import machine
from harness.execution.machine import Capability
from harness.gpu import installed
from harness.gpu.devices import Driver, Gpu, Pair
from harness.gpu.machine_code import MachineCode
from harness.planning.plan import Plan
from harness.targets.interpreter import Interpreter
from tests.conftest import SCENARIO

NETWORKED = SCENARIO.replace("workers: 2", "workers: 2, network: {}")
AMP = SCENARIO.replace("steps: 100", "steps: 100, amp: bfloat16")


def _without(monkeypatch: pytest.MonkeyPatch, name: str, why: str, remedy: str = "") -> None:
    monkeypatch.setattr(machine, name, lambda: Capability(name, "", False, why, remedy))


def test_every_ability_says_what_it_serves_and_how_to_get_it() -> None:
    for capability in machine.capabilities():
        assert capability.name and capability.serves and capability.why
        assert capability.there or capability.optional or capability.remedy


def test_where_addresses_cannot_be_fixed_it_is_told_what_that_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "can_fix_addresses", lambda: False)
    found = machine.addresses()
    assert (found.there, found.optional) == (False, True)
    assert found.why == "they are drawn: pairs of twins scatter more, on some processors several times more"


def test_a_plan_that_needs_nothing_special_is_possible(plan_of: Callable[..., Plan]) -> None:
    machine.require(plan_of())


@pytest.mark.parametrize(("text", "what"), [(NETWORKED, "tun"), (NETWORKED, "namespaces"), (AMP, "bfloat16")])
def test_what_is_not_there_is_refused_with_the_remedy(
    plan_of: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch, text: str, what: str
) -> None:
    _without(monkeypatch, what, "it may not be opened", "as root: open it")
    with pytest.raises(
        InputError, match="is not possible here: it may not be opened; as root: open it; `harness doctor`"
    ):
        machine.require(plan_of(text))


def test_gpus_are_refused_where_there_are_none(plan_of: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch) -> None:
    _without(monkeypatch, "_gpus", "none found")
    text = SCENARIO.replace("workers: 2", "workers: 2, contexts: [gpu(0)]")
    with pytest.raises(InputError, match=r"contexts gpu\(0\) need MXNet with CUDA; give target: .cuda: \"11\"."):
        machine.require(plan_of(text))
    with pytest.raises(InputError, match=r"contexts gpu\(0\) is not possible here: none found"):
        machine.require(plan_of(text + "target: {python: /usr/bin/python3}\n"))


TWO = [Gpu(number, "A100", f"GPU-{number}", (8, 0), 1 << 35, None, False) for number in range(2)]
OWN = SCENARIO.replace("workers: 2", "workers: 2, contexts: [gpu(0)], own_gpus: true")


@pytest.fixture
def unfit(plan_of: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str | None]:
    """Why a scenario will not run on these GPUs with an MXNet that has code for them."""
    code = MachineCode(frozenset({(8, 0)}), frozenset(), (11, 0))
    monkeypatch.setattr(machine.library, "machine_code_of", lambda _: code)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)

    def say(text: str, *gpus: Gpu, **env: str) -> str | None:
        monkeypatch.setattr(installed, "driver", lambda: Driver("470", (11, 4), gpus))
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        plan = plan_of(text)
        interpreter = Interpreter(Path("python"), {}, {})
        return machine.unfit(plan, {arm.name: interpreter for arm in plan.arms})

    return say


def test_gpus_of_workers_are_counted_together(unfit: Callable[..., str | None]) -> None:
    assert unfit(OWN, *TWO) is None
    assert "there is no gpu(1); there are: gpu(0)" in str(unfit(OWN, TWO[0]))


def test_gpus_come_first_among_what_is_not_there(plan_of: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch) -> None:
    _without(monkeypatch, "_gpus", "none found")
    limit = "gpu_memory_limit: {select: {role: worker, rank: 0}, at: {step: 5}, free: 1GB}"
    text = SCENARIO.replace("workers: 2", "workers: 2, contexts: [gpu(0)]")
    asked = plan_of(f"{text}\nfaults:\n  - {limit}\ntarget: {{python: /usr/bin/python3}}\n")
    assert "contexts gpu(0) is not possible here" in str(machine.unmet(asked))


def test_mxnet_for_gpus_needs_a_driver_on_processors_too(
    plan_of: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(machine.wheels, "DRIVER", "libcuda-that-is-not-here.so.1")
    text = SCENARIO + "target: {cuda: '11'"
    assert "mxnet-cu112 is not imported without libcuda-that" in str(machine.unmet(plan_of(text + "}\n")))
    (tmp_path / "libcuda-that-is-not-here.so.1").touch()
    assert machine.unmet(plan_of(f"{text}, env: {{LD_LIBRARY_PATH: '/x:{tmp_path}'}}}}\n")) is None


def test_what_is_slow_on_gpus_is_told_and_not_refused(
    unfit: Callable[..., str | None], plan_of: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert unfit(OWN, *TWO) is None
    pair = Pair(0, 1, "one host bridge", False)
    monkeypatch.setattr(installed, "driver", lambda: Driver("470", (11, 4), TWO, [pair]))
    plan, packages = plan_of(OWN), {"nvidia-cuda-nvrtc-cu11": "11.8.89"}
    interpreters = {arm.name: Interpreter(Path("python"), packages, {}) for arm in plan.arms}
    partly, slow = machine.doubts(plan, interpreters)
    assert "gpu(0) and gpu(1) do not reach each other's memory" in slow
    assert "NVRTC 11.8" in partly


def test_gpus_that_the_shell_hides_are_not_given_out(unfit: Callable[..., str | None]) -> None:
    said = unfit(OWN, *TWO, CUDA_VISIBLE_DEVICES="1")
    assert "own_gpus gives out the machine's GPUs, and CUDA_VISIBLE_DEVICES=1 hides some" in str(said)


def test_a_split_gpu_needs_the_name_of_a_slice(unfit: Callable[..., str | None]) -> None:
    text = SCENARIO.replace("workers: 2", "workers: 2, contexts: [gpu(0)]")
    parts = replace(TWO[0], mig=True, slices=["MIG-a", "MIG-b"])
    assert "name it with target.env.CUDA_VISIBLE_DEVICES (MIG-a, MIG-b)" in str(unfit(text, parts))
    assert unfit(text, parts, CUDA_VISIBLE_DEVICES="MIG-b") is None
    assert "hides a GPU" in str(unfit(text, parts, CUDA_VISIBLE_DEVICES="MIG-c"))


def test_a_split_gpu_is_not_given_out(unfit: Callable[..., str | None]) -> None:
    parts = replace(TWO[0], mig=True, slices=["MIG-a"])
    assert "own_gpus gives out whole GPUs, and gpu(0) is split" in str(unfit(OWN, parts, TWO[1]))


def test_a_van_that_the_target_would_ignore_is_refused(plan_of: Callable[..., Plan]) -> None:
    text = SCENARIO.replace("workers: 2", "workers: 2, van: p3, update_on_kvstore: false")
    machine.require(plan_of(text + "target: {mxnet: 1.7.0.post2}\n"))
    with pytest.raises(InputError, match=r"van p3 came with MXNet 1\.7; 1\.6\.0 would ignore it"):
        machine.require(plan_of(text + "target: {mxnet: 1.6.0}\n"))


def test_the_device_that_is_missing_and_the_one_that_may_not_be_opened(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(machine, "TUN_DEVICE", str(tmp_path / "tun"))
    assert "modprobe tun" in machine.tun().remedy
    (tmp_path / "tun").touch()
    monkeypatch.setattr("os.access", lambda *_: False)
    assert machine.tun().remedy == f"as root: chmod 666 {tmp_path / 'tun'}"


def test_what_was_found_in_a_folder_is_left_out_and_what_was_named_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _without(monkeypatch, "bfloat16", "no AVX-512")
    path = tmp_path / "precise.yaml"
    path.write_text(AMP)
    assert cli.main(["run", str(path), "--results", str(tmp_path)]) == 2
    assert "precise: amp on a CPU is not possible here: no AVX-512" in capsys.readouterr().err
    assert cli.main(["run", str(tmp_path), "--results", str(tmp_path)]) == 2
    printed = capsys.readouterr().err
    assert "left out: precise: amp on a CPU" in printed
    assert "this machine can run none of them" in printed
