from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.base.errors import InputError, TargetError
from harness.targets import build_step, environment
from harness.targets.environment import Recipe


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HARNESS_CACHE", str(tmp_path))
    return tmp_path / "targets"


def test_the_name_follows_the_content() -> None:
    one, other = Recipe("3.11", ("mxnet==1.9.1", "numpy<1.24")), Recipe("3.11", ("mxnet==1.8.0", "numpy<1.24"))
    assert one.key == "61604580acea"
    assert one.key != other.key
    assert one.name == "mxnet-1.9.1-py3.11"


def test_another_numpy_is_in_the_name() -> None:
    recipe = environment.recipe("1.9.1", numpy="1.23.2")
    assert recipe.requirements == ("mxnet==1.9.1", "numpy==1.23.2")
    assert recipe.name.startswith("mxnet-1.9.1-numpy-1.23.2-py3.")


def test_one_for_gpus_has_nvidias_libraries_pinned() -> None:
    recipe = environment.recipe("1.9.1", cuda="11", nccl="2.18.3")
    assert recipe.requirements[:2] == ("mxnet-cu112==1.9.1", "numpy<1.24")
    assert {"nvidia-nccl-cu11==2.18.3", "nvidia-cudnn-cu11==8.9.6.50"} <= set(recipe.libraries)
    assert all("==" in each for each in recipe.libraries)
    assert len(recipe.libraries) == 10
    assert recipe.name.startswith("mxnet-cu112-1.9.1-nccl-2.18.3-cudnn-8.9.6.50-py3.")
    assert recipe.size == "4 GB on disk, 2 GB to load"
    assert environment.recipe("1.9.1").size == "300 MB"
    assert environment.recipe("1.9.1", cuda="11").key != recipe.key


def test_horovod_with_nccl_needs_nvcc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda tool: None if tool == "nvcc" else f"/bin/{tool}")
    with pytest.raises(TargetError, match=r"horovod==0.28.1 with NCCL is compiled by nvcc, which is not on the path"):
        environment.ensure(environment.recipe("1.9.1", "0.28.1", cuda="11"), lambda line: None)


def test_what_cannot_be_installed_says_what_was_tried_and_leaves_nothing(cache: Path) -> None:
    impossible = Recipe("3.11", ("mxnet==0.0.0.dev0",))
    with pytest.raises(TargetError) as caught:
        environment.ensure(impossible, lambda line: None)
    told = "target mxnet-0.0.0.dev0-py3.11: the package index has no mxnet==0.0.0.dev0; there are "
    assert str(caught.value).startswith(told)
    assert (", 1.9.1" in str(caught.value), caught.value.exit_code) == (True, 2)
    assert [path.name for path in cache.iterdir() if path.is_dir()] == []


def test_what_fails_says_what_was_tried(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As without a network, where pip finds no version at all."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    with pytest.raises(TargetError) as caught:
        environment.ensure(Recipe("3.11", ("mxnet==1.9.1",)), lambda line: None)
    assert "install --quiet --no-compile --only-binary=numpy mxnet==1.9.1 ended with status 1" in str(caught.value)
    assert ("--python PATH" in str(caught.value), caught.value.exit_code) == (True, 3)


def test_a_build_that_was_killed_is_not_taken_for_an_environment(cache: Path) -> None:
    recipe = Recipe("3.11", ("mxnet==1.9.1", "numpy<1.24"))
    (cache / f".building-{recipe.key}" / "bin").mkdir(parents=True)
    (cache / recipe.key).mkdir()
    assert list(environment.every()) == []


def test_what_killed_builds_of_others_left_is_deleted_unless_they_are_built_now(cache: Path) -> None:
    for key in ("gone", "busy"):
        (cache / f".building-{key}").mkdir(parents=True)
    (load := cache.parent / "libraries" / ".building-nccl").mkdir(parents=True)
    with environment._lock("busy", print), pytest.raises(TargetError):
        environment.ensure(Recipe("3.11", ("mxnet==0.0.0.dev0",)), lambda line: None)
    assert [path.name for path in cache.iterdir() if path.is_dir()] == [".building-busy"]
    assert not load.exists()


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("HARNESS_CACHE", str(tmp_path / "file"))
    with pytest.raises(TargetError, match="cannot be written: not a directory; choose another cache folder"):
        environment.ensure(Recipe("3.11", ("mxnet==1.9.1",)), lambda line: None)


def test_removing_what_is_not_there() -> None:
    with pytest.raises(InputError, match="there is no target 'nonsense'; built are: none"):
        environment.remove("nonsense")


def test_the_cache_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert environment.cache_folder() == tmp_path / "targets"
    monkeypatch.delenv("HARNESS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert environment.cache_folder() == tmp_path / "xdg" / "mxnet-harness" / "targets"


def test_two_builds_of_one_target_wait_for_each_other(cache: Path) -> None:
    script = (
        "from harness.targets import environment\nwith environment._lock('k', print): print('in', flush=True); input()"
    )
    first = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ
    )
    assert first.stdout is not None and first.stdout.readline() == b"in\n"
    second = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ
    )
    with pytest.raises(subprocess.TimeoutExpired):
        second.wait(timeout=1)
    first.kill()  # the kernel lets go of its lock
    first.wait()
    assert second.communicate(b"\n", timeout=20)[0] == b"another process builds it; waiting until it has\nin\n"


def test_pip_unpacks_within_what_a_killed_build_leaves(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the next build, which deletes that, deletes all of it."""
    asked = list[tuple[list[str], dict[str, str]]]()

    def runs(argv: list[str], *_: object, **__: object) -> str:
        asked.append((argv, dict(next((each for each in _ if isinstance(each, dict)), {}))))
        return "[]"

    for module in (build_step, environment):
        monkeypatch.setattr(module, "run", runs)
    monkeypatch.setattr(environment, "_try_import", lambda *_: None)
    recipe = Recipe("3.11", ("mxnet==1.9.1",))
    built = environment.ensure(recipe, lambda line: None)
    folder = cache / f".building-{recipe.key}" / ".scratch"
    assert [env["TMPDIR"] for argv, env in asked if "install" in argv] == [str(folder)]
    assert not (built.path / ".scratch").exists()


def test_a_target_for_gpus_needs_room(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = SimpleNamespace(free=3 * 10**9)
    monkeypatch.setattr(environment.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(TargetError, match=r"takes about 4 GB on disk, .* has 3.0 GB left; choose another cache folder"):
        environment.ensure(environment.recipe("1.9.1", cuda="11"), lambda line: None)


def test_a_target_that_is_replaced_is_the_old_one_or_the_new_one_or_none(tmp_path: Path) -> None:
    place, new = tmp_path / "key", tmp_path / "new"
    for folder in (place, new):
        folder.mkdir()
        (folder / "target.json").write_text(folder.name)
    environment._replace(place, new)
    assert (place / "target.json").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["key"]
