"""Where the command line prints."""

from __future__ import annotations

import os
from typing import Any

import rich.console

WIDTH_OF_FILES = 120


class Console(rich.console.Console):
    """Files and pipes are wider than rich thinks, a broken pipe is no verdict, and NO_COLOR leaves no escape sequence.

    rich ends the program with status 1 when a pipe breaks, which for us means "fail"; `main` knows better. For NO_COLOR
    it takes the colours only, not what is bold or dim.
    """

    def __init__(self, **options: Any) -> None:
        if os.environ.get("NO_COLOR"):
            options["color_system"] = None
        super().__init__(**options)
        if not self.is_terminal and "width" not in options and "COLUMNS" not in os.environ:
            self.width = WIDTH_OF_FILES

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError
