"""Builds a model of the worker's in real MXNet and looks at what comes out."""

from __future__ import annotations

import importlib
import json
import subprocess
from pathlib import Path

from harness.execution import worker_archive

SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[1])
import mxnet as mx
from _harness_worker import models
from _harness_worker.batches import Batches
from _harness_worker.trainings import outputs

def output(net, size):
    dataset = {"tokens": "text", "ids": "clicks"}.get(model.input, "digits")
    data, _ = Batches(dataset, model.input, [4], [size], 0, 0, 1)(0)
    return net(mx.nd.array(data)).shape

def fresh():
    net = model.build(outputs(model))
    net.initialize()
    return net

model, sizes = models.find(sys.argv[2], json.loads(sys.argv[4])), json.loads(sys.argv[3])
shapes = [output(fresh(), size) for size in sizes]
one = fresh()
takes_all = True
try:
    for size in sizes:
        output(one, size)
except mx.MXNetError:
    takes_all = False
parameters = sum(array.data().size for array in one.collect_params().values())
print(json.dumps({"shapes": shapes, "takes_all": takes_all, "parameters": parameters}))
"""


def is_what_it_says(name: str, python: Path, folder: Path, parameters: int, **arguments: int) -> None:
    """It takes its usual and smallest size, and several in one network only if it says so; it gives classes, or tokens.

    ``parameters`` are those at its usual size, built with ``arguments``.
    """
    facts = importlib.import_module(f"harness.worker.models.{name}")
    archive = folder / "worker.pyz"
    archive.write_bytes(worker_archive.build())
    sizes = [facts.SIZE, facts.SMALLEST, facts.SIZE + 8]
    argv = [str(python), "-c", SCRIPT, str(archive), name, json.dumps(sizes), json.dumps(arguments)]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout.splitlines()[-1])
    shapes = [[4, size, 256] if facts.INPUT == "tokens" else [4, 10] for size in sizes]
    assert seen == {"shapes": shapes, "takes_all": facts.VARIABLE, "parameters": parameters}
