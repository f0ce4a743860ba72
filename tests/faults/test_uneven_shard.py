from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.faults.uneven_shard import UnevenShard
from harness.vocabulary.instructions import BeginInProcess
from tests.faults.reports import committed_in, unchanged

WRITTEN = {"select": {"role": "worker", "rank": 1}, "at": {"step": 0}, "batch": 3}
FAULT = UnevenShard.model_validate(WRITTEN)


def test_it_lasts_for_good_unless_said() -> None:
    assert FAULT.inject("worker/1", 4) == (BeginInProcess("worker/1", 4),)
    assert FAULT.life.duration is None
    assert UnevenShard.model_validate({**WRITTEN, "for": {"steps": 3}}).life.steps == 3


def test_it_is_proven_by_what_the_worker_set_out_to_do() -> None:
    assert FAULT.receipt(committed_in(0, 1, 2)) == (True, "from step 0: so")
    assert FAULT.receipt(unchanged(0))[0] is False
    assert FAULT.receipt(committed_in()) == (False, FAULT.unseen)


@pytest.mark.parametrize("change", [{"batch": None}, {"steps": 3}, {"batch": 1}])
def test_larger_batches_or_more_steps(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        UnevenShard.model_validate({**WRITTEN, **change})
