"""What docs/qualify.md says of operators: the kept programs print something else in either version."""

from __future__ import annotations

import ast
import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from harness.targets import environment
from tests.conftest import ROOT

pytestmark = pytest.mark.e2e

_ENDS = ("crashes", "hangs")
"""Programs of which nothing is left, or only after long, in one of both."""

_RUNS = """
import contextlib, io, json, pathlib, runpy, sys
found = {}
for path in map(pathlib.Path, sys.argv[1:]):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            runpy.run_path(str(path))
        except Exception as error:
            print(type(error).__name__)
    found[path.stem] = out.getvalue()
print(json.dumps(found))
"""

SURE = {
    "1.8.0.post0-1.9.1": {"gluon-loss-KLDivLoss-other-values", "Deconvolution-refuses"},
    "1.5.1.post0-1.9.1": {
        "max-other-values", "min-other-values", "amp_cast-other-gradients", "nag_mom_update-other-arguments-afterwards",
        "gluon-loss-KLDivLoss-other-values", "gluon-utils-split_data-other-types-or-shapes",
        "gluon-data-vision-transforms-Normalize-other-values",
    },
}  # fmt: skip
"""What no processor makes otherwise."""


def _printed(version: str, pair: str, folder: Path) -> Mapping[str, str]:
    """By program of a pair of versions; all in one process, as imports take long. Some write files into the folder."""
    python = environment.ensure(environment.recipe(version), lambda line: None).interpreter.python
    files = sorted((ROOT / "results" / "qualify" / pair).glob("*.py"))
    kept = [str(file) for file in files if not file.stem.endswith(_ENDS)]
    argv = [str(python), "-c", _RUNS, *kept]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=300, check=True)
    found: Mapping[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("pair", SURE)
def test_kept_programs_print_something_else_in_either(pair: str, tmp_path: Path) -> None:
    """Some may print the same on another processor."""
    old, new = (_printed(version, pair, tmp_path) for version in pair.split("-"))
    differ = {name for name, text in old.items() if text != new[name]}
    assert SURE[pair] <= differ
    assert len(differ) >= 0.7 * len(old)


@pytest.mark.parametrize(
    ("version", "env"), [("1.5.1.post0", {}), ("1.9.1", {"MXNET_MKLDNN_ENABLED": "0"}), ("1.9.1", {})]
)
def test_max_pooling_sends_gradients_to_maxima_as_the_page_says(version: str, env: Mapping[str, str]) -> None:
    """With oneDNN and of a slice it may, on another processor; what helps has to help on all."""
    python = environment.ensure(environment.recipe(version), lambda line: None).interpreter.python
    argv = [str(python), str(ROOT / "results" / "qualify" / "max_pooling.py")]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=True, env={**os.environ, **env})
    told = ast.literal_eval(done.stdout.splitlines()[-1].partition(" ")[2])
    sure = ("whole", "its copy") if version == "1.9.1" and not env else tuple(told)
    assert {name: told[name] for name in sure} == dict.fromkeys(sure, 0) and len(told) == 5
