"""What all faults on links share."""

from __future__ import annotations

from dataclasses import replace

from harness.faults.latency import Latency
from harness.faults.loss import Loss
from harness.vocabulary.receipts import Evidence
from tests.faults.links import WRITTEN, impaired

SLOWED = Latency.model_validate({"select": {"host": "worker-1"}, "at": {"step": 5}, "direction": "out", "by": "20ms"})
LOSSY = Loss.model_validate({**WRITTEN, "direction": "out"})


def test_what_the_wire_tells_of_several_times_in_force_is_one() -> None:
    """100 packets by 20 ms and 300 by 24 ms are 400 by 23 ms."""
    twice = Evidence([impaired("out", 100, 0, delay=0.02), impaired("out", 300, 0, delay=0.024)])
    assert SLOWED.receipt(twice) == (True, "out: 400 packets took 23.00 ms longer")
    lossy = Evidence([replace(impaired("out", 100, 4), overtaken=1), replace(impaired("out", 300, 16), overtaken=2)])
    assert LOSSY.receipt(lossy) == (True, "out: 20 of 400 packets were dropped (5.00%) in 4.000 s")


def test_a_time_in_which_nothing_came_by_changes_no_mean() -> None:
    for other in (impaired("out", 0, 0), impaired("out", 0, 0, delay=1.0)):
        for reports in ([impaired("out", 100, 0, delay=0.02), other], [other, impaired("out", 100, 0, delay=0.02)]):
            assert SLOWED.receipt(Evidence(reports)) == (True, "out: 100 packets took 20.00 ms longer")
    nothing = [impaired("out", 0, 0), impaired("out", 0, 0)]
    assert SLOWED.receipt(Evidence(nothing)) == (False, "out: no packet came by in 4.000 s")


def test_packets_that_never_arrived_have_no_delay() -> None:
    lost = Evidence([impaired("out", 40, 40)])
    assert SLOWED.receipt(lost) == (False, "out: none of 40 packets arrived")
    assert SLOWED.dose(lost) == (None, "")


def test_a_fault_without_a_dose_of_its_own_says_nothing() -> None:
    assert LOSSY.doses(Evidence([impaired("out", 100, 5)])) == (None, "")
