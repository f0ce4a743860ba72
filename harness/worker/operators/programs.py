"""What Python has beyond operators, as short programs: layers, losses, optimizers, initializers, metrics, schedules of
learning rates, random streams, iterators, saved parameters. Each program leaves ``outputs``, a list of arrays.

What a class is made with, and called with, is found by trying what usually fits, as with operators.
"""

from __future__ import annotations

import inspect
from typing import Any

import mxnet as mx

from . import files, readers

HEAD = """\
import random

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon


def draw(*shape, seed=0):
    return mx.nd.array(np.random.RandomState(seed).standard_normal(shape))


mx.random.seed(11)
np.random.seed(11)
random.seed(11)
"""

_TAUGHT = """\
for number, parameter in enumerate(net.collect_params().values()):
    parameter.set_data(mx.nd.abs(draw(*parameter.shape, seed=number)) * 0.1)
{attach}with autograd.record({mode}):
    found = {call}
outputs = list(found) if isinstance(found, (list, tuple)) else [found]
autograd.backward(outputs[:1])
outputs += [{own}*[each.grad() for each in net.collect_params().values() if each.grad_req != "null"]]
"""
_OF_INPUT = {"attach": "x.attach_grad()\n", "own": "x.grad, "}
_NOTHING = {"attach": "", "own": ""}
"""Where the input has a gradient, and where it has none."""

_LAYER = "net = {path}({made})\nnet.initialize()\n{hybrid}x = {x}\nnet(x)\n" + _TAUGHT
_CELL = "net = {path}({made})\nnet.initialize()\nx = {x}\nnet.unroll(3, x, merge_outputs=True)\n" + _TAUGHT
_LOSS = "loss = {path}({made})\nx = {x}\nx.attach_grad()\nwith autograd.record():\n    found = loss(x, {y})\n" + (
    "found.backward()\noutputs = [found, x.grad]\n"
)
_OPTIMIZER = """\
update = mx.optimizer.get_updater({path}({made}))
weight = draw(6, 3, seed=1){as_}
for step in range(5):
    update(0, draw(6, 3, seed=step + 2){as_}, weight)
outputs = [weight]
"""
_INITIALIZER = "outputs = [mx.nd.zeros({x})]\n{path}({made})(mx.init.InitDesc({y!r}), outputs[0])\n"
_METRIC = """\
metric = {path}({made})
for seed in range(3):
    metric.update([{y}], [{x}])
outputs = [np.array(metric.get()[1])]
"""
_SCHEDULE = "schedule = {path}({made})\noutputs = [np.array([schedule(step) for step in range(30)])]\n"
_RANDOM = "outputs = [{path}({made}) for number in range(3)]\n"
_TRANSFORM = "outputs = [{path}({made})({x})]\n"

_WHOLE = "mx.nd.array(np.random.RandomState({seed}).randint(0, {most}, {shape}))"
_INDICES = _WHOLE.format(seed=0, most=3, shape=(2, 5))
_CLASSES = _WHOLE.format(seed="seed", most=3, shape=(8,))
_IMAGE = "mx.nd.array(np.random.RandomState(0).randint(0, 255, (9, 9, 3)), dtype='uint8')"
_DATA = tuple(f"draw({sizes})" for sizes in ("2, 8", "2, 3, 8", "2, 3, 8, 8", "2, 3, 8, 8, 8", "1, 4, 8, 8"))
_MADE = (
    "",
    "4",
    "4, 3",
    "4, (3, 3)",
    "4, (3, 3, 3)",
    "0.5",
    "2",
    "'relu'",
    "'tanh'",
    "(2, 2)",
    "4, 5, 6",
    "3, 4",
    "(3, 8, 8), 4, 3, 3",
)
_PAIRS = (
    ("draw(4, 5)", "mx.nd.softmax(draw(4, 5, seed=1))"),
    ("draw(4, 5)", "draw(4, 5, seed=1)"),
    ("draw(4, 5)", _WHOLE.format(seed=1, most=5, shape=(4,))),
    ("draw(2, 10, 5)", _WHOLE.format(seed=1, most=4, shape=(2, 3)) + " + 1"),
    ("draw(4, 5)", "draw(4, 5, seed=1), draw(4, 5, seed=2)"),
    ("draw(4, 5)", "draw(4, 5, seed=1), mx.nd.array([1, -1, 1, -1])"),
    ("draw(4, 5)", "draw(4, 5, seed=1), 3"),
)
_PREDICTED = (
    ("mx.nd.softmax(draw(8, 3, seed=seed))", _CLASSES),
    ("mx.nd.softmax(draw(8, 2, seed=seed))", _WHOLE.format(seed="seed", most=2, shape=(8,))),
    ("draw(8, 3, seed=seed)", "draw(8, 3, seed=seed + 9)"),
    ("draw(8, seed=seed)", "draw(8, seed=seed + 9)"),
)


