"""Topologies on real MXNet and Horovod: kvstores, loops, contexts, hosts of a pocket cluster."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.targets.environment import cache_folder
from tests.conftest import ROOT
from tests.e2e.conftest import Command, harness, needs_clusters

pytestmark = pytest.mark.e2e

TEXT = """\
title: a question
seed: 3
workload: {model: mlp, steps: 120, warmup: 20}
topology: {kvstore: dist_sync, workers: 2}
expect: {outcome: completed, agreement: true}
"""
MLP_BYTES = 4 * (64 * 256 + 256 + 256 * 256 + 256 + 256 * 10 + 10)


@pytest.fixture
def run(scenario: Callable[[str], Path], target: Path, tmp_path: Path) -> Callable[..., Command]:
    def run_text(*changes: str, text: str = TEXT) -> Command:
        options = [part for change in changes for part in ("--set", change)]
        return harness("run", scenario(text), "--json", "--results", tmp_path / "results", *options)

    return run_text


def _main(command: Command) -> Any:
    assert command.out, command.err
    return next(arm for arm in command.json["verdicts"][0]["arms"] if arm["arm"] == "main")


def _values(command: Command, name: str) -> dict[str, Any]:
    return {entry["subject"]: entry["value"] for entry in _main(command)["measures"] if entry["name"] == name}


@pytest.mark.parametrize(
    "topology",
    [
        "{kvstore: local, contexts: [cpu(0), cpu(1)]}",
        "{kvstore: device, contexts: [cpu(0), cpu(1)], compression: 2bit}",
        "{kvstore: device, contexts: [cpu(0), cpu(1)], loop: push_pull}",
        "{kvstore: dist_device_sync, workers: 2, bigarray_bound: 1000, servers: 2, loop: push_pull, compression: 2bit}",
        pytest.param(
            "{kvstore: dist_sync, workers: 2, network: {hosts: {a: [worker/0, worker/1]}}}", marks=needs_clusters
        ),
    ],
)
def test_it_trains_and_every_copy_of_the_weights_is_the_same(run: Callable[..., Command], topology: str) -> None:
    command = run(f"topology={topology}")
    assert command.code == 0, command.out + command.err


def test_p3_trains(run: Callable[..., Command]) -> None:
    """Its workers update, as it demands; their weights part, rarely (docs/topologies.md)."""
    p3 = "topology={kvstore: dist_sync, workers: 2, van: p3, update_on_kvstore: false}"
    command = run(p3, "expect={outcome: completed}")
    assert command.code == 0, command.out + command.err


def test_the_same_weights_come_out_of_one_network_in_one_place_and_in_two(run: Callable[..., Command]) -> None:
    outcome = "expect={outcome: completed}"
    whole = run("topology={kvstore: none}", outcome)
    staged = run("topology={parallelism: model, contexts: [cpu(0), cpu(1)]}", outcome)
    assert _values(whole, "final_loss") == pytest.approx(_values(staged, "final_loss"), rel=1e-4)


@needs_clusters
def test_the_wire_counts_the_gradients_of_each_worker(run: Callable[..., Command]) -> None:
    command = run("topology.network={mtu: 65000}")
    assert command.code == 0, command.err
    for name in ("sent_per_step", "received_per_step"):
        bytes_a_step = _values(command, name)
        for host in ("worker-0", "worker-1"):
            assert bytes_a_step[host] == pytest.approx(MLP_BYTES, rel=0.05)
        assert bytes_a_step["server-0"] == pytest.approx(2 * MLP_BYTES, rel=0.05)
    assert set(_values(command, "dropped_packets").values()) == {0}


@needs_clusters
@pytest.mark.alone
def test_a_step_takes_as_long_as_its_bytes_take_over_the_link(run: Callable[..., Command]) -> None:
    network = "topology.network={bandwidth: 100mbit}"
    command = run(network, "topology.servers=2", "topology.bigarray_bound=1000", "workload.steps=60")
    assert command.code == 0, command.err
    seconds = _values(command, "seconds_per_sample")[""] * 64
    over_the_link = 2 * MLP_BYTES * 8 / 100e6
    assert 0.9 * over_the_link < seconds < 5 * over_the_link  # benchmarks/itself says how exactly


@needs_clusters
def test_horovod_over_hosts_of_a_pocket_cluster(run: Callable[..., Command]) -> None:
    command = run("topology={horovod: {ranks: 2, compression: fp16, cycle_time: 2ms}, network: {latency: 1ms}}")
    assert command.code == 0, command.out + command.err
    assert _values(command, "sent_per_step")["worker-0"] == pytest.approx(MLP_BYTES / 2, rel=0.2)


@needs_clusters
def test_horovod_waits_for_a_rank_that_is_far_away(run: Callable[..., Command]) -> None:
    hosts = "{far: {roles: [worker/2], out: {latency: 30ms}}}"
    short = ("workload.steps=15", "workload.warmup=5")
    command = run(f"topology={{horovod: {{ranks: 3}}, network: {{hosts: {hosts}}}}}", *short)
    assert command.code == 0, command.out + command.err


def test_a_straggler_is_seen_in_the_parts_of_each_step(run: Callable[..., Command]) -> None:
    slow = "faults=[{slow: {select: {role: worker, rank: 1}, at: {step: 20}, factor: 4}}]"
    model = ("workload.model=lenet", "workload.batch_size=128", "workload.phases=true")
    command = run(slow, *model, "workload.window=4", "expect={utilisation: {at_least: 1%}}")
    assert command.code == 0, command.out + command.err
    assert _values(command, "was_last")["worker/1"] > 0.6  # beside other tests the other one is last at times
    assert _values(command, "utilisation")["worker/0"] < _values(command, "utilisation")["worker/1"]
    assert _values(command, "wait_time")["worker/0"] > _values(command, "wait_time")["worker/1"]


@needs_clusters
def test_a_worker_killed_on_its_host_leaves_the_others_waiting(run: Callable[..., Command]) -> None:
    kill = "faults=[{kill: {select: {role: worker, rank: 1}, at: {step: 60}}}]"
    command = run(kill, "topology.network={}", "stall_timeout=3s", "expect={outcome: hung}")
    assert command.code == 0, command.out
    stacks = command.json["verdicts"][0]["stacks"]
    assert {stack["subject"] for stack in stacks} == {"scheduler", "server/0", "worker/0"}


@needs_clusters
@pytest.mark.alone
def test_faults_on_links_overlap_have_receipts_and_change_no_weight(run: Callable[..., Command]) -> None:
    latency = "{latency: {select: {role: server}, at: {step: 20}, for: {steps: 60}, by: 5ms}}"
    partition = "{partition: {select: {host: worker-1}, at: {step: 40}, for: {time: 500ms}}}"
    loss = "{loss: {select: {role: worker, rank: 0}, direction: out, at: {step: 30}, for: {steps: 80}, share: 5%}}"
    drift = "expect={agreement: true, drift: {versus: control, at_most: 1%}}"
    command = run("topology.network={}", f"faults=[{latency}, {partition}, {loss}]", drift)
    assert command.code == 0, command.out + command.err
    evidence = {entry["name"]: entry["evidence"] for entry in _main(command)["receipts"]}
    assert evidence["latency"].count("ms longer") == 2 and "; 5 ms were asked" in evidence["latency"]
    assert "were dropped" in evidence["partition"] and "in:" not in evidence["loss"]


def test_what_cannot_work_is_refused_at_its_place(scenario: Any, tmp_path: Path) -> None:
    path = scenario(TEXT.replace("workers: 2", "workers: 2, compression: 2bit"))
    command = harness("run", path, "--results", tmp_path)
    assert command.code == 2
    assert f"{path}:4:44: topology.compression: gluon.Trainer fails with compression on dist" in command.err


def test_the_doctor_says_what_this_machine_can_do() -> None:
    report = harness("doctor", "--json").json
    assert report["schema"] == "harness/doctor/2"
    names = [entry["name"] for entry in report["capabilities"]]
    assert names[1:4] == ["namespaces", "/dev/net/tun", "pocket cluster"]
    assert all(entry["remedy"] for entry in report["capabilities"] if not entry["there"] and not entry["optional"])


def _without_namespaces(folder: Path) -> str:
    """A path of programs on which unshare always fails."""
    fake = folder / "bin" / "unshare"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\nexit 1\n")
    fake.chmod(0o755)
    return f"{fake.parent}:{os.environ['PATH']}"


def test_without_namespaces_a_network_is_refused_and_loopback_works(
    scenario: Any, target: Path, tmp_path: Path
) -> None:
    path = _without_namespaces(tmp_path)
    networked = scenario(TEXT.replace("workers: 2", "workers: 2, network: {}"))
    refused = harness("run", networked, "--results", tmp_path, PATH=path)
    assert refused.code == 2
    assert "topology.network is not possible here:" in refused.err and "`harness doctor` tells more" in refused.err
    assert harness("doctor", PATH=path).code == 1
    assert harness("run", scenario(TEXT), "--results", tmp_path, PATH=path).code == 0


@pytest.fixture
def as_ordinary_user() -> Iterator[Callable[..., subprocess.CompletedProcess[str]]]:
    """Runs a command as nobody, who may open /dev/net/tun and read what tests need, in a mount namespace of its own."""
    if os.getuid() != 0:
        pytest.skip("every test runs as an ordinary user here")
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)

        def run(*argv: object, **env: str) -> subprocess.CompletedProcess[str]:
            shown = [str(Path(sys.base_prefix).resolve()), str(cache_folder().parent), str(ROOT)]
            script = [
                f"mknod {name}/tun c 10 200 && chmod 666 {name}/tun && mount --bind {name}/tun /dev/net/tun || exit 77",
                *_reachable(shown, Path(name)),
                'exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"',
            ]
            unshare = ["unshare", "--mount", "--propagation", "private", "sh", "-c", "\n".join(script), "sh"]
            environment = {**os.environ, "HOME": name, "HARNESS_CACHE": str(cache_folder().parent), **env}
            done = subprocess.run(
                [*unshare, *map(str, argv)], capture_output=True, text=True, cwd=ROOT, env=environment, timeout=600
            )
            if done.returncode == 77:
                pytest.skip("this machine lets root make no device nodes")
            return done

        run.folder = Path(name)  # type: ignore[attr-defined]
        yield run


def _reachable(paths: list[str], folder: Path) -> list[str]:
    """Commands that show these paths, and nothing else, of a home that only root may enter."""
    closed = {str(parent) for path in paths for parent in Path(path).parents if not parent.stat().st_mode & 0o001}
    lines = []
    for number, path in enumerate(paths):
        if any(path.startswith(f"{parent}/") for parent in closed):
            lines.append(f"mkdir {folder}/{number} && mount --rbind {path} {folder}/{number}")
    lines += [f"mount -t tmpfs -o mode=755 tmpfs {parent}" for parent in sorted(closed, key=len)[:1]]
    for number, path in enumerate(paths):
        if any(path.startswith(f"{parent}/") for parent in closed):
            lines.append(f"mkdir -p {path} && mount --rbind {folder}/{number} {path}")
    return lines


@needs_clusters
def test_an_ordinary_user_runs_a_pocket_cluster(
    as_ordinary_user: Any, scenario: Callable[[str], Path], target: Path
) -> None:
    folder = as_ordinary_user.folder
    path = folder / "question.yaml"
    path.write_text(TEXT.replace("workers: 2", "workers: 2, network: {}"))
    done = as_ordinary_user(sys.executable, "-m", "harness", "run", path, "--results", folder / "results")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "sent per step worker-0" in done.stdout
    assert (folder / "results" / "runs").stat().st_uid == 65534


@needs_clusters
def test_nothing_outlives_an_ordinary_users_cluster(as_ordinary_user: Any) -> None:
    options = ("-q", "-p", "no:cacheprovider", "--basetemp", as_ordinary_user.folder / "pytest", "-k", "outlives")
    done = as_ordinary_user(sys.executable, "-m", "pytest", *options, "tests/agent/test_cluster.py", CLUSTER_KILLS="6")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 passed" in done.stdout
