"""Which variables a target reads: made-up libraries, then the real ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.targets.interpreter import Interpreter
from harness.targets.settings import unread, unread_in


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    library, module, empty = tmp_path / "lib.so.1", tmp_path / "engine.py", tmp_path / "empty.py"
    library.write_bytes(b"\x7fELF\0MXNET_ENGINE_TYPE\0set MXNET_IN_A_SENTENCE to 1\0XMXNET_TAIL\0PS_VERBOSE\0")
    module.write_text("# MXNET_IN_A_COMMENT\nos.environ.get('MXNET_HOME')\n")
    empty.touch()
    return [library, module, empty]


@pytest.mark.parametrize("name", ["MXNET_ENGINE_TYPE", "PS_VERBOSE", "MXNET_HOME"])
def test_what_is_named_is_read(files: list[Path], name: str) -> None:
    assert unread_in([name], files) == {}


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("MXNET_ENGIN_TYPE", "MXNET_ENGINE_TYPE"),
        ("MXNET_ENGINE", "MXNET_ENGINE_TYPE"),
        ("MXNET_IN_A_SENTENCE", ""),
        ("MXNET_IN_A_COMMENT", ""),
        ("MXNET_TAIL", ""),
        ("OMP_VERBOSE", "PS_VERBOSE"),
        ("VERBOSE", ""),
        ("XNET_ENGINE_TYPE", "MXNET_ENGINE_TYPE"),
        ("mxnet_engine_type", "MXNET_ENGINE_TYPE"),
    ],
)
def test_what_is_not_named_is_told_with_the_nearest_of_its_family(files: list[Path], name: str, near: str) -> None:
    assert unread_in([name, "PS_VERBOSE"], files) == {name: near}


def test_in_lower_case_only_what_is_another_name_is_told(files: list[Path]) -> None:
    assert unread_in(["http_proxy", "mxnet_nothing"], files) == {}


def test_without_libraries_nobody_can_tell(tmp_path: Path) -> None:
    assert unread_in(["MXNET_NOTHING"], []) == {}
    assert unread(["MXNET_NOTHING"], Interpreter(tmp_path / "no-python")) == {}


@pytest.mark.e2e
def test_the_real_ones(target: Path) -> None:
    """Names that mxnet 1.9.1's documentation has, by what the CPU build reads; others that libc and Python read."""
    real = ["MXNET_ENGINE_TYPE", "MXNET_EXEC_BULK_EXEC_TRAIN", "PS_HEARTBEAT_TIMEOUT", "OMP_NUM_THREADS"]
    others = ["MALLOC_ARENA_MAX", "LD_PRELOAD", "PYTHONHASHSEED", "TMPDIR", "http_proxy"]
    others += ["NPY_DISABLE_CPU_FEATURES", "PYTHONASYNCIODEBUG", "SSL_CERT_FILE", "OPENBLAS_NUM_THREADS"]
    dead = {
        "mxnet_engine_type": "MXNET_ENGINE_TYPE",
        "MXNET_EXEC_VERBOSE": "MXNET_EXEC_VERBOSE_LOGGING",
        "MXNET_EXEC_NUM_TEMP": "",
        "MXNET_GPU_MEM_POOL_TYPE": "",
        "MXNET_SUBGRAPH_BACKENDS": "MXNET_SUBGRAPH_BACKEND",
    }
    assert unread([*real, *others, *dead], Interpreter(target)) == dead
