"""The form of an event on pipes and in histories. Apart from `events`, whose classes an agent has no time to make."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def line(t: float, arm: str, subject: str, kind: str, fields: Mapping[str, Any]) -> bytes:
    """One line of JSON, newline included; ValueError for a number that is not finite."""
    whole = {"t": t, "arm": arm, "subject": subject, "kind": kind, **fields}
    return json.dumps(whole, separators=(",", ":"), allow_nan=False).encode() + b"\n"
