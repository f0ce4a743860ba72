"""What differs between the operators of two targets, as a table, and each difference as a program that shows it."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from zlib import crc32

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness.base.printable import printable
from harness.execution.operator_times import GRADIENTS
from harness.studies.operators import Operators
from harness.studies.parity import Difference, Parity
from harness.studies.unlike import BY_WAY, NOW_AND_THEN, SLOWER, Case

MOST_ROWS = 40
"""On a terminal; all are in the JSON, and have a script."""


def render(study: Operators) -> RenderableType:
    """The differences, worst first, then what is better, and what could not be asked."""
    found = study.parity
    sides = " → ".join(str(target) for target in study.targets.values())
    head = Text(f"{sides}: {study.in_words.partition(': ')[2]}", "bold")
    return head if found is None else Group(head, *_parts(found))


def _parts(found: Parity) -> Iterator[RenderableType]:
    if found.differences:
        yield _table(found.differences[:MOST_ROWS])
    if len(found.differences) > MOST_ROWS:
        yield Text(f"{len(found.differences) - MOST_ROWS} more: --json has all, and so has --scripts")
    counts = Counter(each.kind for each in found.better)
    yield Text(
        f"{found.operators} operators have cases that work in both, {found.compared} cases were compared; of "
        f"{len(found.untaken)} operators no call was found that either takes, and {len(found.unstable)} have cases "
        "that do not repeat themselves, which were left out"
    )
    told = {
        **{kind: [f"{each.op} ({each.how})" for each in found.fickle if each.kind == kind] for kind in NOW_AND_THEN},
        "now so, now so in the new one, as chance explains": found.by_chance,
        "not every case that works in the old one was asked of": found.unmatched,
        "gone": found.gone,
        "new": found.new,
        **{f"both {kind}": _without(kind, found.otherwise) for kind in BY_WAY},
        "both alike, and not as numpy": found.unlike_numpy,
        **{kind: [str(counts[kind])] for kind in sorted(counts)},
    }
    yield from (Text(f"{kind}: {', '.join(names)}") for kind, names in told.items() if names)


def _without(kind: str, told: Sequence[str]) -> list[str]:
    """Operators of what is told of this kind."""
    return [each.removesuffix(f" {kind}") for each in told if each.endswith(f" {kind}")]


def _table(differences: Sequence[Difference]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("operator", "what", "how", "cases", "first case"):
        table.add_column(column, overflow="fold")
    for each in differences:
        what = Text(each.kind, "bold red" if each.kind in ("crashes", "hangs", "is not finite") else "yellow")
        smaller = f", also of {each.case['shapes']}" if each.case.get("smaller") else ""
        case = each.case["case"].removeprefix(each.op) + smaller
        table.add_row(each.op, what, Text(printable(each.how)), str(each.cases), Text(printable(case)))
    return table


def scripts(differences: Iterable[Difference]) -> dict[str, str]:
    """A program for each, by the name of its file."""
    found, times = dict[str, str](), Counter[str]()
    for each in differences:
        name = f"{each.op.strip('_').replace('.', '-')}-{each.kind.replace(' ', '-')}"
        times[name] += 1
        found[f"{name}-{times[name]}.py" if times[name] > 1 else f"{name}.py"] = script(each)
    return found


def script(difference: Difference) -> str:
    """A program of less than 30 lines that shows a difference: it prints what either MXNet makes of the case."""
    case, op = difference.case, difference.op
    if difference.kind == SLOWER:
        return _timing(difference)
    if "program" in case:
        about = f"# {op}, {_plain(case['variant'])}: {difference.kind}; {_plain(difference.how)}"
        most = 1 if "env" in case else 3
        above = textwrap.wrap(about, 118, subsequent_indent="# ", max_lines=most, placeholder=" …")
        return "\n".join([*above, *_way(case), f"{case['program']}print(*outputs, sep='\\n')", ""])
    lines = [
        *_head(difference),
        *_arrays(case, _maker(op)),
        *_recording(case),
        f"    found = {_call(case)}",
        "outputs = list(found) if isinstance(found, (list, tuple)) else [found]",
        *_backward(case),
        "print('mxnet', mx.__version__)",
        "print('outputs', *[each.asnumpy() for each in outputs], sep='\\n')",
        "print('arguments afterwards', *[each.asnumpy() for each in arrays], sep='\\n')",
    ]
    return "\n".join(lines) + "\n"


def _head(difference: Difference) -> Iterator[str]:
    """Up to the values: the operator's handle, as every version has it."""
    case, op = difference.case, difference.op
    about = f'"""{op}, {case["variant"]}: {difference.kind}; {_plain(difference.how)}."""'
    yield from textwrap.wrap(about, 118, break_long_words=False, break_on_hyphens=False)
    yield from ("import ctypes", *(["import time"] if difference.kind == SLOWER else []), *_way(case), "")
    yield from ("import mxnet as mx", "import numpy as np", "from mxnet.base import _LIB, c_str, check_call")
    yield from ("from mxnet.ndarray._internal import _imperative_invoke", "")
    yield "version = tuple(map(int, mx.__version__.split('.')[:2]))"
    yield "handle = ctypes.c_void_p()"
    yield f"check_call(_LIB.NNGetOpHandle(c_str({op!r}), ctypes.byref(handle)))"
    if case["variant"] == "empty":
        yield "mx.util.set_np_shape(True)  # elsewhere a size of 0 is one that is not known yet"
    yield "mx.random.seed(11)"
    yield f"values = [{', '.join(_value(case, place) for place in range(len(case['shapes'])))}]"


