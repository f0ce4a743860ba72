from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.planning.plan import Plan
from harness.planning.planner import make
from harness.planning.validation import load
from harness.targets import resolve
from harness.vocabulary.instructions import Direction
from tests.conftest import SCENARIO

PAUSE = {"pause": {"select": {"role": "worker", "rank": 0}, "at": {"step": 50}, "for": {"time": "1s"}}}
SCRATCH = ("workload.scratch", True)
KILL = {"kill": {"select": {"role": "worker", "rank": 1}, "at": {"step": 50}}}
SLOW = {"slow": {"select": {"role": "server"}, "at": {"step": 30}, "for": {"steps": 20}, "factor": 2}}


def test_the_same_scenario_gives_the_same_bytes(plan_of: Callable[..., Plan]) -> None:
    first, second = plan_of(), plan_of()
    assert first.text() == second.text()
    assert first.hash == second.hash


def test_the_seed_is_part_of_the_hash(plan_of: Callable[..., Plan]) -> None:
    assert plan_of().hash != plan_of(SCENARIO, ("seed", 8)).hash


def test_a_plan_read_back_is_the_same_plan(fault_plan: Callable[..., Plan]) -> None:
    plan = fault_plan(KILL, SLOW)
    again = Plan.model_validate_json(plan.text())
    assert again == plan
    assert again.hash == plan.hash


def test_everything_is_decided(fault_plan: Callable[..., Plan]) -> None:
    arm = fault_plan(KILL, SLOW).arms[0]
    assert [role.name for role in arm.roles] == ["scheduler", "server/0", "worker/0", "worker/1"]
    assert arm.env == {"OMP_NUM_THREADS": "1"}
    assert arm.workload.sizes == (8,)
    assert arm.workload.seed == 7
    assert [
        (injection.subject, injection.clock, injection.first_step, injection.last_step) for injection in arm.schedule
    ] == [
        ("worker/1", "worker/1", 50, None),
        ("server/0", "worker/0", 30, 50),
    ]


def test_a_control_is_the_same_job_without_its_faults(plan_of: Callable[..., Plan]) -> None:
    expect = {"drift": {"versus": "control", "at_most": "1%"}}
    plan = plan_of(SCENARIO, ("faults", [KILL]), ("expect", expect))
    control, main = plan.arms
    assert (control.name, main.name) == ("control", "main")
    assert control.schedule == ()
    assert control.workload == main.workload


def test_a_control_that_no_check_names_comes_last_and_goes_as_far_as_the_job(fault_plan: Callable[..., Plan]) -> None:
    main, control = fault_plan(KILL).arms
    assert (main.name, main.as_far_as) == ("main", None)
    assert (control.name, control.as_far_as, control.schedule) == ("control", "main", ())
    assert control.workload == main.workload


