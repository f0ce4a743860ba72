"""What scripts write and read: their own checkpoints, the sizes of their batches, and what faults find to act on."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.storage import history
from harness.vocabulary.events import Done
from tests.conftest import ROOT
from tests.e2e.conftest import Command, harness
from tests.e2e.test_own_scripts import GLUON, MODULE, SCRIPTS, tried

pytestmark = pytest.mark.e2e
PIPELINE = ROOT / "scenarios" / "own" / "pipeline.yaml"
DAMAGED = """\
title: a question
workload: {script: ./saves.py, steps: 60, warmup: 5, checkpoint: {files: "saved-*.params"}}
faults:
"""
CORRUPT = """\
  - checkpoint_corrupt: {select: {role: worker, rank: 0}, at: {step: 35}, how: truncate}
  - restart: {select: {role: worker, rank: 0}, at: {step: 37}, after: 1s}
"""
KILL = "  - checkpoint_kill: {select: {role: worker, rank: 0}, at: {step: 25}, after: 1s}\n"


@pytest.mark.parametrize(
    ("faults", "evidence"),
    [(CORRUPT, "saved-0030.params: "), (KILL, "half of the checkpoint of step 30 was written; ")],
    ids=["corrupt", "kill"],
)
def test_half_of_a_scripts_own_checkpoint(target: Path, tmp_path: Path, faults: str, evidence: str) -> None:
    """The script finds out when it is started again, and goes on from the one before."""
    (tmp_path / "saves.py").write_bytes((SCRIPTS / "saves.py").read_bytes())
    (tmp_path / "question.yaml").write_text(DAMAGED + faults)
    command = harness("run", tmp_path / "question.yaml", "--json", "--results", tmp_path / "results")
    assert command.code == 0, command.err
    damage, *_ = command.json["verdicts"][0]["arms"][0]["receipts"]
    assert damage["proven"]
    assert damage["evidence"].startswith(evidence)
    (log,) = (tmp_path / "results" / "runs").glob("*/logs/main/worker-0.log")
    said = [line for line in log.read_text().splitlines() if line.startswith(("saved", "goes"))]
    assert said == ["saved-0030.params cannot be read", "goes on from saved-0020.params"]


def test_what_a_stage_leaves_to_training(target: Path, tmp_path: Path) -> None:
    """Freed arrays are gone, but their memory is kept; a process of its own takes it along."""
    command = harness("run", PIPELINE, "--repeat", "1", "--json", "--results", tmp_path)
    assert command.code == 0, command.err
    kept, freed, apart = (
        {each["name"]: each["value"] for each in arm["measures"]} for arm in command.json["verdicts"][0]["arms"]
    )
    assert freed["live_memory"] == pytest.approx(apart["live_memory"], rel=0.05)
    assert freed["live_memory"] < kept["live_memory"] / 3
    assert freed["held_beyond_live"] > kept["live_memory"] / 3
    assert apart["held_beyond_live"] < freed["held_beyond_live"] / 5


THREADS = """\
title: a question
workload: {script: ./threads.py, args: [AHEAD], steps: 60, warmup: 5, window: 5}
faults:
  - corrupt_batch: {select: {role: worker, rank: 0}, at: {step: 20}, how: zeros}
expect: {outcome: completed}
"""


def _fetched_by_a_thread(folder: Path, ahead: int) -> Command:
    (folder / "threads.py").write_bytes((SCRIPTS / "threads.py").read_bytes())
    (folder / "question.yaml").write_text(THREADS.replace("AHEAD", str(ahead)))
    return harness("run", folder / "question.yaml", "--json", "--results", folder / "results")


def test_batches_of_a_thread_and_what_is_not_trained_with(target: Path, tmp_path: Path) -> None:
    """All steps count, the fault is in what is trained with only, and hooks stand in nobody's way."""
    command = _fetched_by_a_thread(tmp_path, 0)
    assert command.code == 0, command.out + command.err
    arm = command.json["verdicts"][0]["arms"][0]
    assert [receipt["proven"] for receipt in arm["receipts"]] == [True]
    (run,) = (tmp_path / "results" / "runs").iterdir()
    assert [event.step for event in history.read(run / "history.jsonl") if isinstance(event, Done)] == [40]
    (log,) = run.glob("logs/main/worker-0.log")
    assert log.read_text().splitlines()[-1] == "changed while checking: 0 predicted: (8, 1)"


