"""Scripts that know nothing of the harness: run as they are, seen from outside, and left as they are."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness.storage import history
from harness.targets import environment
from harness.vocabulary.events import Committed, Loss, Recognised, Samples, Window
from tests.conftest import ROOT
from tests.e2e.conftest import Command, harness

pytestmark = pytest.mark.e2e
OWN, SCRIPTS = ROOT / "scenarios" / "own", Path(__file__).with_name("scripts")
GLUON, MODULE = OWN / "gluon_train.py", OWN / "module_train.py"


def bare(python: Path, folder: Path, script: Path, *arguments: str) -> None:
    """The script as its user runs it."""
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run([python, script, *arguments], cwd=folder, env=env, check=True, capture_output=True)


def bare_job(python: Path, folder: Path, script: Path, *arguments: str) -> None:
    """The same, by two workers and a server, as MXNet's launcher starts them; again where they hang as they leave."""
    for _ in range(3):
        roles = started(python, folder, script, *arguments)
        try:
            assert [process.wait(timeout=60) for process in roles] == [0] * 4
            return
        except subprocess.TimeoutExpired:
            continue
        finally:
            for process in roles:
                process.kill()
                process.wait()
    raise AssertionError("three bare jobs of MXNet's hung")


def started(python: Path, folder: Path, script: Path, *arguments: str) -> list[subprocess.Popen[bytes]]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    job = {"DMLC_PS_ROOT_URI": "127.0.0.1", "DMLC_PS_ROOT_PORT": port, "DMLC_NUM_WORKER": "2", "DMLC_NUM_SERVER": "1"}
    return [
        subprocess.Popen(
            [python, script, *arguments],
            cwd=folder,
            env={**os.environ, "OMP_NUM_THREADS": "1", **job, "DMLC_ROLE": role},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for role in ("scheduler", "server", "worker", "worker")
    ]


def tried(folder: Path, script: Path, *options: object, arguments: tuple[str, ...] = ()) -> Command:
    """`harness try` in a folder."""
    return harness("try", script, "--json", "--results", folder / "results", *options, "--", *arguments, cwd=folder)


def events_of(folder: Path, kind: Any, role: str = "worker/0") -> list[Any]:
    (run,) = (folder / "results" / "runs").iterdir()
    past = history.read(run / "history.jsonl")
    return [event for event in past if isinstance(event, kind) and event.subject == role]


@pytest.mark.parametrize(
    ("script", "arguments", "saved", "steps"),
    [
        (GLUON, ("--epochs", "1", "--save", "{}.params"), "{}.params", 128),
        (GLUON, ("--epochs", "1", "--loaders", "2", "--save", "{}.params"), "{}.params", 128),
        (MODULE, ("--epochs", "1", "--save", "{}"), "{}-0001.params", 120),
        (SCRIPTS / "gan.py", ("{}.params",), "{}.params", 30),
        (SCRIPTS / "rounds.py", ("{}.params",), "{}.params", 25),
        (SCRIPTS / "clipped.py", ("{}.params",), "{}.params", 30),
    ],
    ids=["gluon", "loaders that fork", "module", "two trainers", "a kvstore alone", "numpy, clipped, twice"],
)
def test_weights_are_those_of_the_bare_script(
    target: Path, tmp_path: Path, script: Path, arguments: tuple[str, ...], saved: str, steps: int
) -> None:
    bare(target, tmp_path, script, *(text.format("bare") for text in arguments))
    command = tried(tmp_path, script, arguments=tuple(text.format("ours") for text in arguments))
    assert command.code == 0, command.err
    assert (tmp_path / saved.format("ours")).read_bytes() == (tmp_path / saved.format("bare")).read_bytes()
    reason = command.json["verdict"]["arms"][0]["reason"]
    assert reason == f"1 of 1 workers trained {steps} steps and every process left"


@pytest.mark.parametrize("script", [GLUON, SCRIPTS / "gan.py"], ids=["gluon", "two trainers"])
def test_weights_are_those_of_the_bare_script_on_the_oldest_mxnet(tmp_path: Path, script: Path) -> None:
    python = environment.ensure(environment.recipe("1.5.1.post0"), lambda line: None).interpreter.python
    arguments = ("--epochs", "1", "--save", "{}.params") if script == GLUON else ("{}.params",)
    bare(python, tmp_path, script, *(text.format("bare") for text in arguments))
    own = tuple(text.format("ours") for text in arguments)
    command = tried(tmp_path, script, "--mxnet", "1.5.1.post0", arguments=own)
    assert command.code == 0, command.err
    assert (tmp_path / "ours.params").read_bytes() == (tmp_path / "bare.params").read_bytes()


def test_what_a_gluon_script_trains_with_is_seen(tmp_path: Path) -> None:
    command = tried(tmp_path, GLUON, "--steps", 60, arguments=("--epochs", "9"))
    assert command.json["seen"] == {
        "loop": "Trainer.step",
        "trainer": "mxnet.gluon.trainer.Trainer",
        "optimizer": "sgd",
        "kvstore": "device",
        "update_on_kvstore": "true",
        "loss": "the array that backward starts from",
        "batch": "32",
        "input": "seen",
        "contexts": "cpu(0)",
    }
    assert command.json["verdict"]["arms"][0]["reason"].startswith("1 of 1 workers trained 60 steps")
    assert [event.steps for event in events_of(tmp_path, Window)] == [5] * 12
    assert [count for event in events_of(tmp_path, Samples) for count in event.counts] == [32] * 60
    losses = [value for event in events_of(tmp_path, Loss) for value in event.values]
    assert len(losses) == 60
    assert losses[-1] < losses[0]


def test_batches_that_a_script_fetches_by_hand_are_seen(tmp_path: Path) -> None:
    """Once each, though the iterator fetches them from another one in its own thread; what is padded is no sample."""
    command = tried(tmp_path, SCRIPTS / "by_hand.py")
    assert (command.code, command.json["seen"]["input"]) == (0, "seen"), command.err
    assert [count for event in events_of(tmp_path, Samples) for count in event.counts] == [8, 8, 4] * 5
    waited = [seconds for event in events_of(tmp_path, Samples) for seconds in event.waited]
    assert all(seconds > 0 for seconds in waited)


def test_the_scenario_that_is_written_runs(tmp_path: Path) -> None:
    tried(tmp_path, GLUON, "--steps", 60, arguments=("--epochs", "9"))
    again = harness("run", "gluon_train.yaml", "--json", cwd=tmp_path)
    assert again.code == 0, again.err
    assert json.loads(again.out)["verdicts"][0]["verdict"] == "pass"
    assert json.loads(tried(tmp_path, GLUON).out)["scenario"] == "gluon_train-2.yaml"
    assert "gluon_train.yaml is there already" in tried(tmp_path, GLUON, "--write", "gluon_train.yaml").err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("nowhere.py",), "nowhere.py is not a file"),
        ((GLUON, "--write", "no/x.yaml"), "--write no/x.yaml: there is no folder no; make it first"),
        ((GLUON, "--horovod", 2, "--servers", 1), "Horovod has neither servers nor a kvstore"),
        ((GLUON, "--kvstore", "fast"), "topology.kvstore: 'fast' is not allowed"),
        ((GLUON, "--set", "workload.model=mlp"), "workload.model: the script decides that"),
    ],
)
def test_what_cannot_be_tried_is_said_at_once(tmp_path: Path, options: tuple[object, ...], message: str) -> None:
    command = harness("try", *options, cwd=tmp_path)
    assert (command.code, message in command.err) == (2, True), command.err


def test_weights_are_those_of_the_bare_job(target: Path, tmp_path: Path) -> None:
    """Of 192 steps with `dist_sync`."""
    arguments = ("--epochs", "3", "--kv-store", "dist_sync", "--save")
    bare_job(target, tmp_path, GLUON, *arguments, "bare.params")
    command = tried(tmp_path, GLUON, "--workers", 2, arguments=(*arguments, "ours.params"))
    assert command.code == 0, command.err
    assert command.json["verdict"]["arms"][0]["reason"] == "2 of 2 workers trained 192 steps and every process left"
    assert (tmp_path / "ours.params").read_bytes() == (tmp_path / "bare.params").read_bytes()


def test_every_role_runs_the_script(tmp_path: Path) -> None:
    command = tried(
        tmp_path, GLUON, "--workers", 2, "--steps", 40, arguments=("--epochs", "9", "--kv-store", "dist_sync")
    )
    assert command.code == 0, command.err
    assert command.json["seen"]["kvstore"] == "dist_sync"
    weights = {quantity["value"] for quantity in quantities(command, "different_weights")}
    assert weights == {1}
    assert len(events_of(tmp_path, Recognised, "worker/1")) == 1


def quantities(command: Command, name: str) -> list[Any]:
    return [each for arm in command.json["verdict"]["arms"] for each in arm["measures"] if each["name"] == name]


