"""Written faults to decided ones: whom and when, from the seed alone."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness.faults import Entry, entry_model
from harness.planning.fault_schedule import ScheduledFault, expand
from harness.vocabulary.job_bounds import JobBounds

EntryModel = entry_model()
ROLES = ("scheduler", "server/0", "worker/0", "worker/1", "worker/2", "worker/3")


def _job(steps: int = 100, seed: int = 7) -> JobBounds:
    hosts = {role: role.replace("/", "-") for role in ROLES}
    return JobBounds(
        hosts=hosts,
        environments={},
        steps=steps,
        warmup=10,
        window=10,
        seed=seed,
        training="gluon",
        model="mlp",
        smallest=1,
        variable=False,
        input="image",
        checkpoint_every=None,
        own_checkpoints=False,
        elastic=True,
        copies=4,
        phases=False,
        counts_live=False,
        startup_timeout=60.0,
        faults=1,
    )


JOB = _job()


def _entry(name: str, select: dict[str, Any], **fields: Any) -> Entry:
    return EntryModel.model_validate({name: {"select": select, **fields}})


def _pause(select: dict[str, Any], **fields: Any) -> Entry:
    return _entry("pause", select, **{"for": {"time": "1s"}, **fields})


def _moments(scheduled: list[ScheduledFault]) -> list[tuple[str, int | None]]:
    return [(fault.subject, fault.entry.fault.at.step if fault.entry.fault.at else None) for fault in scheduled]


def test_one_fault_stays_one() -> None:
    entry = _pause({"role": "worker", "rank": 1}, at={"step": 5})
    assert _moments(expand([entry], JOB)) == [("worker/1", 5)]


def test_again_and_again_before_every_so_many_steps() -> None:
    entry = _pause({"role": "worker", "rank": 1}, every={"steps": 30})
    assert _moments(expand([entry], JOB)) == [("worker/1", 30), ("worker/1", 60), ("worker/1", 90)]
    twice = _pause({"role": "worker", "rank": 1}, every={"steps": 30, "times": 2})
    assert len(expand([twice], JOB)) == 2


def test_again_and_again_by_the_clock() -> None:
    entry = _pause({"role": "worker", "rank": 1}, every={"time": "2s", "times": 3})
    times = [due.entry.fault.at.time for due in expand([entry], JOB) if due.entry.fault.at]
    assert times == [2.0, 4.0, 6.0]


def test_modes_choose_among_those_that_fit() -> None:
    def chosen(**mode: Any) -> list[str]:
        return [fault.subject for fault in expand([_pause({"role": "worker", **mode}, at={"step": 5})], JOB)]

    assert chosen(mode="all") == ["worker/0", "worker/1", "worker/2", "worker/3"]
    assert len(chosen(mode="one")) == 1
    assert len(chosen(mode="fixed", value=3)) == 3
    assert len(chosen(mode="fixed-percent", value="50%")) == 2
    assert len(chosen(mode="fixed-percent", value="26%")) == 2


def test_faults_on_links_meet_hosts_and_their_peers() -> None:
    entry = _entry("loss", {"role": "worker", "mode": "all"}, at={"step": 5}, share="1%", peer="server/0")
    scheduled = expand([entry], JOB)
    assert [fault.subject for fault in scheduled] == ["worker-0", "worker-1", "worker-2", "worker-3"]
    assert scheduled[0].entry.fault.model_dump()["peer"] == "server-0"


def test_what_comes_out_can_be_written_and_expanded_again() -> None:
    entries = [_pause({"role": "worker", "mode": "one"}, random={"rate": "5%"})]
    once = [due.entry for due in expand(entries, JOB)]
    assert [due.entry for due in expand(once, JOB)] == once
    assert [EntryModel.model_validate(due.model_dump(mode="json")) for due in once] == once


def test_nobody_is_hit_by_a_drawn_fault_after_its_death() -> None:
    kill = _entry("kill", {"role": "worker", "rank": 1}, at={"step": 50})
    pauses = _pause({"role": "worker", "mode": "all"}, every={"steps": 20})
    late = [due for due in _moments(expand([kill, pauses], JOB)) if due[0] == "worker/1"]
    assert late == [("worker/1", 50), ("worker/1", 20), ("worker/1", 40)]


@given(st.integers(0, 2**31 - 1), st.sampled_from(["1%", "10%", "80%"]), st.integers(1, 60))
def test_the_same_seed_gives_the_same_schedule_that_fits_the_job(seed: int, rate: str, lasts: int) -> None:
    bounds = _job(seed=seed)
    fields: dict[str, Any] = {"random": {"rate": rate}, "factor": 2, "for": {"steps": lasts}}
    entry = _entry("slow", {"role": "worker", "mode": "one"}, **fields)
    scheduled = expand([entry], bounds)
    assert scheduled == expand([entry], bounds)
    spans: dict[str, int] = {}
    for target, step in _moments(scheduled):
        assert step is not None and step >= 10 and step + lasts <= 100
        assert step >= spans.get(target, 0)
        spans[target] = step + lasts


def test_another_seed_gives_another_schedule() -> None:
    entry = _pause({"role": "worker", "mode": "one"}, random={"rate": "10%"})
    own = _pause({"role": "worker", "mode": "one"}, random={"rate": "10%", "seed": 7})
    other = _job(seed=8)
    assert _moments(expand([entry], JOB)) != _moments(expand([entry], other))
    assert _moments(expand([own], JOB)) == _moments(expand([own], other))


def test_faults_by_the_clock_meet_by_the_clock() -> None:
    def slow(**fields: Any) -> Entry:
        return _entry("slow", {"role": "server"}, factor=2, **{"for": {"time": "10s"}, **fields})

    assert len(expand([slow(every={"time": "1s", "times": 3})], JOB)) == 1
    assert len(expand([slow(every={"time": "20s", "times": 3})], JOB)) == 3


def test_restarts_by_the_clock_meet_while_the_process_is_away() -> None:
    def again(seconds: str) -> Entry:
        return _entry("restart", {"role": "worker", "rank": 1}, every={"time": seconds, "times": 3}, after="2s")

    assert len(expand([again("4s")], JOB)) == 3
    assert len(expand([again("1500ms")], JOB)) == 2  # at 1.5 and 4.5 s


def test_a_fault_that_a_time_ends_comes_again_with_later_steps() -> None:
    entry = _entry("partition", {"role": "server"}, every={"steps": 30}, **{"for": {"time": "1s"}})
    assert len(expand([entry], JOB)) == 3


def test_a_schedule_without_end_is_cut_off() -> None:
    many = _job(steps=100_000)
    assert len(expand([_entry("stale", {"role": "worker", "mode": "all"}, random={"rate": "100%"})], many)) == 1001
