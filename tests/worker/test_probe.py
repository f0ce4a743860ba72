"""Names and what they take, as a target tells them; of Python's own modules, which are always there."""

from __future__ import annotations

from harness.worker.probe import described


def test_what_a_function_takes() -> None:
    assert described("textwrap.shorten") == {
        "names": ["text", "width"],
        "needed": ["text", "width"],
        "any_name": True,
        "places": 2,
    }


def test_any_number_of_arguments_and_keywords_only() -> None:
    found = described("os.path.join")
    assert (found["places"], found["names"], found["needed"]) == (None, ["a"], ["a"])
    assert "key" in described("heapq.merge")["names"]


def test_what_is_not_there_and_what_does_not_say() -> None:
    assert described("textwrap.nothing") is None
    assert described("no_such_module.name") is None
    assert described("os.sep") == {}
    assert described("xml.dom.minidom.parse")["places"] == 3  # a module that nobody imported yet
