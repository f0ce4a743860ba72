"""Twelve real nights in a row, in a project that is made for them: a change, busy machines, a kill.

On the seventh night the training script takes 5 % longer, and a variable and a limit of time in the scenario change
with it, which do no harm; before the ninth that is accepted. The fourth and the tenth have a busy machine, the tenth a
comment in the script, too. The fifth is killed in its middle and goes on.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from benchmarks.nights.simulate import KEPT

NIGHTS, BUSY, KILLED, PLANTED_ON, PLANTED = 12, (4, 10), 5, 7, 0.05
OPTIONS = ("--budget", "12min", "--repeat", "3", "--confirm", "3min", "--resolve", "1%")
ACCEPTED_BEFORE = 9

_SCRIPT = """\
import argparse
import time

import mxnet as mx
from mxnet import autograd, gluon

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=400)
asked = parser.parse_args()
mx.random.seed(7)
net = gluon.nn.HybridSequential()
for width in (512, 512, 512, 10):
    net.add(gluon.nn.Dense(width, activation=None if width == 10 else "relu"))
net.initialize(mx.init.Xavier())
net.hybridize()
loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
trainer = gluon.Trainer(net.collect_params(), "sgd", {{"learning_rate": 0.05}})
images, labels = mx.nd.random.normal(shape=(64, 784)), mx.nd.array([number % 10 for number in range(64)])
for step in range(asked.steps):
    with autograd.record():
        loss = loss_of(net(images), labels)
    loss.backward()
    trainer.step(64)
    mx.nd.waitall()
{more}
"""
_SLOWER = "    end = time.perf_counter() + {seconds}\n    while time.perf_counter() < end:\n        pass"


@dataclass(frozen=True)
class Told:
    """One night: what was done to it, what it said, and how long it took."""

    night: int
    done: str
    code: int
    headline: str
    seconds: float
    rounds: int
    states: dict[str, str]
    answers: list[dict[str, Any]]


def run() -> None:
    """All twelve; kept in ``results/nightly/twelve.json``."""
    with tempfile.TemporaryDirectory() as folder:
        project = _project(Path(folder) / "project")
        told = [_night(project, number) for number in range(1, NIGHTS + 1)]
        body = {"options": OPTIONS, "planted": PLANTED, "nights": [asdict(each) for each in told]}
        KEPT.mkdir(parents=True, exist_ok=True)
        (KEPT / "twelve.json").write_text(json.dumps(body, indent=1) + "\n")


def _project(folder: Path) -> Path:
    script = folder.parent / "train.py"
    script.write_text(_SCRIPT.format(more=""))
    _harness(folder.parent, "init", str(folder), "--script", str(script))
    moved = folder / "train.py"
    script.rename(moved)
    for path in (folder / "scenarios").glob("*.yaml"):
        values = yaml.safe_load(path.read_text())
        if path.stem != "train":
            values["tags"] = [tag for tag in values.get("tags", []) if tag != "asv"]
        else:
            values["workload"]["script"] = "../train.py"
            values["workload"].pop("folder", None)
        path.write_text(yaml.safe_dump(values, sort_keys=False))
    quick = {
        "title": "Does a small network train as it did?",
        "tags": ["asv"],
        "workload": {"model": "mlp", "steps": 400, "warmup": 20},
    }
    (folder / "scenarios" / "mlp.yaml").write_text(yaml.safe_dump(quick, sort_keys=False))
    return folder


def _night(project: Path, number: int) -> Told:
    done = _prepare(project, number)
    began = time.monotonic()
    with _busy(number in BUSY):
        if number == KILLED:
            _killed(project)
        ended = _harness(project, "nightly", *OPTIONS, "--json", check=False)
    sys.stderr.write(ended.stderr[-2000:])
    body = json.loads(ended.stdout)
    states = {each["key"]: each["state"] for each in body["scenarios"]}
    answers = [answer for each in body["scenarios"] for answer in each["answers"]]
    seconds = round(time.monotonic() - began, 1)
    told = Told(number, done, ended.returncode, body["headline"], seconds, body["rounds"], states, answers)
    sys.stderr.write(f"{told}\n")
    return told


def _prepare(project: Path, number: int) -> str:
    """Change what that night has changed; in words."""
    script = project / "train.py"
    if number == ACCEPTED_BEFORE:
        shown = json.loads(_harness(project, "nightly", "show", "last", "--json").stdout)
        ids = [
            answer["id"] for each in shown["scenarios"] for answer in each["answers"] if answer["word"] == "software"
        ]
        for name in ids:
            _harness(project, "nightly", "accept", name, "--because", "on purpose")
        return f"{len(ids)} alerts accepted"
    if number == 10:
        script.write_text(script.read_text() + "# a comment\n")
        return "busy machine, and a comment in the script"
    if number == PLANTED_ON:
        script.write_text(_SCRIPT.format(more=_SLOWER.format(seconds=PLANTED * _step_seconds(project))))
        path = project / "scenarios" / "train.yaml"
        values = yaml.safe_load(path.read_text())
        values.setdefault("target", {})["env"] = {"MXNET_ENGINE_INFO": "0"}
        values["stall_timeout"] = "40s"
        path.write_text(yaml.safe_dump(values, sort_keys=False))
        return f"the script takes {PLANTED:.0%} longer; a variable and a timeout changed, too"
    return "busy machine" if number in BUSY else "killed" if number == KILLED else "nothing"


def _step_seconds(project: Path) -> float:
    """Of the script, by the nights so far."""
    body = json.loads(_harness(project, "nightly", "show", "last", "--json").stdout)
    (train,) = [each for each in body["scenarios"] if each["key"] == "train"]
    (rounds,) = [numbers["seconds_per_sample"] for numbers in train["numbers"].values()]
    return sorted(rounds)[len(rounds) // 2] * 64


@contextmanager
def _busy(is_busy: bool) -> Iterator[None]:
    """Somebody else computes on one of the cores, half of the time."""
    burner = (
        "import time\nwhile True:\n    end = time.time() + .5\n    while time.time() < end: pass\n    time.sleep(.5)"
    )
    process = subprocess.Popen([sys.executable, "-c", burner]) if is_busy else None
    try:
        yield
    finally:
        if process is not None:
            process.kill()
            process.wait()


def _killed(project: Path) -> None:
    """A night that ends after its first answers, without a chance to write anything down."""
    process = subprocess.Popen(_argv("nightly", *OPTIONS), cwd=project, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("2"):
            break
    process.send_signal(signal.SIGKILL)
    process.stderr.close()
    process.wait()


def _argv(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "harness", *arguments]


def _harness(cwd: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("HARNESS_RESULTS")}
    return subprocess.run(_argv(*arguments), cwd=cwd, capture_output=True, text=True, check=check, env=env)
