"""Files that one MXNet writes and another is to read: parameters, symbols, states of optimizers, records.

Each name has a program that writes files called ``saved…``, and one that reads them and leaves ``outputs``.
"""

from __future__ import annotations

import base64
import glob
import os
import zlib
from typing import Any

_NET = """\
net = gluon.nn.HybridSequential(prefix="net_")
with net.name_scope():
    net.add(gluon.nn.Conv2D(2, 3, in_channels=1), gluon.nn.BatchNorm(in_channels=2), gluon.nn.Dense(3, in_units=72))
"""
_VALUES = """\
net.initialize()
for number, parameter in enumerate(net.collect_params().values()):
    parameter.set_data(mx.nd.abs(draw(*parameter.shape, seed=number)))
"""
_IMAGES = "draw(2, 1, 8, 8)"
_RECURRENT = 'net = gluon.rnn.LSTM(3, num_layers=2, input_size=2, prefix="net_")\n'

_TRAINER = """\
net = {net}
net.initialize()
trainer = gluon.Trainer(net.collect_params(), {made})
"""
_STEP = """\
with autograd.record():
    loss = (net(draw(4, 3, seed={seed})) ** 2).sum()
loss.backward()
trainer.step(4)
"""
_DENSE = "gluon.nn.Dense(2, in_units=3, weight_initializer='ones', prefix='net_')"
_NORM = "gluon.nn.BatchNorm(in_channels=3, prefix='net_')"
"""Two parameters of one shape: who takes one for the other does not see it."""

_BATCHES = """\
batches = mx.io.NDArrayIter(draw(8, 4), mx.nd.array([0, 1, 2, 0, 1, 2, 0, 1]), 4)
"""
_MODULE = """\
full = mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=3, name="full")
module = mx.mod.Module(mx.sym.SoftmaxOutput(full, name="softmax"))
module.bind(batches.provide_data, batches.provide_label)
module.init_params(mx.init.One())
"""
_FIT = """\
module.init_optimizer(optimizer="adam")
for batch in batches:
    module.forward_backward(batch)
    module.update()
"""

_SYMBOL = """\
net = mx.sym.Convolution(mx.sym.Variable("data"), kernel=(3, 3), num_filter=2, pad=(1, 1), name="conv")
net = mx.sym.Pooling(mx.sym.LeakyReLU(net, act_type="elu"), kernel=(2, 2), stride=(2, 2), pool_type="avg")
net = mx.sym.transpose(mx.sym.slice_axis(mx.sym.BatchNorm(net, name="norm"), axis=1, begin=0, end=2), axes=(0, 2, 3, 1))
net = mx.sym.softmax(mx.sym.FullyConnected(mx.sym.reshape(net, shape=(0, -1)), num_hidden=3, name="full"), axis=-1)
net = mx.sym.Group([net, mx.sym.topk(net, k=2, ret_typ="value"), mx.sym.clip(net, 0.3, 0.4) * 2.5])
"""
_EXECUTED = """\
net = mx.sym.load("saved.json")
executor = net.simple_bind(mx.cpu(), data=(2, 1, 8, 8), grad_req="null")
for number, array in enumerate([*executor.arg_arrays, *executor.aux_arrays]):
    array[:] = mx.nd.abs(draw(*array.shape, seed=number))
outputs = executor.forward()
"""

_RECORDS = """\
records = mx.recordio.MXIndexedRecordIO("saved.idx", "saved.rec", "w")
for number in range(3):
    header = mx.recordio.IRHeader(0, [number, 0.5] if number else 7.0, number, 0)
    records.write_idx(number, mx.recordio.pack(header, bytes(bytearray(range(9 * number)))))
records.close()
"""
_OF_RECORDS = """\
records, outputs = mx.recordio.MXIndexedRecordIO("saved.idx", "saved.rec", "r"), []
for number in (2, 0, 1):
    header, data = mx.recordio.unpack(records.read_idx(number))
    outputs += [np.array(header.label), np.array([header.id]), np.frombuffer(data, "uint8")]
"""

