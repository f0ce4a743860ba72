"""Why a call was refused, in words that are the same whenever and wherever it is made."""

from __future__ import annotations

import re

_WHERE = re.compile(r"\[\d\d:\d\d:\d\d\] \S+:\d+: ")
"""When and in which file something was checked."""


def message(error: Exception) -> str:
    """An error's last line that says something, without times and places in memory or files."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    useful = [line for line in lines if not line.startswith(("Traceback", "File ", "[bt]", "Stack trace", "("))]
    return f"{type(error).__name__}: {_WHERE.sub('', (useful or lines or [''])[-1])[:300]}"
