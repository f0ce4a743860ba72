"""The worker's two file descriptors: events out, commands in."""

import json
import os
import threading
import time

HEARTBEAT_SECONDS = 0.5
_EVENTS_FD = "HARNESS_EVENTS_FD"
_COMMANDS_FD = "HARNESS_COMMANDS_FD"
_MAIN_APART = "HARNESS_MAIN_APART"


class Channel:
    """Writes events as lines of JSON; reads how far the worker may go, and which faults begin and end.

    Times are seconds of CLOCK_MONOTONIC, which is one clock for all processes of a machine. Without descriptors in the
    environment (a worker started by hand) events go to standard output and credit is unlimited. ``main_apart``: whether
    the main thread is to have a processor of its own (`harness/worker/placement.py`).
    """

    def __init__(self, arm, role):
        self._head = '"arm":%s,"subject":%s,"kind":' % (json.dumps(arm), json.dumps(role))
        self._events = int(os.environ.get(_EVENTS_FD, "1"))
        commands = os.environ.get(_COMMANDS_FD)
        # Never closed: where a script's hooks let go of it last, Python 3.9 warned of that too late, and crashed.
        self._commands = os.fdopen(int(commands), "r", closefd=False) if commands else None
        self.main_apart = bool(os.environ.get(_MAIN_APART))
        self._last = 0.0
        self._writing = threading.Lock()
        self.until = 0  # type: int | None
        self.forget()

    def forget(self):
        """Ignore commands to begin and end faults; set ``begin`` and ``end`` to those who obey them."""
        self.begin = self.end = lambda number: None

    def emit(self, kind, **fields):
        """Write one event; numbers that are not finite become null, as JSON has no word for them."""
        self._last = time.monotonic()
        body = json.dumps(fields, separators=(",", ":"), allow_nan=False)[1:-1]
        line = '{"t":%.6f,%s"%s"%s%s}\n' % (self._last, self._head, kind, "," if body else "", body)
        data = line.encode()
        with self._writing:  # a script fetches its batches in a thread of its own
            while data:
                data = data[os.write(self._events, data) :]

    def heartbeat(self, step):
        """Say that ``step`` was begun, unless something was said within the last half second."""
        if time.monotonic() - self._last > HEARTBEAT_SECONDS:
            self.emit("progress", step=step)

    def await_credit(self, step):
        """Ask to go on at ``step`` and block until allowed; sets ``until`` (None is no limit)."""
        if self._commands is None:
            self.until = None
            return
        self.emit("waiting", step=step)
        words = {}
        while "until" not in words:
            line = self._commands.readline()
            if not line:
                raise SystemExit("the harness is gone: no more credit")
            words = json.loads(line)
            if "begin" in words:
                self.begin(words["begin"])
            elif "end" in words:
                self.end(words["end"])
        self.until = words["until"]
