"""Every error the harness raises on purpose.

HarnessError
├── InputError              what the user wrote or asked for cannot be done        exit code 2
│   ├── ScenarioError       problems in a scenario, each with its place
│   ├── RunNotFoundError    no such run
│   ├── DamagedRunError     a run folder that cannot be read
│   └── StorageError        results cannot be written (permissions, full disk)
├── TargetError             a target could not be built or started                 exit code 3
│   ├── UnknownVersionError there is no such version of what it is made of         exit code 2
│   └── ImportFailedError   it is there, and its MXNet does not import             exit code 3
├── AgentError              the agent failed: a defect or a machine in trouble     exit code 3
│   └── StuckError          a process that does not read what is written to it
├── UntrustworthyRunError   numbers that asv must not have                         exit code 3
├── NotPassedError          a verdict that asv is to show                          exit code 1
└── RegistryError           two parts with one name, or a part without one         exit code 3
"""

from __future__ import annotations

from dataclasses import dataclass


class HarnessError(Exception):
    """Base of all; ``exit_code`` is what the command line returns."""

    exit_code = 3


class InputError(HarnessError):
    """What the user wrote or asked for cannot be done."""

    exit_code = 2


@dataclass(frozen=True)
class Problem:
    """One thing wrong at one place: ``file:line:column`` or the option it came from."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


class ScenarioError(InputError):
    """Everything wrong with one scenario, in the order of the file."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


class RunNotFoundError(InputError):
    """No run has the id asked for."""


class DamagedRunError(InputError):
    """A run folder lacks a file, or one of its files cannot be read."""


class StorageError(InputError):
    """Results cannot be written."""


class TargetError(HarnessError):
    """A target could not be built, found or started."""


class UnknownVersionError(TargetError):
    """There is no such version of what a target is made of."""

    exit_code = 2


class ImportFailedError(TargetError):
    """A target is there, and its MXNet does not import."""


class AgentError(HarnessError):
    """The agent could not start or died."""


class StuckError(AgentError):
    """A process of the harness, or one that it started, does not read what is written to it."""


class UntrustworthyRunError(HarnessError):
    """A run whose numbers are not those of what was asked for; asv gets none."""


class NotPassedError(HarnessError):
    """A run under asv did not pass."""

    exit_code = 1


class RegistryError(HarnessError):
    """Two parts share a name, or a part has none."""