GRADIENT = """\
title: a question
workload: {script: SCRIPT, args: [--epochs, 9], steps: 60, warmup: 10}
faults:
  - FAULT
expect: {outcome: OUTCOME}
"""


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("nan: {select: {role: worker, rank: 0}, at: {step: 30}}", "diverged"),
        ("scale: {select: {role: worker, rank: 0}, at: {step: 30}, for: {steps: 2}, factor: 2.0}", "completed"),
        ("corrupt_batch: {select: {role: worker, rank: 0}, at: {step: 30}, for: {steps: 3}, how: labels}", "completed"),
        ("drop: {select: {role: worker, rank: 0}, at: {step: 30}, for: {steps: 3}}", "completed"),
        ("exit: {select: {role: worker, rank: 0}, at: {step: 30}}", "crashed"),
        ("kill: {select: {role: worker, rank: 0}, at: {step: 30}}", "crashed"),
        ("restart: {select: {role: worker, rank: 0}, at: {step: 30}, after: 1s}", "completed"),
    ],
    ids=lambda value: value.split(":")[0],
)
def test_faults_act_at_their_step(tmp_path: Path, fault: str, outcome: str) -> None:
    path = tmp_path / "question.yaml"
    text = GRADIENT.replace("SCRIPT", str(GLUON)).replace("FAULT", fault).replace("OUTCOME", outcome)
    path.write_text(text)
    command = harness("run", path, "--json", "--results", tmp_path / "results")
    assert command.code == 0, command.out + command.err
    committed = events_of(tmp_path, Committed)
    assert {event.step for event in committed} <= {30, 31, 32}


