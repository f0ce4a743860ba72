"""Text from outside, as a terminal, a picture or XML may have it."""

from __future__ import annotations


def printable(text: str) -> str:
    """The same with � for each character that is none to look at: escapes, controls, marks that turn the direction."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "�" for sign in text)