class Program:
    """``case`` names it; ``ways`` are other programs of the same, which are run once this one was."""

    def __init__(self, case: str, text: str, ways: dict[str, str] | None = None) -> None:
        self.case, self.text, self.ways = case, text, ways or {}


def names() -> list[str]:
    """Of all that there are programs for, below ``mx.``."""
    found = {f"{place}.{name}" for place, base in _places() for name in _classes(place, base)}
    draws = [name for name in dir(mx.nd.random) if _is_drawn(name)]
    return sorted({*found, *(f"nd.random.{name}" for name in draws), *_WRITTEN, *readers.PROGRAMS, *files.names()})


def is_one(name: str) -> bool:
    """Whether a name is of a program, not of an operator: theirs have no dots."""
    return "." in name


def programs(name: str) -> list[Program]:
    """What may work, in the order in which it is tried; the first that works is enough."""
    if files.is_one(name):
        return [Program("as it is", files.round_trip(name))]
    text = _WRITTEN.get(name) or readers.PROGRAMS.get(name)
    if text is not None:
        return [Program("as it is", text)]
    place, path = name.rpartition(".")[0], f"mx.{name}"
    if place in _KINDS:
        return _KINDS[place](path)
    return _cells(path) if path.endswith("Cell") else _layers(path, "rnn" in place)


def _layers(path: str, recurrent: bool) -> list[Program]:
    inputs = (_DATA[1], *_DATA) if recurrent else (*_DATA, _INDICES)
    found = []
    for made, x in ((made, x) for made in _MADE for x in inputs):
        of_input = {} if x == _INDICES else _OF_INPUT
        plain = {"path": path, "made": made, "x": x, "call": "net(x)", "hybrid": "", "mode": "", **_NOTHING, **of_input}
        ways = {
            "hybridized": {**plain, "hybrid": "net.hybridize(static_alloc=True, static_shape=True)\n"},
            "inference": {**plain, "mode": "train_mode=False"},
        }
        texts = {way: _LAYER.format(**fields) for way, fields in ways.items()}
        found.append(Program(f"{made}; {x}", _LAYER.format(**plain), texts))
    return found


def _cells(path: str) -> list[Program]:
    inner = "gluon.rnn.LSTMCell(4)"
    own = (
        "4",
        "0.5",
        inner,
        f"{inner}, {inner}",
        "gluon.rnn.GRUCell(8)",
        "4, 3",
        "(3, 8), 4, 3, 3",
        "(3, 8, 8), 4, 3, 3",
        "",
    )
    fields = {"path": path, "call": "net.unroll(3, x, merge_outputs=True)[0]", "mode": "", **_OF_INPUT}
    each = [(made, x) for made in own for x in ("draw(2, 3, 8)", "draw(2, 3, 3, 8)", "draw(2, 3, 3, 8, 8)")]
    return [Program(f"{made}; {x}", _CELL.format(made=made, x=x, **fields)) for made, x in each]


