"""Where the command line prints."""

from __future__ import annotations

import os
from typing import Any

import rich.console

WIDTH_OF_FILES = 120


class Console(rich.console.Console):
    """Files and pipes are wider than rich thinks, and a broken pipe is no verdict.

    rich ends the program with status 1 when a pipe breaks, which for us means "fail"; `main` knows better.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if not self.is_terminal and "COLUMNS" not in os.environ:
            self.width = WIDTH_OF_FILES

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError
