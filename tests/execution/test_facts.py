from __future__ import annotations

import json
import sys
from pathlib import Path

from harness.execution import facts
from harness.targets.interpreter import Interpreter


def test_facts_are_complete_and_go_into_json() -> None:
    known = facts.collect(Interpreter(Path(sys.executable), {"mxnet": "1.9.1"}), isolated=True, wire="compiled")
    json.dumps(known, allow_nan=False)
    assert {"cpu_model", "cores", "memory_bytes", "kernel", "governor", "gpus", "load_1min", "environment"} <= set(
        known
    )
    assert known["cores"] >= 1
    assert known["memory_bytes"] > 1e8
    assert known["target_packages"] == {"mxnet": "1.9.1"}
    assert known["controller_packages"]["asv"] == "0.6.6"


def test_what_cannot_be_had_says_why() -> None:
    assert facts._first_line("/nothing/there") == "not available: no such file or directory"
    assert isinstance(facts.gpus(), (list, str))
    assert facts._version("no-such-distribution") == "not installed"
