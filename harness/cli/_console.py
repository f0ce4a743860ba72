"""Where the command line prints."""

from __future__ import annotations

import rich.console


class Console(rich.console.Console):
    """rich ends the program with status 1 when a pipe breaks, which for us means "fail"; `main` knows better."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError
