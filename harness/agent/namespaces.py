"""System calls on namespaces and mounts that Python has no words for; OSError with what failed."""

from __future__ import annotations

import ctypes
import os

NEW_MOUNTS, NEW_NAME, NEW_NETWORK = 0x00020000, 0x04000000, 0x40000000
"""Flags of unshare(2) and setns(2): CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWNET."""

BIND, RECURSIVE, PRIVATE = 0x1000, 0x4000, 1 << 18
"""Flags of mount(2)."""

_libc = ctypes.CDLL(None, use_errno=True)


def unshare(flag: int, what: str) -> None:
    """Move this process into a new namespace."""
    _check(_libc.unshare(flag), what)


def join(descriptor: int, flag: int, what: str) -> None:
    """Move this process into the namespace of a descriptor."""
    _check(_libc.setns(descriptor, flag), what)


def mount(source: str, target: str, what: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mount ``source`` at ``target``."""
    words = [os.fsencode(word) or None for word in (source, target, kind)]
    _check(_libc.mount(*words, ctypes.c_ulong(flags), os.fsencode(options) or None), what)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
