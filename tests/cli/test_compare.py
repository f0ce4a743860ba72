"""What `harness compare` refuses before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness import cli
from harness.cli._settings import _only_of_mxnet
from harness.planning.plan import Plan
from tests.conftest import SCENARIO

TEXT = "title: t\nworkload: {model: mlp, steps: 60, warmup: 10}\n"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (
            ("workload.hybridize={static_alloc: true, static_shape: true}",),
            "is the job that a is: it has all of that already",
        ),
        (("workload.batch_size=8", "--resolve", "100%"), "resolve 100%: anything would be the same"),
        (("workload.batch_size=8", "--measure", "waiting"), "a single worker waits for nobody"),
    ],
)
def test_what_cannot_be_asked(
    arguments: tuple[str, ...], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q.yaml").write_text(TEXT)
    code = cli.main(["compare", str(tmp_path / "q.yaml"), "--results", str(tmp_path), "--b", *arguments])
    assert (code, why in capsys.readouterr().err) == (2, True)
    assert not (tmp_path / "studies").exists()


def test_what_a_preloaded_library_may_read_is_not_said_to_do_nothing(plan_of: Callable[..., Plan]) -> None:
    env = {"MALLOC_CONF": "x", "MXNET_NOTHING": "1"}
    for more, asked in (({}, True), ({"LD_PRELOAD": "libjemalloc.so"}, False)):
        named = _only_of_mxnet(plan_of(SCENARIO, ("target", {"env": {**env, **more}})).arms[0])
        assert ("MALLOC_CONF" in named, "MXNET_NOTHING" in named) == (asked, True)