def test_a_script_is_run_again_only_where_that_writes_nothing_over(
    plan_of: Callable[..., Plan], tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text("")
    text = f"title: t\nworkload: {{script: {tmp_path / 'train.py'}, steps: 100}}\n"
    names = [[arm.name for arm in plan_of(text, ("faults", [PAUSE]), *more).arms] for more in ([], [SCRATCH])]
    assert names == [["main"], ["main", "control"]]


def test_without_faults_or_where_it_is_not_wanted_there_is_no_control(plan_of: Callable[..., Plan]) -> None:
    assert [arm.name for arm in plan_of(SCENARIO).arms] == ["main"]
    assert [arm.name for arm in plan_of(SCENARIO, ("faults", [KILL]), ("control", False)).arms] == ["main"]


def test_variants_become_arms_in_their_order(plan_of: Callable[..., Plan]) -> None:
    variants = {"small": {}, "large": {"workload.batch_size": 128, "target.env.MXNET_ENGINE_TYPE": "NaiveEngine"}}
    small, large = plan_of(SCENARIO, ("variants", variants)).arms
    assert (small.workload.batch_size, large.workload.batch_size) == (32, 128)
    assert large.env == {"OMP_NUM_THREADS": "1", "MXNET_ENGINE_TYPE": "NaiveEngine"}


def test_the_targets_environment_reaches_every_arm_and_a_variant_comes_before_it(tmp_path: Path) -> None:
    path = tmp_path / "question.yaml"
    path.write_text(
        SCENARIO + "variants: {a: {}, b: {target.env.X: variant}}\ntarget: {env: {X: scenario, Y: scenario}}\n"
    )
    loaded = load(path)
    targets = resolve.settled(loaded, env={"X": "axis", "Y": "axis"})
    assert [arm.env for arm in make(loaded, targets, "").arms] == [
        {"OMP_NUM_THREADS": "1", "X": "axis", "Y": "axis"},
        {"OMP_NUM_THREADS": "1", "X": "variant", "Y": "axis"},
    ]


def test_a_variant_may_be_of_another_version_or_interpreter(tmp_path: Path) -> None:
    path = tmp_path / "question.yaml"
    variants = "{a: {}, b: {target.mxnet: 1.8.0.post0}, c: {target.python: /opt/python}}"
    path.write_text(SCENARIO + f"variants: {variants}\ntarget: {{mxnet: 1.9.1, env: {{X: 1}}}}\n")
    loaded = load(path)
    arms = make(loaded, resolve.settled(loaded), "").arms
    assert [str(arm.target) for arm in arms] == ["mxnet 1.9.1", "mxnet 1.8.0.post0", "/opt/python"]
    assert [arm.env["X"] for arm in arms] == ["1", "1", "1"]
    chosen = make(loaded, resolve.settled(loaded, mxnet="1.6.0"), "").arms
    assert [str(arm.target) for arm in chosen] == ["mxnet 1.6.0", "mxnet 1.8.0.post0", "/opt/python"]


def test_sizes_are_drawn_from_the_seed(plan_of: Callable[..., Plan]) -> None:
    shapes = {"distribution": "uniform", "min": 4, "max": 9}
    text = SCENARIO.replace("model: mlp", "model: lstm")
    sizes = plan_of(text, ("workload.shapes", shapes)).arms[0].workload.sizes
    assert len(sizes) == 100
    assert sizes[:10] == (5, 4, 7, 4, 7, 6, 4, 7, 4, 6)
    assert plan_of(text, ("workload.shapes", shapes), ("seed", 8)).arms[0].workload.sizes != sizes


def test_a_pocket_cluster_is_decided_to_the_address(plan_of: Callable[..., Plan]) -> None:
    text = SCENARIO.replace("workers: 2", "workers: 2, network: {bandwidth: 200mbit, latency: 5ms}, bigarray_bound: 10")
    plan = plan_of(text)
    arm = plan.arms[0]
    assert arm.network is not None
    assert arm.network.host_of("server/0").address == "10.77.0.250"
    assert arm.network.hosts[0].out == Direction(2e8, 0.005, 0.0, 1000)
    assert [role.host for role in arm.roles] == ["scheduler", "server-0", "worker-0", "worker-1"]
    assert arm.roles[3].env["DMLC_PS_ROOT_URI"] == "10.77.0.251"
    assert arm.roles[3].env["DMLC_PS_ROOT_PORT"] == "9000"
    assert [role.env.get("HARNESS_NODE_PORT") for role in arm.roles] == [None, "9002", "9003", "9004"]
    assert arm.env["MXNET_KVSTORE_BIGARRAY_BOUND"] == "10"
    assert Plan.model_validate_json(plan.text()) == plan


@pytest.mark.parametrize(
    ("topology", "training", "loop", "workers"),
    [
        ("{kvstore: dist_sync, workers: 2}", "gluon", "trainer", 2),
        ("{kvstore: dist_sync, workers: 2, loop: push_pull, compression: 2bit}", "gluon", "push_pull", 2),
        ("{horovod: {ranks: 3}}", "gluon", "horovod", 3),
        ("{parallelism: model, contexts: [cpu(0), cpu(1)]}", "model_parallel", "trainer", 1),
    ],
)
def test_the_plan_says_what_trains_and_which_loop(
    plan_of: Callable[..., Plan], topology: str, training: str, loop: str, workers: int
) -> None:
    text = f"title: q\nworkload: {{model: mlp, steps: 20}}\ntopology: {topology}\n"
    arm = plan_of(text).arms[0]
    job = arm.workload
    assert (job.training, job.loop, job.workers, len(arm.workers)) == (training, loop, workers, workers)


def test_a_fault_on_a_link_acts_on_a_host_and_its_worker_is_the_clock(plan_of: Callable[..., Plan]) -> None:
    text = SCENARIO.replace("workers: 2", "workers: 2, network: {hosts: {left: [worker/1, server/0]}}")
    by_role = {"loss": {"select": {"role": "server"}, "at": {"step": 5}, "share": "1%"}}
    by_host = {"loss": {"select": {"host": "scheduler"}, "at": {"step": 5}, "share": "1%"}}
    schedule = plan_of(text, ("faults", [by_role, by_host])).arms[0].schedule
    assert [(injection.subject, injection.clock) for injection in schedule] == [
        ("left", "worker/1"),
        ("scheduler", "worker/0"),
    ]
