from __future__ import annotations

from collections.abc import Callable

from rich.console import Console

from harness.judging.judge import judge
from harness.judging.verdict import Verdict
from harness.planning.plan import Plan
from harness.report.verdict import _unmeasured, machine, render
from harness.vocabulary.events import Ended, Injected, Stack
from harness.vocabulary.quantities import ArmMeasures, Quantity
from tests.conftest import SCENARIO

KILL = {"kill": {"select": {"role": "worker", "rank": 1}, "at": {"step": 50}}}


def test_it_says_what_happened_and_why(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(SCENARIO, ("faults", [KILL]), ("control", False), ("title", "Why [/b]?"))
    past = [
        Injected(1.0, "main", "worker/1", 0, 50),
        Stack(8.0, "main", "worker/0", "\n".join(f"line {number}" for number in range(20)), []),
        Ended(9.0, "main", "worker/0", "crashed", "the reason", "the last words"),
    ]
    console = Console(record=True, width=120, quiet=True)
    with console.capture() as capture:
        console.quiet = False
        console.print(render(judge(plan, past, "id", {"disturbance": {"used_by_others": 0.69}})))
    text = capture.get()
    assert "others used 69% of the processors meanwhile, and numbers show it" in text
    for words in (
        "INVALID",
        "Why [/b]?",
        "machine not recorded",
        "no receipt for kill of worker/1",
        "crashed, expected completed: the reason",
    ):
        assert words in text
    assert "main worker/0 said last:\n    the last words" in text
    missing = " ".join(text.split("not measured: ")[1].split())
    assert "step latency p50 (steps have no time of their own without sync_every: 1); " in missing
    assert "throughput, seconds per sample (no window after the warm-up)" in missing
    assert "stands somewhere that is not known" in text


def test_an_openblas_that_takes_the_processor_for_an_older_one_is_told() -> None:
    def of(*openblas: str) -> str:
        software = {"mxnet": "1.9.1", "python": "3.11.7"}
        targets = [{**software, "libraries": {"openblas": told} if told else {}} for told in openblas]
        here = {"cpu_model": "AMD EPYC", "vectors": "avx512_bf16", "cores": 2, "memory_bytes": 8 << 30, "kernel": "6.1"}
        return machine({**here, "target": targets[0], "targets": dict(enumerate(targets))})

    plain = "mxnet 1.9.1, python 3.11.7; AMD EPYC with avx512_bf16, 2 cores, 8.59 GB, kernel 6.1"
    assert of("0.3.13 for Haswell") == of("") == plain
    words = "whose OpenBLAS takes this processor for Barcelona, without avx2"
    text = of("0.3.13 for Haswell", "0.3.7 for Barcelona")
    assert f", {words} (target.env.OPENBLAS_CORETYPE: Haswell changes it); AMD" in text


def test_what_one_arm_has_is_not_missing() -> None:
    def arm(name: str, goodput: float | None) -> ArmMeasures:
        own = Quantity("goodput", "samples/s", goodput, note="no window ended")
        none = Quantity("accuracy", "", None, note="nothing is held back")
        return ArmMeasures(name, name, 1, 1, None, (), {("goodput", ""): own, ("accuracy", ""): none})

    verdict = Verdict("run", "", "pass", "", (), (arm("a", 2.0), arm("b", None)), (), (), {})
    assert [str(text) for text in _unmeasured(verdict)] == ["not measured: accuracy (nothing is held back)"]
