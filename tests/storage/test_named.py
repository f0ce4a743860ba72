from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.storage import named

RUNS = [
    Path("runs/20261101T000000-lenet-aaaaaa"),
    Path("runs/20261102T000000-killed-worker-dist-sync-bbbbbb"),
    Path("runs/20261103T000000-killed-worker-dist-sync-cccccc-2"),
    Path("runs/20261104T000000-lenet-facade-dddddd"),
]


@pytest.mark.parametrize(
    ("wanted", "places"),
    [
        ("last", [3]),
        ("last:lenet", [0]),
        ("last:killed-worker-dist-sync", [2]),
        ("last:killed", []),
        ("killed-worker-dist-sync", [2]),  # its newest
        ("lenet", [0]),  # the name of one, a part of another
        ("20261102T000000-killed-worker-dist-sync-bbbbbb", [1]),
        ("bbbbbb", [1]),
        ("killed", [1, 2]),
        ("facade", [3]),
        ("", []),
        ("nothing", []),
    ],
)
def test_what_is_meant(wanted: str, places: list[int]) -> None:
    assert named.meant(wanted, RUNS) == [RUNS[place] for place in places]


def test_a_kind_of_study_is_a_name() -> None:
    studies = [Path("20261101T000000-compare"), Path("20261101T000000-table"), Path("20261101T000001-compare-2")]
    assert named.meant("last:compare", studies) == [studies[2]]
    assert named.meant("table", studies) == [studies[1]]


def test_names_are_compared_as_ids_have_them() -> None:
    folder = Path(f"20261101T000000-{named.slug('a b/' + 'c' * 50)}-aaaaaa")
    assert named.meant("a b/" + "c" * 50, [folder]) == [folder]


def test_a_path_is_one_that_has_the_files_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs" / "one").mkdir(parents=True)
    (tmp_path / "runs" / "one" / "status.json").touch()
    monkeypatch.chdir(tmp_path)
    assert named.as_path("runs/one", "plan.json", "status.json") == tmp_path / "runs" / "one"
    assert named.as_path(os.fspath(tmp_path / "runs" / "one"), "status.json") == tmp_path / "runs" / "one"
    assert named.as_path("runs", "status.json") is None
    monkeypatch.chdir(tmp_path / "runs")
    assert named.as_path("one", "status.json") is None  # a word is a name
    (tmp_path / "runs" / "20261101T000000-lenet-aaaaaa").symlink_to("one")
    id_ = "20261101T000000-lenet-aaaaaa"
    assert named.as_path(id_, "status.json") == tmp_path / "runs" / id_, "an id that lies here"
    monkeypatch.chdir(tmp_path / "runs" / "one")
    assert named.as_path(".", "status.json") == tmp_path / "runs" / "one"
