from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.vocabulary.schedule import At, Every, For, Select, process


@pytest.mark.parametrize(
    "written", [{"step": 3}, {"time": "2s"}, {"event": "done"}, {"event": "done", "of": "worker/1"}]
)
def test_one_moment(written: dict[str, object]) -> None:
    assert At.model_validate(written).model_dump(exclude_none=True).keys() == written.keys()


@pytest.mark.parametrize(
    ("model", "written", "message"),
    [
        (At, {}, "give one of step, time, event"),
        (At, {"step": 1, "time": "1s"}, "give one of step, time, event"),
        (At, {"step": 1, "of": "worker/0"}, "of names the role of an event"),
        (At, {"event": "lunch"}, "'checkpointed', 'done'"),
        (For, {}, "give one of steps, time"),
        (Every, {"time": "1s"}, "time needs times"),
        (Every, {"steps": 5, "time": "1s", "times": 3}, "give one of steps, time"),
        (Select, {}, "give role, host or mode"),
        (Select, {"rank": 1, "host": "a"}, "give role"),
        (Select, {"role": "worker", "mode": "fixed"}, "fixed needs a number"),
        (Select, {"role": "worker", "mode": "fixed", "value": "50%"}, "fixed needs a number"),
        (Select, {"role": "worker", "mode": "fixed-percent", "value": 2}, "fixed-percent a percentage"),
        (Select, {"role": "worker", "mode": "all", "value": 2}, "others have none"),
    ],
)
def test_what_makes_no_sense_is_refused(model: type, written: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        model.model_validate(written)  # type: ignore[attr-defined]


def test_a_process_is_selected_by_its_name() -> None:
    assert process("worker/3") == Select(role="worker", rank=3)
    assert process("scheduler") == Select(role="scheduler")