def _way(case: Case) -> list[str]:
    """What sets the way in which it is computed otherwise, if there is one."""
    return [f"import os; os.environ.update({case['env']!r})  # without this line as usual"] if "env" in case else []


def _timing(difference: Difference) -> str:
    """A program that prints what a call takes, the least of twenty rounds."""
    case, gradients = difference.case, difference.case["timed"] == GRADIENTS
    lines = [
        *_head(difference),
        *_arrays(case, _maker(difference.op)),
        *(["_ = [each.attach_grad() for each in arrays]"] if gradients else []),
        "def seconds(calls=200):",
        "    began = time.perf_counter()",
        "    for _ in range(calls):",
        f"        with mx.autograd.{'record' if gradients else 'predict_mode'}():",
        f"            found = {_call(case)}",
        *(["        (found[0] if isinstance(found, (list, tuple)) else found).backward()"] if gradients else []),
        "    mx.nd.waitall()",
        "    return (time.perf_counter() - began) / calls",
        "print('mxnet', mx.__version__, min(seconds() for _ in range(20)) * 1e6, 'µs')",
    ]
    return "\n".join(lines) + "\n"


def _maker(op: str) -> str:
    return "mx.np.array" if _is_numpy(op) else "mx.nd.array"


def _is_numpy(op: str) -> bool:
    return op.startswith(("_np", "_npi_", "_npx_"))


def _call(case: Case) -> str:
    """An expression that calls the operator."""
    keys, texts = list(case["params"]), list(case["params"].values())
    extra = f"*[{_is_numpy(case['op'])}, False][: 2 if version >= (1, 7) else 1 if version >= (1, 6) else 0]"
    return f"_imperative_invoke(handle.value, arrays, {keys!r}, {texts!r}, None, {extra})"


def _arrays(case: Case, make: str) -> list[str]:
    """From the values; as parts of larger arrays where the sweep had them so."""
    if case["variant"] != "a view":
        return [f"arrays = [{make}(each, dtype=each.dtype) for each in values]"]
    return [
        "larger = [np.concatenate([each[:1] + 1, each, each[:1] + 2]) for each in values]",
        f"arrays = [{make}(each, dtype=each.dtype)[1:-1] for each in larger]",
    ]


def _plain(how: str) -> str:
    return printable(how).replace("\\", "/").replace('"', "'")[:120]


INFERENCE, WITHOUT_GRADIENTS = "inference", ("inference", "int32", "int8", "uint8", "int64", "bool")
"""Variants that the sweep asks for no gradients of (`harness/worker/operators/variants.py`)."""


def _is_taught(case: Case) -> bool:
    """Whether gradients were asked for; a case that works in neither target does not say whether it has any."""
    return bool(case.get("gradients", case["variant"] not in WITHOUT_GRADIENTS))


def _recording(case: Case) -> list[str]:
    if not _is_taught(case):
        return ["if True:" if case["variant"] == INFERENCE else "with mx.autograd.train_mode():"]
    req = "add" if case["variant"] == "gradients added" else "write"
    prepared = f"for each in arrays: each.attach_grad({req!r}); each.grad[:] = 1  # what is not written stays"
    return [prepared, "with mx.autograd.record():"]


def _backward(case: Case) -> list[str]:
    """As the sweep does: from the first output, by weights that are unlike."""
    if not _is_taught(case):
        return []
    return [
        "weights = np.linspace(0.5, 1.5, outputs[0].size).reshape(outputs[0].shape)",
        "front = mx.np if 'numpy' in type(outputs[0]).__module__ else mx.nd",
        "head = front.array(weights, dtype=outputs[0].dtype)",
        "mx.autograd.backward(outputs[:1], [head])",
        "print('gradients', *[each.grad.asnumpy() for each in arrays if each.grad is not None], sep='\\n')",
    ]


def _value(case: Case, place: int) -> str:
    """An expression that draws a tensor as the sweep drew it (`harness/worker/operators/variants.py`)."""
    shape, kind, variant = tuple(case["shapes"][place]), case["kinds"][place], case["variant"]
    seed = crc32(f"{case['case']} {place}".encode()) & 0x7FFFFFFF
    draw = f"np.random.RandomState({seed})"
    text = _DRAWN.get(kind, "{draw}.standard_normal({shape})").format(draw=draw, shape=shape)
    if place == 0 and kind != "indices":
        text = _DAMAGED.get(variant, "{text}").format(text=text, shape=shape, size=math.prod(shape))
    dtype = variant if variant in _TYPES else "float32"
    if dtype.startswith(("int", "uint")) and kind != "indices":
        text = f"np.clip({f'np.abs({text})' if dtype == 'uint8' else text} * 3, -100, 100)"
    if dtype == "bool":
        return f"(lambda each: np.asarray(each > each.mean()))({text})"
    return f"np.asarray({text}).astype({dtype!r})"


_TYPES = ("float64", "float16", "int32", "int8", "uint8", "int64", "bool")
_DRAWN = {
    "indices": "{draw}.randint(0, 3, {shape})",
    "positive": "{draw}.uniform(0.25, 2.0, {shape})",
    "probabilities": "{draw}.uniform(0.05, 0.95, {shape})",
    "definite": "(lambda half: half @ half.T + len(half) * np.eye(len(half)))({draw}.standard_normal({shape}))",
}
_DAMAGED = {
    "not finite": "np.r_[[np.nan, np.inf, -np.inf], {text}.ravel()[3:]][:{size}].reshape({shape})",
    "zeros": "{text} * 0",
    "large values": "{text} * 1e4",
}