def _losses(path: str) -> list[Program]:
    each = [(made, x, y) for made in ("", "margin=1", "'dense'") for x, y in _PAIRS]
    return [Program(f"{made}; {x}, {y}", _LOSS.format(path=path, made=made, x=x, y=y)) for made, x, y in each]


def _metrics(path: str) -> list[Program]:
    own = ("", "2", "lambda label, pred: float(np.abs(label - pred).sum())", "metrics=['acc', 'ce']")
    each = [(made, x, y) for made in own for x, y in _PREDICTED]
    return [Program(f"{made}; {x}", _METRIC.format(path=path, made=made, x=x, y=y)) for made, x, y in each]


def _schedules(path: str) -> list[Program]:
    found, warm = [], "warmup_steps=4, warmup_begin_lr=0.01"
    for made in ("step=5, factor=0.5", "step=[5, 9], factor=0.5", "max_update=20, base_lr=0.1"):
        ways = {warm: _SCHEDULE.format(path=path, made=f"{made}, {warm}")}
        found.append(Program(made, _SCHEDULE.format(path=path, made=made), ways))
    return found


def _draws(path: str) -> list[Program]:
    each = ("0.5, 2.0", "2.0", "3, 0.4", "1, 9", "loc=0, scale=1", "mx.nd.array([0.2, 0.8])")
    shaped = [Program(made, _RANDOM.format(path=path, made=f"{made}, shape=(16,)")) for made in each]
    return [*shaped, *(Program(made, _RANDOM.format(path=path, made=made)) for made in ("data=mx.nd.ones(16)", "16"))]


def _transforms(path: str) -> list[Program]:
    own = ("", "4", "(4, 4)", "0.5", "0.4, 0.2", "0.1, 0.1, 0.1, 0.1", "1, 1, 4, 4", "(-30, 30)")
    each = [(made, x) for made in own for x in (_IMAGE, f"({_IMAGE}).astype('float32')", "draw(3, 8, 8)")]
    return [Program(f"{made}; {x}", _TRANSFORM.format(path=path, made=made, x=x)) for made, x in each]


def _optimizers(path: str) -> list[Program]:
    own = ("wd=0.01", "clip_gradient=0.1", "learning_rate=0.1, rescale_grad=0.5", "momentum=0.9", "lazy_update=False")
    ways = {way: _OPTIMIZER.format(path=path, made=way, as_="") for way in own}
    ways["in float16"] = _OPTIMIZER.format(path=path, made="multi_precision=True", as_=".astype('float16')")
    ways["row_sparse"] = _OPTIMIZER.format(path=path, made="", as_=".tostype('row_sparse')")
    return [Program("as it is", _OPTIMIZER.format(path=path, made="", as_=""), ways)]


def _initializers(path: str) -> list[Program]:
    """Of names that end otherwise than ``weight`` most set something else."""
    made = ("", "0.5", "mx.nd.ones((8, 6))", "['.*'], [mx.init.One()]", "{}")
    found = []
    for each in made:
        for x in ((8, 6), (4, 4, 3, 3)):
            texts = {y: _INITIALIZER.format(path=path, made=each, x=x, y=y) for y in ("gamma", "bias", "running_var")}
            found.append(Program(f"{each}; {x}", _INITIALIZER.format(path=path, made=each, x=x, y="weight"), texts))
    return found


_KINDS = {
    "gluon.loss": _losses,
    "gluon.data.vision.transforms": _transforms,
    "optimizer": _optimizers,
    "init": _initializers,
    "metric": _metrics,
    "lr_scheduler": _schedules,
    "nd.random": _draws,
}
"""Where something lies, and what makes its programs; all else is layers and cells."""


def _places() -> list[tuple[str, Any]]:
    """Modules below ``mx`` and what the classes in them are made from."""
    layers = ("nn", "rnn", "loss", "data.vision.transforms", "contrib.nn", "contrib.rnn")
    blocks = [(f"gluon.{place}", mx.gluon.Block) for place in layers]
    own = [("optimizer", mx.optimizer.Optimizer), ("init", mx.init.Initializer), ("metric", mx.metric.EvalMetric)]
    return [*blocks, *own, ("lr_scheduler", mx.lr_scheduler.LRScheduler)]


