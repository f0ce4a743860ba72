"""Other ways in which a target computes the same: by the engine that waits for each call, and without oneDNN. Pure.

What an operator makes of a case there, and does not make of it usually, speaks against the new target where the old one
has the same both times. Of a case that differs between targets anyway it is told whether it does without oneDNN, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.studies.parity import Difference, Parity, Swept, worst_first
from harness.studies.unlike import BETTER, BY_WAY, UNSTEADY, between

_BY_ONEDNN = re.compile(
    r"Activation|BatchNorm|Concat|Convolution|Deconvolution|FullyConnected|LRN|LeakyReLU|Pooling|RNN|softmax|"
    r"log_softmax|SoftmaxOutput|SoftmaxActivation|elemwise_add|add_n|transpose|Reshape|Flatten|expand_dims|slice|_copy|"
    r"batch_dot|LayerNorm|_contrib_(quantize|dequantize|requantize).*|_sg_mkldnn_.*|gluon\.(nn|rnn)\..*"
)
"""What has code for it (`src/operator/nn/mkldnn`, `src/operator/quantization/mkldnn`), and layers made of that."""


@dataclass(frozen=True)
class Way:
    """``kind``: what is computed otherwise in it; ``only``: names of operators that it may matter to (None: all).

    ``may_explain``: whether what it leaves out can be why targets differ. What an engine changes is no target's answer.
    """

    name: str
    kind: str
    env: Mapping[str, str]
    only: re.Pattern[str] | None = None
    may_explain: bool = False

    @property
    def words(self) -> str:
        """How it goes after "computes"."""
        return self.kind.partition(" ")[2]

    def matters_to(self, operator: str) -> bool:
        """Whether an operator is asked in this way."""
        return self.only is None or self.only.fullmatch(operator) is not None


WAYS = (
    Way("naive", BY_WAY[0], {"MXNET_ENGINE_TYPE": "NaiveEngine"}),
    Way("plain", BY_WAY[1], {"MXNET_MKLDNN_ENABLED": "0", "MXNET_ONEDNN_ENABLED": "0"}, _BY_ONEDNN, may_explain=True),
)


def as_usual(swept: Mapping[str, Swept]) -> Swept:
    """What a target is compared by: the usual way, where NaiveEngine has to come to the same values, too.

    What lies in memory that nobody wrote comes again as long as the same calls come before it in the same threads. That
    NaiveEngine refuses a case, or dies of it, says nothing of the usual way.
    """
    usual, naive = swept[""], swept[WAYS[0].name].cases if WAYS[0].name in swept else {}
    alike = {
        name: naive[name] if name in naive and naive[name]["status"] == case["status"] else case
        for name, case in usual.cases.items()
    }
    return replace(usual, again=[alike, *usual.again])


def with_ways(found: Parity, old: Mapping[str, Swept], new: Mapping[str, Swept]) -> Parity:
    """And what is computed otherwise by a way; both targets by the names of ways, the usual one is "".

    That is why it does not repeat itself, then: one way stands for one pass more (`as_usual`).
    """
    for way in WAYS:
        if way.name in old and way.name in new:
            found = _with(found, way, (old[""], old[way.name]), (new[""], new[way.name]))
    known = {each.op for each in found.differences if each.kind == WAYS[0].kind}
    left = (each for each in found.fickle if each.kind != UNSTEADY or each.op not in known)
    return replace(found, fickle=tuple(left))


def _with(found: Parity, way: Way, old: Sequence[Swept], new: Sequence[Swept]) -> Parity:
    each: dict[str, dict[str, list[Difference]]] = {way.kind: {}, f"no longer {way.kind}": {}, "": {}}
    told_of = {(known.op, name) for known in (*found.differences, *found.better) for name in known.names}
    untold = set[str]()
    for name, case in old[0].cases.items():
        if not all(name in swept.cases and swept.repeats(name) for swept in (*old, *new)):
            continue
        differs = between(case, new[0].cases[name]) is not None
        if differs and not way.may_explain and (case["op"], name) not in told_of:
            untold.add(case["op"])  # memory that nobody wrote, most likely: no row, and no silence either
        if differs and way.may_explain:
            continue  # it has its row
        was, now = (between(usual.cases[name], by_way.cases[name]) for usual, by_way in (old, new))
        if was is None and now is None:
            continue
        apart = between(old[1].cases[name], new[1].cases[name]) if was and now else None
        if apart is not None and differs:
            continue  # it has its row, too, or is among what has none
        is_better = not now or (apart is not None and apart[0] in BETTER)
        kind = "" if was and now and not apart else f"no longer {way.kind}" if is_better else way.kind
        how = (apart or now or was or ("", ""))[1]
        told = Difference(case["op"], kind, {**case, **new[1].cases[name], "env": way.env}, how)
        each[kind].setdefault(case["op"], []).append(told)
    against, better = (list(_a_row_each(each[kind])) for kind in (way.kind, f"no longer {way.kind}"))
    return replace(
        found,
        differences=worst_first([*(_there(known, way, old[0], new[1]) for known in found.differences), *against]),
        better=(*found.better, *better),
        otherwise=(*found.otherwise, *(f"{op} {way.kind}" for op in sorted(each[""]))),
        untold=tuple(sorted({*found.untold, *untold})),
    )


def _there(known: Difference, way: Way, usual: Swept, by_way: Swept) -> Difference:
    """A difference between targets, with a word where this way has none: what the way leaves out is its cause."""
    name = known.case["case"]
    if (
        not way.may_explain
        or "env" in known.case
        or name not in by_way.cases
        or between(usual.cases[name], by_way.cases[name]) is not None
    ):
        return known
    return replace(known, how=f"{known.how}; {way.words} it is as it was")


def _a_row_each(found: Mapping[str, Sequence[Difference]]) -> Iterator[Difference]:
    return (replace(found[op][0], cases=len(found[op])) for op in sorted(found))