def test_a_fault_on_batches_that_are_fetched_ahead_is_refused(target: Path, tmp_path: Path) -> None:
    """Also where a thread fetches them, which dies of that; the script is not to blame."""
    command = _fetched_by_a_thread(tmp_path, 1)
    assert command.code == 3, command.out + command.err
    arm = command.json["verdicts"][0]["arms"][0]
    assert (arm["outcome"], "fetches batches ahead" in arm["reason"]) == ("aborted", True)


SEPARATE = """\
title: a question
workload: {script: ./writes.py, warmup: 5, scratch: true}
topology: {kvstore: dist_sync, workers: 2}
"""


def test_what_each_process_writes_stays_with_it(target: Path, tmp_path: Path) -> None:
    """Results lie within the folder that is covered."""
    (tmp_path / "writes.py").write_bytes((SCRIPTS / "writes.py").read_bytes())
    for name in ("log.txt", "old.txt"):
        (tmp_path / name).write_text("before\n")
    (tmp_path / "question.yaml").write_text(SEPARATE)
    command = harness("run", tmp_path / "question.yaml", "--json", "--results", tmp_path / "results", cwd=tmp_path)
    assert command.code == 0, command.err
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "log.txt",
        "old.txt",
        "question.yaml",
        "results",
        "writes.py",
    ]
    assert (tmp_path / "log.txt").read_text() == "before\n"
    (run,) = (tmp_path / "results" / "runs").iterdir()
    written = sorted((run / "written" / "main").rglob("*.*"))
    assert [str(path.relative_to(run / "written" / "main")) for path in written] == [
        "worker-0/log.txt",
        "worker-0/out/net.params",
        "worker-1/log.txt",
        "worker-1/out/net.params",
    ]
    assert sorted(written[place].read_text() for place in (0, 2)) == ["before\n0\n", "before\n1\n"]
    said = [(run / "logs" / "main" / f"worker-{number}.log").read_text() for number in (0, 1)]
    assert sorted(said) == [f"read ['before', '{rank}'] False\n" for rank in (0, 1)]


def test_a_fault_that_finds_nothing_to_act_on_says_what_it_needs(target: Path, tmp_path: Path) -> None:
    (tmp_path / "saves.py").write_bytes((SCRIPTS / "saves.py").read_bytes())
    fault = "corrupt_batch: {select: {role: worker, rank: 0}, at: {step: 20}}"
    text = f"title: a question\nworkload: {{script: ./saves.py, steps: 60, warmup: 5}}\nfaults:\n  - {fault}\n"
    (tmp_path / "question.yaml").write_text(text)
    command = harness("run", tmp_path / "question.yaml", "--json", "--results", tmp_path / "results")
    (receipt,) = command.json["verdicts"][0]["arms"][0]["receipts"]
    assert (command.code, receipt["proven"]) == (3, False)
    assert "which a script has to fetch from a gluon DataLoader or a DataIter" in receipt["evidence"]


def test_sizes_of_batches_are_recorded_and_can_be_gone_through_again(target: Path, tmp_path: Path) -> None:
    """Those of a script with buckets."""
    command = tried(tmp_path, MODULE, "--steps", 40, "--record-shapes", "sizes.txt", arguments=("--epochs", "9"))
    assert command.code == 0, command.err
    sizes = [int(line) for line in (tmp_path / "sizes.txt").read_text().splitlines()]
    assert len(sizes) == 40 and len(set(sizes)) > 1
    shapes = "{distribution: trace, file: ./sizes.txt}"
    (tmp_path / "again.yaml").write_text(f"title: q\nworkload: {{model: lstm_lm, steps: 40, shapes: {shapes}}}\n")
    plan = harness("plan", tmp_path / "again.yaml", "--json").json["plan"]
    assert plan["arms"][0]["workload"]["sizes"] == sizes


