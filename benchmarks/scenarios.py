"""A class for every scenario with the tag ``asv``; nothing about them is known here."""

from pathlib import Path

from harness.asv_bridge.classes import generate

globals().update(generate(Path(__file__).parent.parent / "scenarios"))
