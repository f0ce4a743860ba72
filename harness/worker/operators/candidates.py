"""Calls that an operator may take, by what its registry says of it and by what usually fits. Pure.

An operator that refuses one is asked for another: what it takes is found by trying, so that nobody has to keep a list
of a thousand. A few take nothing by chance; what fits them is said here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

NORMAL, POSITIVE, INDICES, PROBABILITIES = "normal", "positive", "indices", "probabilities"
MOST_CANDIDATES = 48


class Call:
    """Shapes of the tensors, the kind of values in each, and parameters as texts."""

    def __init__(self, shapes: list[tuple[int, ...]], kinds: list[str], params: dict[str, str]) -> None:
        self.shapes, self.kinds, self.params = shapes, kinds, params

    @property
    def id(self) -> str:
        """Short, and the same in every version."""
        each = ["x".join(map(str, shape)) + kind[0] for shape, kind in zip(self.shapes, self.kinds)]
        return ",".join(each) + "".join(f";{name}={value}" for name, value in sorted(self.params.items()))


def candidates(
    name: str, tensors: int, variadic: bool, required: list[tuple[str, str]], optional: list[str]
) -> Iterator[Call]:
    """Those to try, the likeliest first; at most `MOST_CANDIDATES`."""
    seen: set[str] = set()
    if not tensors and not variadic and "shape" in optional:
        required = [*required, ("shape", "Shape(tuple), required")]
    for call in _all(name, tensors, variadic, required):
        if call.id not in seen:
            seen.add(call.id)
            yield call
        if len(seen) >= MOST_CANDIDATES:
            return


def _all(name: str, tensors: int, variadic: bool, required: list[tuple[str, str]]) -> Iterator[Call]:
    for shapes, kinds, params in _KNOWN.get(name, ()):
        yield Call([tuple(shape) for shape in shapes], list(kinds) or [NORMAL] * len(shapes), dict(params))
    count = 2 if variadic and not tensors else tensors
    for params in _params(required, count):
        for shapes in _shapes(count):
            yield Call(shapes, [NORMAL] * count, params)
        for shapes, kinds in _indexed(count):
            yield Call(shapes, kinds, params)
    for params in _params(required, count):
        for shapes in _shapes(count):
            yield Call(shapes, [POSITIVE] * count, params)


def _shapes(count: int) -> list[list[tuple[int, ...]]]:
    """All alike, then what products, convolutions and normalisations take."""
    alike: list[tuple[int, ...]] = [(2, 3), (3, 3), (2, 3, 4), (2, 4, 6, 6), (4,), (5, 6, 3), (1,), (2, 2, 4, 6, 6)]
    each = [[shape] * count for shape in alike]
    if count == 2:
        each += [[(2, 3), (3, 4)], [(2, 3, 4), (2, 4, 3)], [(2, 3), (1, 3)], [(4, 3), (4,)], [(3, 3), (3, 2)]]
    if count == 3:
        each += [[(2, 6), (4, 6), (4,)], [(2, 3, 4), (3,), (3,)], [(2, 3), (3, 4), (2, 4)], [(2, 5), (5,), (5,)]]
    return each if count else [[]]


def _indexed(count: int) -> list[tuple[list[tuple[int, ...]], list[str]]]:
    """With whole numbers last or first, as embeddings, losses and sequences have them."""
    if count == 1:
        return [([(4,)], [INDICES]), ([(2, 3)], [INDICES]), ([(2, 3)], [PROBABILITIES])]
    if count == 2:
        return [
            ([(4, 3), (2,)], [NORMAL, INDICES]),
            ([(2,), (4, 3)], [INDICES, NORMAL]),
            ([(4, 3), (4,)], [NORMAL, INDICES]),
            ([(4, 2, 3), (2,)], [NORMAL, INDICES]),
            ([(3, 4), (2, 2)], [NORMAL, INDICES]),
        ]
    return [([(4, 3)] * (count - 1) + [(4,)], [NORMAL] * (count - 1) + [INDICES])] if count else []


def _params(required: list[tuple[str, str]], count: int) -> list[dict[str, str]]:
    """Values for what it must be given: one that fits the name, then others that fit the type."""
    found: list[dict[str, str]] = [{}]
    for name, type_ in required:
        if type_.startswith("NDArray"):
            continue
        values = _values(name, type_, count)
        found = [{**params, name: value} for value in values for params in found][:6]
    return found


def _values(name: str, type_: str, count: int) -> list[str]:
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name in ("num_args", "num_inputs"):
        return [str(count)]
    choice = re.match(r"\{(.*?)\}", type_)
    if choice:
        words = [word.strip().strip("'") for word in choice.group(1).split(",")]
        return [word for word in words if word != "None"][:3]
    if "tuple" in type_ or "Shape" in type_:
        return ["(2,)", "(2, 3)", "(1, 1)", "(0,)"]
    if "bool" in type_:
        return ["True"]
    if "int" in type_ or "long" in type_:
        return ["1", "2", "0"]
    if "float" in type_ or "double" in type_:
        return ["0.5", "2.0"]
    return ["float32", "1"]


_BY_NAME = {
    "kernel": ["(2, 2)", "(2,)", "(2, 2, 2)"],
    "num_filter": ["4"],
    "num_hidden": ["4"],
    "scalar": ["2.0", "0.5"],
    "lr": ["0.1"],
    "shape": ["(2, 3)", "(-1,)", "(3, 2)", "(2, 3, 4)"],
    "begin": ["(0, 1)", "(0,)"],
    "end": ["(2, 3)", "(1,)"],
    "axis": ["0", "1"],
    "axes": ["(1, 0)", "(0,)"],
    "dim1": ["0"],
    "dim2": ["1"],
    "depth": ["4"],
    "reps": ["(2, 1)"],
    "pad_width": ["(1, 1, 1, 1)", "(0, 0, 0, 0, 1, 1, 1, 1)"],
    "mode": ["constant", "fft"],
    "dtype": ["float32"],
    "a_min": ["-0.5"],
    "a_max": ["0.5"],
    "block_size": ["2"],
    "indices_or_sections": ["1"],
    "pooled_size": ["(2, 2)"],
    "spatial_scale": ["0.5"],
    "scale": ["2"],
    "num_outputs": ["1"],
    "input_dim": ["4"],
    "output_dim": ["3"],
    "N": ["3"],
    "start": ["0"],
    "stop": ["4"],
    "step": ["1"],
    "num": ["4"],
}
"""Of parameters that mean the same in every operator that has them."""

_IMAGE, _SEQUENCE = (2, 4, 5, 5), (3, 2, 4)
_CONVOLUTION = {"kernel": "(3, 3)", "num_filter": "6"}
_NORMAL_5 = ([_IMAGE, (4,), (4,), (4,), (4,)], [NORMAL, POSITIVE, NORMAL, NORMAL, POSITIVE])
_KNOWN: dict[str, list[tuple[list[Any], list[str], dict[str, str]]]] = {
    "Convolution": [
        ([_IMAGE, (6, 4, 3, 3), (6,)], [], _CONVOLUTION),
        ([_IMAGE, (6, 2, 3, 3), (6,)], [], {**_CONVOLUTION, "num_group": "2", "pad": "(1, 1)", "stride": "(2, 2)"}),
        ([_IMAGE, (6, 4, 3, 3)], [], {**_CONVOLUTION, "no_bias": "True", "dilate": "(2, 2)"}),
    ],
    "Deconvolution": [
        ([_IMAGE, (4, 6, 3, 3)], [], _CONVOLUTION),
        ([_IMAGE, (4, 6, 3, 3), (6,)], [], {**_CONVOLUTION, "no_bias": "False", "stride": "(2, 2)"}),
    ],
    "FullyConnected": [
        ([(2, 6), (4, 6), (4,)], [], {"num_hidden": "4"}),
        ([(2, 3, 6), (4, 6)], [], {"num_hidden": "4", "no_bias": "True", "flatten": "False"}),
    ],
    "BatchNorm": [(*_NORMAL_5, {}), (*_NORMAL_5, {"fix_gamma": "False", "use_global_stats": "True"})],
    "BatchNorm_v1": [(*_NORMAL_5, {})],
    "_contrib_SyncBatchNorm": [(*_NORMAL_5, {"key": "one"})],
    "LayerNorm": [([(2, 3, 4), (4,), (4,)], [], {}), ([(2, 3, 4), (3,), (3,)], [], {"axis": "1"})],
    "GroupNorm": [([_IMAGE, (2,), (2,)], [], {"num_groups": "2"}), ([_IMAGE, (4,), (4,)], [], {"num_groups": "2"})],
    "InstanceNorm": [([_IMAGE, (4,), (4,)], [], {})],
    "Pooling": [
        ([_IMAGE], [], {"kernel": "(2, 2)", "pool_type": kind, "stride": "(2, 2)"}) for kind in ("max", "avg", "sum")
    ],
    "RNN": [
        ([_SEQUENCE, (39,), (1, 2, 3)], [], {"state_size": "3", "num_layers": "1", "mode": "rnn_tanh"}),
        ([_SEQUENCE, (108,), (1, 2, 3), (1, 2, 3)], [], {"state_size": "3", "num_layers": "1", "mode": "lstm"}),
        ([_SEQUENCE, (81,), (1, 2, 3)], [], {"state_size": "3", "num_layers": "1", "mode": "gru"}),
    ],
    "Embedding": [([(3,), (4, 5)], [INDICES, NORMAL], {"input_dim": "4", "output_dim": "5"})],
    "take": [([(4, 3), (2, 2)], [NORMAL, INDICES], {"mode": mode}) for mode in ("clip", "wrap")],
    "pick": [([(4, 3), (4,)], [NORMAL, INDICES], {})],
    "one_hot": [([(4,)], [INDICES], {"depth": "3"})],
    "gather_nd": [([(4, 3), (2, 5)], [NORMAL, INDICES], {})],
    "scatter_nd": [([(5,), (2, 5)], [NORMAL, INDICES], {"shape": "(4, 3)"})],
    "SoftmaxOutput": [([(4, 3), (4,)], [NORMAL, INDICES], {})],
    "softmax_cross_entropy": [([(4, 3), (4,)], [NORMAL, INDICES], {})],
    "CTCLoss": [([(6, 2, 5), (2, 2)], [NORMAL, INDICES], {})],
    "SequenceMask": [([_SEQUENCE, (2,)], [NORMAL, INDICES], {"use_sequence_length": "True", "value": "-1"})],
    "where": [([(2, 3), (2, 3), (2, 3)], [INDICES, NORMAL, NORMAL], {})],
    "UpSampling": [([_IMAGE], [], {"scale": "2", "sample_type": "nearest", "num_args": "1"})],
    "Concat": [([(2, 3), (2, 4)], [], {"dim": "1", "num_args": "2"})],
    "stack": [([(2, 3), (2, 3)], [], {"axis": "1", "num_args": "2"})],
    "Dropout": [([(4, 8)], [], {"p": "0.5"}), ([(4, 8)], [], {"p": "0.5", "mode": "always", "axes": "(0,)"})],
    "topk": [([(3, 5)], [], {"k": "2", "ret_typ": kind}) for kind in ("indices", "value", "mask", "both")],
    "slice_axis": [([(3, 5)], [], {"axis": "1", "begin": "1", "end": "4"})],
    "Reshape": [([(2, 3, 4)], [], {"shape": "(0, -1)"}), ([(2, 3, 4)], [], {"shape": "(-3, 0)"})],
    "linalg_potrf": [([(3, 3)], ["definite"], {})],
    "_linalg_potrf": [([(3, 3)], ["definite"], {})],
    "_linalg_inverse": [([(3, 3)], ["definite"], {})],
    "_linalg_det": [([(3, 3)], ["definite"], {})],
    "_linalg_slogdet": [([(3, 3)], ["definite"], {})],
    "_npi_cholesky": [([(3, 3)], ["definite"], {})],
    "_npi_solve": [([(3, 3), (3, 2)], ["definite", NORMAL], {})],
    "ROIPooling": [([_IMAGE, (2, 5)], [NORMAL, INDICES], {"pooled_size": "(2, 2)", "spatial_scale": "1.0"})],
    "BilinearSampler": [([_IMAGE, (2, 2, 3, 3)], [], {})],
    "SpatialTransformer": [
        ([_IMAGE, (2, 6)], [], {"target_shape": "(3, 3)", "transform_type": "affine", "sampler_type": "bilinear"})
    ],
}
"""What does not fit by chance, or has more than one way that matters: shapes, kinds (none: all normal), parameters."""
