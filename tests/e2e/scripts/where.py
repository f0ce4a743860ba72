"""Trains a little, and writes where it lies, which variables it finds, and how what it starts is mapped."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import mxnet as mx
from mxnet import autograd, gluon

with open("/proc/self/maps") as file:
    library = next(line for line in file if "libmxnet.so" in line)
found = {
    "library": library.partition("-")[0],
    "ours": [name for name in os.environ if name.startswith("HARNESS_")],
    "child": subprocess.check_output(["cat", "/proc/self/personality"]).decode().strip(),
}
descriptor, path = tempfile.mkstemp(dir=sys.argv[1])  # sides have pids of their own
Path(path).write_text(json.dumps(found))
os.close(descriptor)

network = gluon.nn.Dense(2)
network.initialize()
trainer = gluon.Trainer(network.collect_params(), "sgd", {"learning_rate": 0.1})
for _ in range(12):
    with autograd.record():
        loss = (network(mx.nd.ones((4, 3))) ** 2).mean()
    loss.backward()
    trainer.step(4)
    loss.asscalar()
