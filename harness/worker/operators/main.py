"""The loop: names of operators come in as lines of JSON, what became of their cases goes out.

``{"op": NAME, "known": {CASE: STATUS}}`` asks for an operator; cases whose status is known are not run again, as it
ended a process before this one. Before each case comes a line ``{"begin": CASE, …}`` with what it is made of, so that
who reads knows which case a process did not survive; ``{"names": {...}}`` is the answer to ``{"list": true}``,
``{"end": NAME}`` that to an operator. ``{"time": CALL}`` makes a call ready and ``{"calls": N}`` makes so many:
``{"end": NAME, "seconds": S}``; ``{"once": CASE}`` makes the call of a case with tensors of the shapes that it has now,
or runs its program; ``{"write": NAME}`` answers with the files that a program wrote, ``{"read": NAME, "files": FILES}``
with what came of reading such. With the argument ``followed`` processes follow one another (`succession`).
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from typing import Any

from . import files, programs, registry
from .candidates import Call, candidates
from .execute import execute, run_program
from .refusals import message
from .succession import FOLLOWED, follow
from .timing import Timed
from .variants import BASE, EMPTY, VARIANTS, shapes

MOST_CALLS = 2
"""Of one operator that are varied."""

SOME, LONG_SECONDS = 4, 0.5
"""Calls by which it is seen what one takes, after the first; one that takes so long is not made again for that."""

MOST_DEATHS = 3
"""Calls of one operator that a process did not survive: no further one is tried."""

_WEIGHTS = {"crashed": 1, "hung": 2}
_WANTED = re.compile(r"infered_num_inputs \((\d+) vs\. (\d+)\)")


def main() -> None:
    """Serve until the input ends, alone or one after the other."""
    follow(_serve) if FOLLOWED in sys.argv[2:] else _serve()


def _serve() -> None:
    """Whatever else writes to standard output writes to the log."""
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    timed: Timed | None = None
    for line in sys.stdin:
        asked = json.loads(line)
        if "time" in asked:
            timed = _ready(out, asked["time"])
        elif "calls" in asked and timed is not None:
            _say(out, {"end": asked["op"], "seconds": timed.seconds(asked["calls"])})
        elif "once" in asked:
            _say(out, {"end": asked["once"]["op"], **_once(asked["once"])})
        elif "write" in asked:
            _say(out, {"end": asked["write"], **_wrote(asked["write"])})
        elif "read" in asked:
            text = programs.HEAD + files.reading(asked["read"], asked["files"])
            _say(out, {"end": asked["read"], "program": text, **run_program(text)})
        elif asked.get("list"):
            _say(out, {"names": {**registry.names(), **{name: [] for name in programs.names()}}})
        else:
            asks = _program if programs.is_one(asked["op"]) else _operator
            asks(out, asked["op"], asked.get("known", {}))
            _say(out, {"end": asked["op"]})


def _operator(out: Any, name: str, known: dict[str, str]) -> None:
    """Find calls that it takes, then vary them; with as many tensors as it says that it wants."""
    operator = registry.operator(name)
    count, taken = len(operator.tensors), 0
    for call in candidates(name, count, operator.variadic, operator.required, operator.optional):
        status = _case(out, name, call, BASE, known)
        wanted = _WANTED.search(status)
        if wanted and int(wanted.group(2)) != count:
            count = int(wanted.group(2))
            for other in candidates(name, count, False, operator.required, operator.optional):
                taken += _varied(out, name, other, _case(out, name, other, BASE, known), known)
                if taken >= MOST_CALLS:
                    return
            return
        taken += _varied(out, name, call, status, known)
        if taken >= MOST_CALLS or _deaths(known) >= MOST_DEATHS:
            return


def _ready(out: Any, asked: dict[str, Any]) -> Timed | None:
    """A call that was made once, and the least that some more took; why not where it is refused."""
    try:
        timed = Timed(asked)
        once = timed.seconds(1)
        _say(out, {"end": asked["op"], "seconds": once if once > LONG_SECONDS else _least(timed)})
    except Exception as error:
        _say(out, {"end": asked["op"], "refused": message(error)})
        return None
    return timed


def _least(timed: Timed) -> float:
    """Of what a call takes, whatever else had the processor now and then."""
    return min(timed.seconds(1) for _ in range(SOME))


def _once(asked: dict[str, Any]) -> dict[str, Any]:
    """What becomes of a case whose shapes are given; its name decides the values, as it does in a sweep."""
    if "program" in asked:
        return run_program(asked["program"])
    call = Call([tuple(shape) for shape in asked["shapes"]], asked["kinds"], asked["params"])
    variant = next(each for each in VARIANTS if each.name == asked["variant"])
    return execute(asked["op"], asked["case"], call, variant.as_given)


def _wrote(name: str) -> dict[str, Any]:
    """The files that a program wrote; the error where it raised one."""
    files.forget()
    found = run_program(programs.HEAD + files.writing(name))
    return {**found, "files": files.packed()}


def _program(out: Any, name: str, known: dict[str, str]) -> None:
    """Try what may work until some do, with their other ways."""
    taken = 0
    for each in programs.programs(name):
        if _run(out, name, each.case, each.text, known) == "ok":
            for way, text in each.ways.items():
                _run(out, name, f"{each.case} {way}", text, known)
            taken += 1
        if taken >= MOST_CALLS or _deaths(known, "") >= MOST_DEATHS:
            return


def _run(out: Any, name: str, way: str, text: str, known: dict[str, str]) -> str:
    """What became of a program: ok, or why not."""
    case = f"{name}({way})"
    if case in known:
        return known[case]
    made = {"shapes": [], "kinds": [], "params": {}, "variant": way, "program": programs.HEAD + text}
    _say(out, {"begin": case, **made})
    found = run_program(programs.HEAD + text)
    _say(out, {"case": case, "op": name, **made, **found})
    return "ok" if found["status"] == "ok" else str(found["message"])


def _varied(out: Any, name: str, call: Any, status: str, known: dict[str, str]) -> bool:
    """Call again in every other way what was taken; whether it was."""
    if status != "ok":
        return False
    for variant in VARIANTS[1:]:
        if variant.name != EMPTY or not _deaths(known, f" {EMPTY}"):
            _case(out, name, call, variant, known)
    return True


def _deaths(known: dict[str, str], end: str = f" {BASE.name}") -> int:
    """Of processes; a hang takes ten seconds, and counts twice."""
    return sum(_WEIGHTS.get(status, 0) for case, status in known.items() if case.endswith(end))


def _case(out: Any, name: str, call: Any, variant: Any, known: dict[str, str]) -> str:
    """What became of a case: ok, or why not."""
    case = f"{name}({call.id}) {variant.name}"
    if case in known:
        return known[case]
    made = {"shapes": shapes(call, variant), "kinds": call.kinds, "params": call.params, "variant": variant.name}
    _say(out, {"begin": case, **made})
    began = time.perf_counter()
    found = execute(name, case, call, variant)
    seconds = round(time.perf_counter() - began, 6)
    _say(out, {"case": case, "op": name, "seconds": seconds, **made, **found})
    return "ok" if found["status"] == "ok" else str(found["message"])


def _say(out: Any, value: dict[str, Any]) -> None:
    out.write(json.dumps(value) + "\n")
