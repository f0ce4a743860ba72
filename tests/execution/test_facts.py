from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from harness.execution import facts
from harness.storage import calibration
from harness.targets.interpreter import Interpreter
from harness.vocabulary.events import Imported


def test_facts_are_complete_and_go_into_json() -> None:
    mine = Interpreter(Path(sys.executable), {"mxnet": "1.9.1"})
    known = facts.collect({"a": mine, "b": mine}, isolated=True, wire="compiled")
    json.dumps(known, allow_nan=False)
    assert {"cpu_model", "cores", "memory_bytes", "kernel", "governor", "gpus", "load_1min", "environment"} <= set(
        known
    )
    assert known["cores"] >= 1 and known["vectors"] and known["fixed_addresses"] in (True, False)
    assert known["memory_bytes"] > 1e8
    assert known["target_packages"] == {"mxnet": "1.9.1"}
    assert known["controller_packages"]["asv"] == "0.6.6"
    assert "target_interpreters" not in known


def test_what_the_shell_tells_of_the_processor_is_a_fact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_L2_SIZE", raising=False)
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    assert facts.of_machine()["processor_told"] == "OPENBLAS_CORETYPE=Haswell"
    monkeypatch.delenv("OPENBLAS_CORETYPE")
    told = facts.of_machine()
    assert told["processor_told"] == "not available: the shell says nothing"
    assert calibration.machine(told)["processor_told"] is None, "as of older runs, which do not say"


def test_a_machine_in_a_line() -> None:
    known = {"cpu_model": "AMD EPYC", "vectors": "avx2", "cores": 2, "memory_bytes": 8 << 30, "kernel": "6.18"}
    assert facts.in_words(known) == "AMD EPYC with avx2, 2 cores, 8.59 GB, kernel 6.18"
    older = {name: fact for name, fact in known.items() if name != "vectors"}
    for each in (older, {**older, "vectors": "not available: no flags of x86"}):
        assert facts.in_words(each) == "AMD EPYC, 2 cores, 8.59 GB, kernel 6.18"


def test_arms_with_interpreters_of_their_own_are_told_apart() -> None:
    mine, other = Interpreter(Path(sys.executable)), Interpreter(Path("/bin/true"))
    known = facts.collect({"a": mine, "b": other}, isolated=True, wire="compiled")
    assert known["target_interpreters"] == {"a": sys.executable, "b": "/bin/true"}
    one = Imported(1.0, "a", "worker/0", 0.5, "3.11", "1.9.1", "1.23", [])
    found = facts.of_targets({"a": one, "b": replace(one, mxnet="1.8.0")}, 2)
    assert found["target"]["mxnet"] == "1.9.1"
    assert found["targets"]["b"]["mxnet"] == "1.8.0"
    assert "targets" not in facts.of_targets({"a": one, "b": one}, 2)
    pooled = facts.of_targets({"a": replace(one, pool={"MXNET_GPU_MEM_POOL_TYPE": "Round"})}, 1)
    assert pooled["target"]["pool"] == {"MXNET_GPU_MEM_POOL_TYPE": "Round"}
    assert [*facts.of_targets({"b": one}, 2)["targets"]] == ["b"], "a did not come so far"


def test_what_cannot_be_had_says_why() -> None:
    assert facts._first_line("/nothing/there") == "not available: no such file or directory"
    assert isinstance(facts._of_gpus()["gpus"], (list, str))
    assert facts._version("no-such-distribution") == "not installed"
