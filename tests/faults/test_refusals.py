"""Which field a fault names when it refuses a job, and why; whole lines are in `tests/planning/test_validation.py`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.faults import Refuses, all_faults
from tests.planning.test_fault_schedule import JOB

SELECT = {"role": "worker", "rank": 0}
AT = {"at": {"step": 20}, "for": {"steps": 5}}
SHAPES = {"distribution": "fixed", "value": 3}
SAVED = replace(JOB, checkpoint_every=20)


def _refusals(name: str, job: Any, **fields: Any) -> list[Any]:
    fault = all_faults()[name].model_validate({"select": SELECT, **fields})
    assert isinstance(fault, Refuses)
    return list(fault.refusals(job))


@pytest.mark.parametrize(
    ("name", "fields", "job", "refused"),
    [
        ("shape_shift", {**AT, "shapes": SHAPES}, JOB, [(("shapes",), "mlp takes one size only")]),
        (
            "shape_shift",
            {**AT, "shapes": SHAPES},
            replace(JOB, variable=True, smallest=4),
            [(("shapes",), "mlp needs a size of 4 or more, not 3")],
        ),
        ("shape_shift", {**AT, "shapes": SHAPES}, replace(JOB, variable=True, smallest=3), []),
        ("stale", {"at": {"step": 1}}, JOB, []),
        (
            "stale",
            {"at": {"step": 0}},
            JOB,
            [(("at", "step"), "before step 0 there is no gradient to send again")],
        ),
        ("checkpoint_corrupt", {"at": {"step": 30}}, SAVED, []),
        (
            "checkpoint_corrupt",
            {"at": {"step": 30}, "select": {"role": "worker", "rank": 1}},
            SAVED,
            [(("select",), "checkpoints are written by worker 0; give role: worker, rank: 0")],
        ),
        (
            "checkpoint_corrupt",
            {"at": {"step": 30}},
            JOB,
            [((), "checkpoint_corrupt acts on checkpoints; give workload.checkpoint")],
        ),
        ("checkpoint_kill", {"at": {"step": 40}}, SAVED, []),
        (
            "checkpoint_kill",
            {"random": {"rate": "1%"}},
            JOB,
            [((), "checkpoint_kill acts on checkpoints; give workload.checkpoint")],
        ),
        (
            "checkpoint_kill",
            {"at": {"step": 30}},
            SAVED,
            [(("at",), "checkpoints are written at multiples of 20 steps; give such a step")],
        ),
        (
            "checkpoint_kill",
            {"at": {"step": 0}},
            SAVED,
            [(("at",), "checkpoints are written at multiples of 20 steps; give such a step")],
        ),
        (
            "checkpoint_kill",
            {"random": {"rate": "1%"}},
            SAVED,
            [(("at",), "checkpoints are written at multiples of 20 steps; give such a step")],
        ),
        (
            "bandwidth",
            {"select": {"host": "worker-1"}, **AT, "limit": "1mbit", "peer": "worker-0"},
            JOB,
            [(("peer",), "packets to all hosts share one queue, so that a bandwidth is that of the whole link")],
        ),
        ("restart", {"at": {"step": 20}}, JOB, []),
        ("restart", {"at": {"step": 20}, "scope": "job"}, replace(JOB, elastic=False), []),
        (
            "restart",
            {"at": {"step": 20}},
            replace(JOB, elastic=False),
            [
                (
                    ("scope",),
                    "Horovod for MXNet is not elastic: a rank that comes back cannot join; give scope: job",
                )
            ],
        ),
        ("late_start", {"by": "59s"}, JOB, []),
        (
            "late_start",
            {"by": "60s"},
            JOB,
            [(("by",), "60 s is beyond startup_timeout, 60 s; leave by out for never")],
        ),
    ],
)
def test_what_is_refused_names_the_field(name: str, fields: dict[str, Any], job: Any, refused: list[Any]) -> None:
    assert _refusals(name, job, **fields) == refused


@pytest.mark.parametrize(
    ("port", "networked", "fields"), [(9000, True, [("port",)]), (9000, False, []), (9001, True, [])]
)
def test_the_right_port_of_a_pocket_cluster_is_no_wrong_start(port: int, networked: bool, fields: list[Any]) -> None:
    environments = {role: {"DMLC_PS_ROOT_PORT": "9999"} for role in JOB.hosts}
    hosts = JOB.hosts if networked else dict.fromkeys(JOB.hosts, "")
    job = replace(JOB, environments=environments, hosts=hosts)
    assert [field for field, _ in _refusals("wrong_start", job, port=port)] == fields


@pytest.mark.parametrize(
    ("target", "nccl", "role", "why"),
    [
        ("2.21.5", "2.13.4", "worker", None),
        (
            "",
            "2.13.4",
            "worker",
            'the target has no NCCL that another could take the place of; give target: {cuda: "11"}',
        ),
        ("2.21.5", "2.21.5", "worker", "2.21.5 is that of the target, and of all its processes"),
        ("2.21.5", "2.13.4", "server", "server/0 trains nothing, and uses no NCCL"),
        (
            "2.21.5",
            "2.13.5",
            "worker",
            "there is no nvidia-nccl-cu11 2.13.5; there are 2.21.5, 2.20.5, 2.19.3, 2.18.3, ",
        ),
    ],
)
def test_another_nccl_is_one_of_a_worker_that_has_one(target: str, nccl: str, role: str, why: str | None) -> None:
    refused = _refusals("wrong_start", replace(JOB, nccl=target), nccl=nccl, select={"role": role, "mode": "all"})
    assert [field for field, _ in refused] == ([("nccl",)] if why else [])
    assert why is None or refused[0][1].startswith(why)
