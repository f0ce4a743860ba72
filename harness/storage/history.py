"""The append-only file of events."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from harness.base.errors import DamagedRunError
from harness.faults import all_faults
from harness.storage.run_folder import storage_error
from harness.vocabulary import events
from harness.vocabulary.events import Event


class HistoryWriter:
    """Appends whole lines straight to the kernel, so that a SIGKILL at any moment leaves a readable beginning."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise storage_error(error, path) from error

    def append(self, lines: bytes) -> None:
        """Append lines as they are; StorageError when the disk is full."""
        try:
            while lines:
                lines = lines[os.write(self._file, lines) :]
        except OSError as error:
            raise storage_error(error, self._path) from error

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)


def read(path: Path) -> Iterator[Event]:
    """Every event in order. A last line without its end is what a crash leaves, and is left out.

    DamagedRunError names the line that is no event.
    """
    all_faults()  # which define events of their own
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return
                try:
                    event = events.decode(line)
                except ValueError as error:
                    raise DamagedRunError(f"{path}:{number}: {error}") from error
                yield event
    except OSError as error:
        raise DamagedRunError(f"{path} cannot be read: {error.strerror}") from error
