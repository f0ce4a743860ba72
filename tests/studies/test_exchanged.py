"""What differs between files that either of two targets wrote and both read."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np

from harness.scenario.schema import Target
from harness.studies import asked_alone
from harness.studies.exchanged import FILES, difference, line, with_files
from harness.studies.operators import Operators
from harness.studies.parity import Parity
from harness.studies.study_folder import StudyFolder

NOTHING = Parity((), (), (), 5, 2, (), (), ())


def _read(value: float) -> dict[str, Any]:
    written = {
        "dtype": "float32",
        "shape": [1],
        "data": base64.b64encode(np.float32([value]).tobytes()).decode(),
    }
    return {"status": "ok", "outputs": [written], "gradients": [], "changed": {}, "program": f"of {value}"}


REFUSED: dict[str, Any] = {"status": "error", "message": "ValueError: no such key", "program": "refused"}
CRASHED: dict[str, Any] = {"status": "crashed", "signal": 11}


def test_what_both_make_alike_is_no_difference() -> None:
    assert difference(line("files.x", 0, (_read(1), _read(1))), None) is None
    assert difference(line("files.x", 1, (REFUSED, REFUSED)), None) is None
    assert difference(line("files.x", 0, (REFUSED, _read(1))), None) is None  # it takes more: no reason against it


def test_files_of_the_old_one_are_judged_by_what_the_new_one_makes_of_them() -> None:
    other = difference(line("files.x", 0, (_read(1), _read(2))), line("files.x", 1, (_read(2), _read(1))))
    assert other is not None
    assert (other.op, other.kind) == ("files.x", "reads files of the old one otherwise")
    assert other.how == "output 0: 1 is 2, at 0"
    assert (other.case["case"], other.case["program"]) == ("files.x(files of the old one)", "of 1")
    for failed in (REFUSED, CRASHED):
        refused = difference(line("files.x", 0, (_read(1), failed)), None)
        assert refused is not None and refused.kind == "refuses files of the old one"


def test_files_of_the_new_one_are_for_the_way_back() -> None:
    found = difference(line("files.x", 1, (CRASHED, _read(2))), line("files.x", 0, (_read(2), _read(1))))
    assert found is not None
    assert (found.kind, found.how) == ("the old one refuses its files", "the process ends by signal 11")
    assert found.case["program"] == "of 2"
    otherwise = difference(line("files.x", 1, (_read(1), _read(2))), None)
    assert otherwise is not None and otherwise.kind == "the old one reads its files otherwise"
    assert difference(line("files.x", 1, (_read(1), REFUSED)), None) is None  # it does not read its own: another row


def test_who_computes_something_else_of_any_files_is_not_told_to_read_them_otherwise() -> None:
    both = [line("files.x", side, (_read(1), _read(2))) for side in (0, 1)]
    assert with_files(NOTHING, both).differences == ()


def test_they_go_among_all_others_and_count() -> None:
    lines = [
        line("files.x", 1, (REFUSED, _read(1))),
        line("files.x", 0, (_read(1), _read(2))),
        line("files.y", 0, (REFUSED, _read(1))),
        line("files.z", 0, (REFUSED, REFUSED)),
    ]
    found = with_files(NOTHING, lines)
    kinds = ["reads files of the old one otherwise", "the old one refuses its files"]
    assert [each.kind for each in found.differences] == kinds
    assert found.compared == 5 + 3


def test_what_does_not_repeat_itself_is_left_out_and_what_was_not_written_is_not_known() -> None:
    lines = [line("files.x", 0, (_read(1), CRASHED), repeats=False), line("files.y", 1)]
    found = with_files(NOTHING, lines)
    assert (found.differences, found.unstable, found.unmatched) == ((), ("files.x",), ("files.y",))


class Calls:
    """Writes at the second try, and reads by the readings that are left."""

    def __init__(self, *readings: tuple[Any, Any], writes: bool = True) -> None:
        self.readings, self.tries, self.writes = list(readings), 0, writes

    def files(self, side: int, name: str) -> dict[str, str] | None:
        self.tries += 1
        return {"saved": "x"} if self.writes and self.tries == 2 else None

    def read(self, name: str, files: dict[str, str]) -> tuple[Any, Any]:
        return self.readings.pop(0)


def test_what_differs_is_read_once_more_and_what_is_not_written_written_once_more() -> None:
    read = asked_alone.read_by_both
    twice = read(Calls((_read(1), CRASHED), (_read(1), CRASHED)), "files.x", 0)  # type: ignore[arg-type]
    assert (twice["repeats"], twice["new"]["status"]) == (True, "crashed")
    once = read(Calls((_read(1), CRASHED), (_read(1), _read(1))), "files.x", 0)  # type: ignore[arg-type]
    assert (once["repeats"], once["new"]["status"]) == (False, "ok")
    alike = read(Calls((_read(1), _read(1))), "files.x", 0)  # type: ignore[arg-type]
    assert (alike["repeats"], alike["old"], alike["by"]) == (True, _read(1), "from")
    calls = Calls(writes=False)
    assert read(calls, "files.x", 1) == line("files.x", 1)  # type: ignore[arg-type]
    assert calls.tries == 2


def test_what_the_old_one_never_had_has_no_way_back(tmp_path: Path) -> None:
    def case(op: str, status: str = "ok") -> str:
        return json.dumps({"op": op, "case": f"{op}(as it is)", "status": status}) + "\n"

    (tmp_path / "from.jsonl").write_text(case("files.a") + case("files.b") + case("files.c", "error") + case("exp"))
    (tmp_path / "to.jsonl").write_text(case("files.a") + case("files.b", "crashed") + case("files.c") + case("files.d"))
    study = Operators(Target(mxnet="1.9.1"), Target(mxnet="1.9.1"))
    study.folder = StudyFolder(tmp_path)
    assert study._written() == [("files.a", 0), ("files.a", 1), ("files.b", 0)]


def test_files_are_asked_where_they_are_wanted_and_by_no_older_study() -> None:
    same = Target(mxnet="1.9.1")
    for only, asked in (((), True), (("exp",), False), (("exp", f"{FILES}nd.save"), True)):
        assert Operators(same, same, only)._single_calls() == ["files"] * asked
    question = dict(Operators(same, same).question)
    assert Operators.asked(question, Path())._single_calls() == ["files"]
    del question["files"]
    assert Operators.asked(question, Path())._single_calls() == []
