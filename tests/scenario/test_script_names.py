"""What a script uses of MXNet, by its text."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.base.errors import InputError
from harness.scenario.script_names import Used, names, used_by

SCRIPT = """\
import mxnet as mx
import numpy as np
from mxnet import gluon, autograd as ag
from mxnet.gluon import nn
import horovod.mxnet as hvd
import model

net = nn.Dense(10, activation="relu")
trainer = gluon.Trainer(net.collect_params(), "sgd", {}, kvstore="device")
with ag.record():
    loss = mx.nd.array([1.0], ctx=mx.cpu()).sum()
hvd.init(**{})
data = np.zeros(3)
mx.metric.Accuracy
mx.nd.concat(*data, dim=1)
"""


def _used(folder: Path, text: str = SCRIPT) -> dict[str, Used]:
    (folder / "train.py").write_text(text)
    return {each.name: each for each in used_by(folder / "train.py")}


def test_calls_with_what_they_give(tmp_path: Path) -> None:
    found = _used(tmp_path)
    assert found["mxnet.gluon.nn.Dense"] == Used("mxnet.gluon.nn.Dense", "train.py:8", ("activation",), 1)
    assert found["mxnet.gluon.Trainer"] == Used("mxnet.gluon.Trainer", "train.py:9", ("kvstore",), 3)
    assert found["mxnet.nd.array"] == Used("mxnet.nd.array", "train.py:11", ("ctx",), 1)
    assert found["mxnet.autograd.record"] == Used("mxnet.autograd.record", "train.py:10", (), 0)


def test_what_nobody_can_say_of_a_call_and_names_that_are_not_called(tmp_path: Path) -> None:
    found = _used(tmp_path)
    for name in ("horovod.mxnet.init", "mxnet.metric.Accuracy", "mxnet.nd.concat"):
        assert found[name].keywords is None
    assert found["mxnet.gluon.nn"].keywords is None


def test_others_names_are_none_of_ours(tmp_path: Path) -> None:
    assert not [name for name in _used(tmp_path) if not name.startswith(("mxnet.", "horovod."))]


def test_modules_beside_a_script_count_too(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("import train\nfrom mxnet import init\ninit.Xavier()\n")
    assert _used(tmp_path)["mxnet.init.Xavier"].place == "model.py:3"


def test_each_name_once() -> None:
    assert names([Used("a", "x:1"), Used("b", "x:2"), Used("a", "x:3")]) == ["a", "b"]


def test_what_may_fail_is_left_out_for_there_is_another_way(tmp_path: Path) -> None:
    text = """\
import mxnet as mx
try:
    from mxnet.gone import f
    mx.gone.g()
except ImportError:
    mx.nd.zeros(3)
else:
    mx.nd.ones(3)
"""
    assert set(_used(tmp_path, text)) == {"mxnet.nd.ones"}


@pytest.mark.parametrize(
    "handler",
    [
        "except KeyboardInterrupt:\n    pass",
        "except ImportError:\n    raise",
        "except ImportError as error:\n    print(error)\n    sys.exit(1)",
        "except (OSError, mx.base.MXNetError):\n    pass",
    ],
)
def test_what_ends_the_script_where_a_name_is_missing_is_no_other_way(tmp_path: Path, handler: str) -> None:
    text = f"try:\n    import mxnet as mx\n    mx.gone.f()\n{handler}\nmx.nd.zeros(3)\n"
    assert {"mxnet.gone.f", "mxnet.nd.zeros"} <= set(_used(tmp_path, text))


def test_what_is_imported_as_far_as_it_is_there_is_used_below(tmp_path: Path) -> None:
    text = "try:\n    import mxnet as mx\nexcept (ImportError, OSError):\n    mx = None\nmx.nd.zeros(3)\n"
    assert set(_used(tmp_path, text)) == {"mxnet.nd.zeros"}


def test_modules_in_packages_beside_it(tmp_path: Path) -> None:
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "__init__.py").write_text("")
    (tmp_path / "nets" / "one.py").write_text("from mxnet import init\ninit.Xavier()\n")
    (tmp_path / "two.py").write_text("from mxnet import metric\nmetric.F1()\n")
    assert {"mxnet.init.Xavier", "mxnet.metric.F1"} <= set(_used(tmp_path, "from nets import one\nfrom . import two\n"))


def test_what_is_no_python(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no Python"):
        _used(tmp_path, "def")
    with pytest.raises(InputError, match="cannot be read"):
        used_by(tmp_path / "nothing.py")
