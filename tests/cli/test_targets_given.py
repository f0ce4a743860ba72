"""`--from` and `--to`, as people write them."""

from __future__ import annotations

import argparse
import sys

import pytest

from harness.base.errors import InputError
from harness.cli import _targets


def _given(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    _targets.add(parser)
    return parser.parse_args(words)


def test_an_interpreter_has_an_option_of_its_own() -> None:
    own = sys.executable
    old, new = _targets.both(_given("--from-python", own, f"--to-python={own}"))
    assert (old.python, new.python) == (own, own)


def test_an_interpreter_that_is_not_there_is_told_before_anything_is_asked() -> None:
    """The other side was measured for minutes."""
    with pytest.raises(InputError, match=r"there is no interpreter at /no/such"):
        _targets.both(_given("--from-python", "/no/such", "--to", "mxnet=1.9.1"))


def test_versions_and_variables_together() -> None:
    old, new = _targets.both(_given("--from", "1.8.0.post0", "--to", "mxnet=1.9.1", "--to", "env.MXNET_A=1"))
    assert (old.mxnet, new.mxnet, new.env) == ("1.8.0.post0", "1.9.1", {"MXNET_A": "1"})


def test_a_field_that_is_given_twice_is_refused() -> None:
    """The last one was taken without a word."""
    with pytest.raises(InputError, match=r"--from mxnet=1.8.0.post0: mxnet is 1.7.0.post2 already; give it once"):
        _targets.both(_given("--from", "mxnet=1.7.0.post2", "--from", "mxnet=1.8.0.post0", "--to", "mxnet=1.9.1"))


def test_one_side_alone_is_refused() -> None:
    with pytest.raises(InputError, match=r"give both sides, as in --from mxnet=1.8.0.post0"):
        _targets.both(_given("--from-python", "/opt/old/bin/python"))
