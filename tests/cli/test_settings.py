"""Words about variables."""

from __future__ import annotations

from pathlib import Path

from harness.cli._settings import _named_by


def test_a_script_may_read_what_it_names_but_for_what_only_libraries_do(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("os.environ['DATA_DIR'], os.getenv(\"MXNET_ENGINE_TYPE\")\n")
    assert "DATA_DIR" in _named_by(str(script))
    assert "MXNET_ENGINE_TYPE" not in _named_by(str(script))
    assert _named_by(None) == _named_by(str(tmp_path / "gone.py")) == set()