def test_a_script_that_wants_several_processes_is_told_how(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("import mxnet as mx\nmx.kv.create('dist_sync')\n")
    command = harness("try", script, "--results", tmp_path / "results", cwd=tmp_path)
    assert command.code == 3, command.out + command.err
    assert f"its kvstore is of several processes: harness try --workers 2 {script}" in command.out
    assert "no scenario was written" in command.out
    assert "not measured" not in command.out


@pytest.mark.parametrize(
    ("text", "code", "reason"),
    [
        ("pass", 3, "worker/0 ended with exit status 0 and without a step: the script never imported mxnet"),
        (
            "import mxnet",
            3,
            "worker/0 ended with exit status 0 and without a step: no batch, gradient or update of MXNet's was seen; "
            "in processes that it starts none is",
        ),
        (
            "import mxnet as mx; list(mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset(mx.nd.ones((8, 2))), 4))",
            3,
            "worker/0 ended with exit status 0 and without a step: batches or gradients were seen, but no update",
        ),
        ("import mxnet, sys; sys.exit(4)", 3, "worker/0 ended with exit status 4 before all were ready"),
        ("import mxnet as mx; mx.nd.ones(1, ctx=mx.gpu(0))", 3, "worker/0 ended with exit status 1 before all"),
        (
            "raise ValueError('mine')",
            3,
            "worker/0 ended with exit status 1 before all were ready: ValueError: mine",
        ),
        ("import mxnet; raise ValueError('mine')", 3, "worker/0 ended with exit status 1 before all were ready: Value"),
        ("import mxnet\nif 1:\nx", 3, "worker/0 ended with exit status 1 before all were ready: IndentationError: "),
    ],
    ids=["nothing", "no step", "batches only", "its own status", "no GPU", "an error", "its own error", "no Python"],
)
def test_a_script_that_does_not_train_gets_a_plain_answer(tmp_path: Path, text: str, code: int, reason: str) -> None:
    script = tmp_path / "train.py"
    script.write_text(text)
    command = tried(tmp_path, script)
    assert command.code == code, command.err
    assert command.json["verdict"]["arms"][0]["reason"].startswith(reason)
    assert not (tmp_path / "train.yaml").exists()


def test_of_trainers_in_several_threads_the_first_counts_whole(target: Path, tmp_path: Path) -> None:
    command = tried(tmp_path, SCRIPTS / "together.py")
    assert command.json["verdict"]["arms"][0]["reason"] == "1 of 1 workers trained 30 steps and every process left"
    assert command.json["seen"]["beside"].startswith("2 more")


def test_a_training_in_a_later_thread_counts_but_for_its_first_steps(target: Path, tmp_path: Path) -> None:
    command = tried(tmp_path, SCRIPTS / "later.py")
    assert command.json["verdict"]["arms"][0]["reason"] == "1 of 1 workers trained 57 steps and every process left"


def test_a_script_that_becomes_another_process_is_not_said_to_have_crashed(tmp_path: Path) -> None:
    text = (SCRIPTS / "together.py").read_text().replace("range(3)", "range(1)").replace("Barrier(3)", "Barrier(1)")
    (tmp_path / "train.py").write_text(
        f"{text}\nimport os, sys\nos.execv(sys.executable, [sys.executable, '-c', ''])\n"
    )
    command = tried(tmp_path, tmp_path / "train.py")
    arm = command.json["verdict"]["arms"][0]
    assert (command.code, arm["outcome"]) == (1, "aborted")
    assert arm["reason"].endswith("or later; it left by itself, as by exec, or closed what it is heard by")


@pytest.mark.parametrize(
    "output", ["LinearRegressionOutput", "MAERegressionOutput", "LogisticRegressionOutput", "MakeLoss"]
)
def test_losses_of_a_modules_output_are_those_of_its_formula(target: Path, tmp_path: Path, output: str) -> None:
    command = tried(tmp_path, SCRIPTS / "outputs.py", arguments=(output,))
    assert command.code == 0, command.err
    seen = [value for event in events_of(tmp_path, Loss) for value in event.values]
    (log,) = (tmp_path / "results" / "runs").glob("*/logs/*/worker-0.log")
    said = next(line for line in log.read_text().splitlines() if line.startswith("losses"))
    assert seen == pytest.approx([float(word) for word in said.split()[1:]], rel=1e-4)


@pytest.mark.parametrize("way", ["weighted", "parts", "late", "kvstore", "ignored"])
def test_each_step_has_the_loss_and_the_samples_that_the_script_gave_it(target: Path, tmp_path: Path, way: str) -> None:
    command = tried(tmp_path, SCRIPTS / "told.py", arguments=(way,))
    assert command.code == 0, command.err
    assert command.json["verdict"]["arms"][0]["reason"].startswith("1 of 1 workers trained 12 steps ")
    seen = [value for event in events_of(tmp_path, Loss) for value in event.values]
    (log,) = (tmp_path / "results" / "runs").glob("*/logs/*/worker-0.log")
    said = next(line for line in log.read_text().splitlines() if line.startswith("losses"))
    assert seen == pytest.approx([float(word) for word in said.split()[1:]], rel=1e-4)
    counts = [count for event in events_of(tmp_path, Samples) for count in event.counts]
    assert counts == [8] * 12


@pytest.mark.parametrize("network", [(), ("--set", "topology.network={}")])
def test_the_rank_that_a_script_sees_is_the_workers_number(
    target: Path, tmp_path: Path, network: tuple[str, ...]
) -> None:
    """Else faults on worker/1, replays and comparisons would meet another share of the data each time."""
    (tmp_path / "numbered.py").write_bytes((SCRIPTS / "numbered.py").read_bytes())
    workload = "workload: {script: ./numbered.py, warmup: 1, window: 2}"
    text = f"title: q\n{workload}\ntopology: {{kvstore: dist_sync, workers: 3}}\n"
    (tmp_path / "q.yaml").write_text(text)
    for _ in range(2):
        assert harness("run", tmp_path / "q.yaml", "--results", tmp_path / "results", *network).code == 0
    logs = sorted((tmp_path / "results" / "runs").glob("*/logs/*/worker-*.log"))
    said = {log.stem: line for log in logs for line in log.read_text().splitlines() if line.startswith("RANK")}
    assert len(logs) == 6
    assert said == {f"worker-{rank}": f"RANK {rank} None" for rank in range(3)}


def test_weights_are_those_of_the_bare_ranks(tmp_path: Path) -> None:
    """Of 200 steps with Horovod, started by its own launcher."""
    command = tried(tmp_path, SCRIPTS / "ranks.py", "--horovod", 2, arguments=("ours",))
    assert command.code == 0, command.err
    assert command.json["verdict"]["arms"][0]["reason"] == "2 of 2 workers trained 200 steps and every process left"
    (facts,) = (tmp_path / "results" / "runs").glob("*/facts.json")
    python = Path(json.loads(facts.read_text())["target_interpreter"])
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PATH": f"{python.parent}:{os.environ['PATH']}"}
    launched = [python, "-m", "horovod.runner.launch", "-np", "2", python, SCRIPTS / "ranks.py", "bare"]
    subprocess.run(launched, cwd=tmp_path, env=env, check=True, capture_output=True, timeout=120)
    for rank in (0, 1):
        assert (tmp_path / f"ours-{rank}.params").read_bytes() == (tmp_path / f"bare-{rank}.params").read_bytes()
