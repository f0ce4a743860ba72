"""The worker's two file descriptors: events out, commands in."""

import fcntl
import json
import os
import threading
from contextlib import contextmanager
from time import monotonic  # whatever a script makes of the module later

HEARTBEAT_SECONDS = 0.5
_EVENTS_FD = "HARNESS_EVENTS_FD"
_COMMANDS_FD = "HARNESS_COMMANDS_FD"
_MAIN_APART = "HARNESS_MAIN_APART"
_NEVER_HELD = ("waiting", "failed", "done")
"""After these a process waits, or ends."""

_HIGH = 600
"""Descriptors of the channel are at least that; limits of open files are mostly 1024."""


class Channel:
    """Writes events as lines of JSON; reads how far the worker may go, and which faults begin and end.

    Times are seconds of CLOCK_MONOTONIC, which is one clock for all processes of a machine. Without descriptors in the
    environment (a worker started by hand) events go to standard output and credit is unlimited. ``main_apart``: whether
    the main thread is to have a processor of its own (`harness/worker/placement.py`). ``step``: the last that was told.

    A script may fork, and close what it did not open: a child says nothing and waits for nothing, and nothing is
    written to what is not the channel's any more.
    """

    def __init__(self, arm, role):
        self._head = '"arm":%s,"subject":%s,"kind":' % (json.dumps(arm), json.dumps(role))
        self._events = _out_of_the_way(_EVENTS_FD) if _EVENTS_FD in os.environ else 1
        self._own = os.getpid(), _file(self._events)
        commands = _out_of_the_way(_COMMANDS_FD) if _COMMANDS_FD in os.environ else None
        # Never closed: where a script's hooks let go of it last, Python 3.9 warned of that too late, and crashed.
        self._commands = os.fdopen(commands, "r", closefd=False) if commands is not None else None
        self.step = 0
        self.main_apart = bool(os.environ.get(_MAIN_APART))
        self.spoke = 0.0
        self._writing, self._held, self._holds = threading.Lock(), [], None
        self.until = 0  # type: int | None
        self.forget()

    def forget(self):
        """Ignore commands to begin and end faults; set ``begin`` and ``end`` to those who obey them."""
        self.begin = self.end = lambda number: None

    def emit(self, kind, **fields):
        """Write one event; numbers that are not finite become null, as JSON has no word for them."""
        if not self.is_own:
            return
        self.spoke = monotonic()
        body = json.dumps(fields, separators=(",", ":"), allow_nan=False, ensure_ascii=False)[1:-1]
        line = '{"t":%.6f,%s"%s"%s%s}\n' % (self.spoke, self._head, kind, "," if body else "", body)
        data = line.encode(errors="replace")  # names of files need not be UTF-8
        with self._writing:  # a script fetches its batches in a thread of its own
            self._held.append(data)
            if self._holds != threading.get_ident() or kind in _NEVER_HELD:
                self._write()

    @contextmanager
    def at_once(self):
        """Write what this thread tells meanwhile in one go; each time that who reads is woken, this process stood still
        for up to a millisecond on a machine with two processors.
        """
        try:
            self._holds = threading.get_ident()
            yield
        finally:
            self._holds = None
            with self._writing:
                if self.is_own:
                    self._write()

    def _write(self):
        data = b"".join(self._held)
        self._held = []
        while data:
            data = data[os.write(self._events, data) :]

    @property
    def is_own(self):
        """Whether this process is the role's, and the channel is as it was."""
        return self._own == (os.getpid(), _file(self._events))

    def heartbeat(self, step):
        """Say that ``step`` was begun, unless something was said within the last half second."""
        self.step = step
        self.progress(step)

    def progress(self, step):
        """Say the same of a step before the last one that was begun."""
        if monotonic() - self.spoke > HEARTBEAT_SECONDS:
            self.emit("progress", step=step)

    def await_credit(self, step):
        """Ask to go on at ``step`` and block until allowed; sets ``until`` (None is no limit)."""
        if self._commands is None or not self.is_own:
            self.until = None
            return
        self.emit("waiting", step=step)
        words, failed = {}, None
        while "until" not in words:
            line = self._commands.readline()
            if not line:
                raise SystemExit("the harness is gone: no more credit")
            words = json.loads(line)
            try:
                if "begin" in words:
                    self.begin(words["begin"])
                elif "end" in words:
                    self.end(words["end"])
            except Exception as error:  # a script may catch it, and go on with the credit that follows
                failed = failed or error
        self.until = words["until"]
        if failed is not None:
            raise failed


def _out_of_the_way(name):
    """Move an inherited descriptor to where no loop over the first few hundred closes it; returns its number."""
    given = int(os.environ[name])
    if given >= _HIGH:
        return given
    try:
        moved = fcntl.fcntl(given, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    except OSError:  # a low limit of open files
        return given
    os.close(given)
    os.environ[name] = str(moved)
    return moved


def _file(descriptor):
    """Which file a descriptor is of; None where it is closed."""
    try:
        found = os.fstat(descriptor)
    except OSError:
        return None
    return found.st_dev, found.st_ino