_ARRAYS = """\
kinds = ("float16", "float32", "float64", "uint8", "int8", "int32", "int64")
arrays = {kind: (draw(4, 3) * 3).astype(kind) for kind in kinds}
some = draw(4, 3) * mx.nd.array([[1], [0], [1], [0]])
mx.nd.save("saved.params", {**arrays, "rows": some.tostype("row_sparse"), "csr": some.tostype("csr")})
mx.nd.save("saved.list", [some, some[1:3]])
"""
_OF_ARRAYS = """\
outputs = [each for name, each in sorted(mx.nd.load("saved.params").items())] + mx.nd.load("saved.list")
"""


def _trainer(made: str, net: str = _DENSE) -> tuple[str, str]:
    """Of what was trained two steps, and goes on for one."""
    begun, first, second = _TRAINER.format(net=net, made=made), _STEP.format(seed=0), _STEP.format(seed=1)
    outputs = "outputs = [each.data() for each in net.collect_params().values()]\n"
    writes = f"{begun}{first}{second}trainer.save_states('saved.states')\n"
    return writes, f"{begun}trainer.load_states('saved.states')\n{first}{outputs}"


_PROGRAMS = {
    "files.gluon.Block.save_parameters": (
        f"{_NET}{_VALUES}net.save_parameters('saved.params')\n",
        f"{_NET}net.load_parameters('saved.params')\noutputs = [net({_IMAGES})]\n",
    ),
    "files.gluon.HybridBlock.export": (
        f"{_NET}{_VALUES}net.hybridize()\nnet({_IMAGES})\nnet.export('saved')\n",
        "net = gluon.SymbolBlock.imports('saved-symbol.json', ['data'], 'saved-0000.params')\n"
        f"outputs = [net({_IMAGES})]\n",
    ),
    "files.gluon.Trainer.save_states.adam": _trainer("'adam', {'learning_rate': 0.1}"),
    "files.gluon.Trainer.save_states.norm": _trainer("'sgd', {'learning_rate': 0.1, 'momentum': 0.9}", _NORM),
    "files.gluon.Trainer.save_states.sgd": _trainer("'sgd', {'learning_rate': 0.1, 'momentum': 0.9}"),
    "files.gluon.rnn.LSTM.save_parameters": (
        f"{_RECURRENT}{_VALUES}net.save_parameters('saved.params')\n",
        f"{_RECURRENT}net.load_parameters('saved.params')\noutputs = [net(draw(4, 1, 2))]\n",
    ),
    "files.module.save_checkpoint": (
        f"{_BATCHES}{_MODULE}{_FIT}module.save_checkpoint('saved', 1, save_optimizer_states=True)\n",
        f"{_BATCHES}module = mx.mod.Module.load('saved', 1, load_optimizer_states=True)\n"
        f"module.bind(batches.provide_data, batches.provide_label)\n{_FIT}"
        "outputs = [each for name, each in sorted(module.get_params()[0].items())]\n",
    ),
    "files.nd.save": (_ARRAYS, _OF_ARRAYS),
    "files.recordio.MXIndexedRecordIO": (_RECORDS, _OF_RECORDS),
    "files.symbol.save": (f"{_SYMBOL}net.save('saved.json')\n", _EXECUTED),
}

_UNPACKED = """\
import base64, zlib
for name, data in {files!r}.items():
    open(name, "wb").write(zlib.decompress(base64.b64decode(data)))
"""


def names() -> list[str]:
    """Of all that write files."""
    return sorted(_PROGRAMS)


def is_one(name: str) -> bool:
    """Whether a name is of what writes files."""
    return name in _PROGRAMS


def round_trip(name: str) -> str:
    """A program that reads what it wrote itself."""
    return "".join(_PROGRAMS[name])


def writing(name: str) -> str:
    """A program that writes files."""
    return _PROGRAMS[name][0] + "outputs = []\n"


def reading(name: str, files: dict[str, str]) -> str:
    """A program that has files in it, as `packed` gives them, and reads them."""
    return _UNPACKED.format(files=dict(sorted(files.items()))) + _PROGRAMS[name][1]


def forget() -> None:
    """Remove what earlier programs left."""
    for path in glob.glob("saved*"):
        os.remove(path)


def packed() -> dict[str, Any]:
    """The files that are there, by name: compressed, in base64."""
    found = {}
    for path in sorted(glob.glob("saved*")):
        with open(path, "rb") as file:
            found[path] = base64.b64encode(zlib.compress(file.read(), 9)).decode()
    return found
