"""What `harness compare` refuses before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import cli

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
