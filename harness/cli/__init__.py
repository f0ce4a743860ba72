"""The command line: one file a verb, and the only place that prints or exits.

A verb's file (``try_`` for ``try``, which Python keeps for itself) has ``HELP``, ``configure(parser)`` and
``execute(arguments)``, which returns the exit code; ``EXIT_CODES`` says what it stands for, where that differs. Files
whose name begins with an underscore are no verbs. Heavy imports belong inside ``execute``, so that help is quick.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import pkgutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, MappingProxyType, ModuleType

from harness.base.errors import HarnessError
from harness.base.version import __version__

EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141
SCRIPT_ARGUMENTS = "script_arguments"
"""Where a verb has those that follow ``--``, if its parser has set a default for it."""

_EXIT_CODES = "exit codes: 0 pass, 1 fail, 2 a mistake in the input, 3 invalid or unknown, 130 interrupted"
"""Of verbs that have none of their own in ``EXIT_CODES``."""


def verbs() -> dict[str, ModuleType]:
    """Every verb by name."""
    names = [info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_")]
    return {name.rstrip("_"): importlib.import_module(f"{__name__}.{name}") for name in names}


def parser() -> argparse.ArgumentParser:
    """The parser of all verbs."""
    top = argparse.ArgumentParser(
        prog="harness",
        description="Benchmarks and chaos tests for Apache MXNet: scenarios in, verdicts out.",
        epilog=_EXIT_CODES,
    )
    top.add_argument("--version", action="version", version=f"harness {__version__}")
    subparsers = top.add_subparsers(metavar="VERB", required=True)
    for name, verb in verbs().items():
        codes = getattr(verb, "EXIT_CODES", _EXIT_CODES)
        subparser = subparsers.add_parser(name, help=verb.HELP, description=verb.HELP, epilog=codes)
        verb.configure(subparser)
        subparser.set_defaults(execute=verb.execute)
    return top


def main(argv: list[str] | None = None) -> int:
    """Run one command; errors that we raise on purpose become one message and their exit code."""
    from harness.cli import _defaults

    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        argcomplete.autocomplete(parser())
    _open_streams()
    with _noting_requests_to_stop(restored=argv is not None):
        try:
            arguments = _parsed(sys.argv[1:] if argv is None else argv)
            _defaults.fill(arguments)
            code: int = arguments.execute(arguments)
            sys.stdout.flush()
            return code
        except HarnessError as error:
            print(f"harness: {error}", file=sys.stderr)
            return error.exit_code
        except KeyboardInterrupt:
            return _interrupted()
        except BrokenPipeError:
            _drop_output()
            return EXIT_BROKEN_PIPE
        except OSError as error:
            _drop_output()
            sys.stderr.write(
                f"harness: {error if _is_somewhere() else 'the working directory is gone; go to another'}\n"
            )
            return HarnessError.exit_code
        except Exception as error:
            return _interrupted() if _pressed else _unexpected(error)


def _is_somewhere() -> bool:
    """Whether the working directory is still there."""
    try:
        Path.cwd()
    except OSError:
        return False
    return True


def _parsed(argv: list[str]) -> argparse.Namespace:
    """The arguments; what follows ``--`` is not ours, for a verb that has a script to give it to."""
    before = argv[: argv.index("--")] if "--" in argv else argv
    arguments, others = parser().parse_known_args(before)
    if others and hasattr(arguments, SCRIPT_ARGUMENTS):
        parser().error(f"unrecognized arguments: {' '.join(others)}; what the script is to get follows `--`")
    if not hasattr(arguments, SCRIPT_ARGUMENTS):
        return parser().parse_args(argv)
    setattr(arguments, SCRIPT_ARGUMENTS, argv[len(before) + 1 :])
    return arguments


def _open_streams() -> None:
    """What is written to a standard stream that is closed (``2>&-``) goes nowhere, and no other file gets its number.

    An error while writing would end with status 1, which is a verdict.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            os.set_inheritable(number, True)
            setattr(sys, name, open(number, "r" if number == 0 else "w", closefd=False))  # noqa: SIM115
    if sys.stderr is sys.__stderr__:
        sys.stderr = _Complaints(open(2, "wb", closefd=False), "utf-8", "backslashreplace", line_buffering=True)  # noqa: SIM115


class _Complaints(io.TextIOWrapper):
    """Standard error: what a full disk does not take of it is lost, and is neither a verdict nor an end."""

    def write(self, text: str) -> int:
        with self._losing():
            return super().write(text)
        return len(text)

    def flush(self) -> None:
        with self._losing():
            super().flush()

    @contextmanager
    def _losing(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError:
            _drop(2)


_pressed: list[float] = []
"""When a stop was asked for."""

_IMPATIENCE_SECONDS = 1.0
"""Who asks again so soon changes nothing: what is cleaned up is not to be interrupted."""


class _StopRequested(KeyboardInterrupt):
    """No plain KeyboardInterrupt: where one leaves an ``exec``, as each dataclass has, ``python -m`` ends by SIGINT
    at its exit, whatever status it was given (``run_eval_code_obj`` in Python/pythonrun.c)."""


def heed_ctrl_c() -> None:
    """Raise KeyboardInterrupt where Ctrl-C was pressed before, and nobody heard of it.

    Compiled code makes another error of it, as pydantic's; Python itself drops it where it comes in a callback.
    """
    if _pressed:
        raise _StopRequested


_REQUESTS_TO_STOP: Mapping[signal.Signals, object] = MappingProxyType(
    {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL, signal.SIGHUP: signal.SIG_DFL}
)
"""With what Python does by itself; where it is set to do another thing, as by nohup, it keeps to that."""


@contextmanager
def _noting_requests_to_stop(restored: bool) -> Iterator[None]:
    """SIGTERM, and a closed terminal, count as Ctrl-C, so that whatever runs is cleaned up.

    Each is noted beside raising KeyboardInterrupt. ``restored``: whether this process goes on afterwards, in whose end
    one more would be an error.
    """
    _pressed.clear()

    def note(_: int, __: FrameType | None) -> None:
        _pressed.append(time.monotonic())
        if len(_pressed) == 1 or _pressed[-1] - _pressed[-2] > _IMPATIENCE_SECONDS:
            raise _StopRequested

    heeded = [number for number, usual in _REQUESTS_TO_STOP.items() if signal.getsignal(number) is usual]
    old = {number: signal.signal(number, note) for number in heeded}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler if restored or not _pressed else signal.SIG_IGN)


def _unexpected(error: Exception) -> int:
    """Say in a line that the harness is broken, and where the rest stands; never 1, which is a verdict."""
    with tempfile.NamedTemporaryFile("w", prefix="harness-", suffix=".txt", delete=False) as file:
        file.write("".join(traceback.format_exception(error)))
    words = f"{type(error).__name__}: {error}".splitlines()[0]
    sys.stderr.write(f"harness: a defect of the harness: {words}; the full text is in {file.name}\n")
    return HarnessError.exit_code


def _interrupted() -> int:
    print("harness: interrupted", file=sys.stderr)
    return EXIT_INTERRUPTED


def _drop_output() -> None:
    """What is still buffered has nowhere to go."""
    _drop(sys.stdout.fileno())


def _drop(descriptor: int) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