_BASES = (
    "Block", "EvalMetric", "HybridBlock", "HybridRecurrentCell", "Initializer", "LRScheduler", "Loss", "ModifierCell",
    "Optimizer", "RecurrentCell", "SymbolBlock",
)  # fmt: skip
"""What others are made from."""


def _module(place: str) -> Any:
    found = mx
    for part in place.split("."):
        found = getattr(found, part, None)
    return found


def _classes(place: str, base: Any) -> list[str]:
    members = inspect.getmembers(_module(place), inspect.isclass) if _module(place) is not None else []
    return [name for name, each in members if issubclass(each, base) and name not in _BASES and name[0] != "_"]


_NOT_DRAWN = ("current_context", "shuffle")


def _is_drawn(name: str) -> bool:
    return not name.startswith("_") and inspect.isfunction(getattr(mx.nd.random, name)) and name not in _NOT_DRAWN


_ITERATED = "outputs = [each for batch in {made} for each in (*batch.data, *batch.label)]\n"
_LOADED = """\
pairs = gluon.data.ArrayDataset(draw(10, 3), draw(10, seed=1))
outputs = [each for batch in {made} for each in batch]
"""
_WRITTEN = {
    "io.NDArrayIter": _ITERATED.format(made="mx.io.NDArrayIter(draw(10, 3), draw(10), 4)"),
    "io.NDArrayIter.shuffle": _ITERATED.format(made="mx.io.NDArrayIter(draw(10, 3), draw(10), 4, shuffle=True)"),
    "io.NDArrayIter.discard": _ITERATED.format(
        made="mx.io.NDArrayIter(draw(10, 3), draw(10), 4, last_batch_handle='discard')"
    ),
    "io.NDArrayIter.roll_over": _ITERATED.format(
        made="mx.io.NDArrayIter(draw(10, 3), draw(10), 4, last_batch_handle='roll_over')"
    ),
    "io.ResizeIter": _ITERATED.format(made="mx.io.ResizeIter(mx.io.NDArrayIter(draw(10, 3), draw(10), 4), 5)"),
    "io.PrefetchingIter": _ITERATED.format(made="mx.io.PrefetchingIter(mx.io.NDArrayIter(draw(12, 3), draw(12), 4))"),
    "gluon.data.DataLoader": _LOADED.format(made="gluon.data.DataLoader(pairs, 4)"),
    "gluon.data.DataLoader.shuffle": _LOADED.format(made="gluon.data.DataLoader(pairs, 4, shuffle=True)"),
    "gluon.data.DataLoader.rollover": _LOADED.format(made="gluon.data.DataLoader(pairs, 4, last_batch='rollover')"),
    "nd.save": "mx.nd.save('saved', {'weight': draw(4, 3), 'half': draw(2).astype('float16')})\n"
    "outputs = [np.fromfile('saved', 'uint8')]\n",
    "nd.load": "mx.nd.save('saved', {'weight': draw(4, 3), 'half': draw(2).astype('float16')})\n"
    "outputs = [each for name, each in sorted(mx.nd.load('saved').items())]\n",
    "gluon.Block.save_parameters": "net = gluon.nn.Dense(4, in_units=3, prefix='dense_')\nnet.initialize()\n"
    "net.weight.set_data(draw(4, 3))\nnet.save_parameters('saved')\noutputs = [np.fromfile('saved', 'uint8')]\n",
    "gluon.utils.clip_global_norm": "outputs = [draw(4, 3), draw(5)]\ngluon.utils.clip_global_norm(outputs, 0.5)\n",
    "gluon.utils.split_data": "outputs = gluon.utils.split_data(draw(7, 3), 3, even_split=False)\n",
}
"""Names with the program of each; those that read files are with them."""
