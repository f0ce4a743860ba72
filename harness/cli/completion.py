"""``harness completion``."""

from __future__ import annotations

import argparse

HELP = 'print what makes a shell complete commands, runs and files: `eval "$(harness completion bash)"`'
EXIT_CODES = "exit codes: 0 printed, 2 a mistake in the input"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="fish: harness completion fish | source")


def execute(arguments: argparse.Namespace) -> int:
    from argcomplete.shell_integration import shellcode

    print(shellcode(["harness"], shell=arguments.shell))
    return 0