FULL = """\
title: a question
workload: {script: ./saves.py, steps: 60, warmup: 5, scratch: true}
faults:
  - disk_full: {select: {role: worker, rank: 0}, at: {step: 35}, for: {steps: 20}, disk: 2MB}
"""


def test_a_full_disk_of_a_script(target: Path, tmp_path: Path) -> None:
    """MXNet does not tell that a small file could not be written; what was saved before is kept with the run."""
    (tmp_path / "saves.py").write_bytes((SCRIPTS / "saves.py").read_bytes())
    (tmp_path / "question.yaml").write_text(FULL)
    command = harness("run", tmp_path / "question.yaml", "--json", "--results", tmp_path / "results")
    assert command.code == 0, command.err
    arm = command.json["verdicts"][0]["arms"][0]
    assert [receipt["proven"] for receipt in arm["receipts"]] == [True]
    (run,) = (tmp_path / "results" / "runs").iterdir()
    written = sorted((run / "written" / "main" / "worker-0").iterdir())
    assert [path.name for path in written if not path.stat().st_size] == ["saved-0040.params", "saved-0050.params"]
    assert [path.name for path in written if path.stat().st_size] == [f"saved-00{n}0.params" for n in (1, 2, 3)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["question.yaml", "results", "saves.py"]


def test_a_checkpoint_that_is_never_written_ends_nothing(target: Path, tmp_path: Path) -> None:
    """Nobody is started again; what was waited for is the reason that is given."""
    (tmp_path / "saves.py").write_bytes((SCRIPTS / "saves.py").read_bytes())
    (tmp_path / "question.yaml").write_text(DAMAGED.replace("saved-", "other-") + KILL)
    command = harness("run", tmp_path / "question.yaml", "--json", "--results", tmp_path / "results")
    assert command.code == 3, command.err
    arm = command.json["verdicts"][0]["arms"][0]
    assert (arm["outcome"], arm["reason"]) == (
        "completed",
        "1 of 1 workers trained 60 steps and every process left",
    )
    assert "no checkpoint was being written" in arm["receipts"][0]["evidence"]
    (log,) = (tmp_path / "results" / "runs").glob("*/logs/main/worker-0.log")
    assert "goes on from" not in log.read_text()


FORKS = """\
import os, sys
import mxnet as mx
from mxnet import autograd, gluon

net = gluon.nn.Dense(1, in_units=2)
net.initialize()
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
for step in range(30):
    with autograd.record():
        loss = net(mx.nd.ones((4, 2))).square()
    loss.backward()
    trainer.step(4)
    if step == 9 and os.fork() == 0:
        sys.exit(0)
mx.nd.waitall()
os._exit(3)
"""


def test_a_process_that_a_script_forks_does_not_speak_for_it(target: Path, tmp_path: Path) -> None:
    """It ends well; its parent ends without a word in the middle of training."""
    (tmp_path / "forks.py").write_text(FORKS)
    (tmp_path / "question.yaml").write_text("title: a question\nworkload: {script: ./forks.py, steps: 60, warmup: 5}\n")
    command = harness("run", tmp_path / "question.yaml", "--json", "--results", tmp_path / "results")
    arm = command.json["verdicts"][0]["arms"][0]
    assert (command.code, arm["outcome"]) == (1, "crashed")
    assert arm["reason"].startswith("worker/0 ended with exit status 3 at step ")


def test_a_script_may_leave_without_the_interpreters_end(target: Path, tmp_path: Path) -> None:
    """As where MXNet hangs in it."""
    (tmp_path / "leaves.py").write_text(f"{GLUON.read_text()}    import os\n\n    os._exit(0)\n")
    command = tried(tmp_path, tmp_path / "leaves.py", arguments=("--epochs", "1"))
    assert command.code == 0, command.err
    assert command.json["verdict"]["arms"][0]["outcome"] == "completed"
