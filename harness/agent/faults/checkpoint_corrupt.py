"""Damage to the newest checkpoint of a role."""

from __future__ import annotations

import hashlib
from typing import ClassVar

from harness.agent.faults import Commitment, Fields

_NOTHING: Fields = {"file": "", "before": "", "after": "", "size_before": 0, "size_after": 0}


class Commit(Commitment):
    """``how: truncate`` cuts it to half, ``flip`` turns the lowest bit of its middle byte."""

    reports: ClassVar[str] = "damaged"

    def begin(self) -> Fields:
        path = self.child.newest_checkpoint
        if path is None:
            return _NOTHING
        try:
            whole = path.read_bytes()
        except FileNotFoundError:  # the worker has just deleted it
            return _NOTHING
        path.write_bytes(_damaged(whole, self.parameters["how"]))
        after = path.read_bytes()
        sizes = {"size_before": len(whole), "size_after": len(after)}
        return {"file": path.name, "before": _sha256(whole), "after": _sha256(after), **sizes}


def _damaged(whole: bytes, how: str) -> bytes:
    middle = len(whole) // 2
    if how == "truncate":
        return whole[:middle]
    return whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
