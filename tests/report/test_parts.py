"""The lists in pages are those of the registries."""

from __future__ import annotations

import re

import pytest

from harness.base.errors import InputError
from harness.faults import all_faults
from harness.report import parts
from tests.conftest import ROOT

PAGES = ["README.md", "docs/parts.md", "docs/faults.md"]


@pytest.mark.parametrize("page", PAGES)
def test_pages_list_what_there_is(page: str) -> None:
    text = (ROOT / page).read_text()
    assert "<!-- " in text
    assert parts.updated(text) == text, "run make docs"


def test_a_fault_says_what_it_does_and_what_proves_it() -> None:
    (kill,) = [part for part in parts.parts("faults") if part.name == "kill"]
    assert kill.what == "SIGKILL to the selected process; it is not started again."
    assert kill.proof == "Whether the kernel's exit status names signal 9, and `/proc` shows a zombie or nothing."


def test_every_part_says_what_it_is() -> None:
    for kind in parts.KINDS:
        for part in parts.parts(kind):
            assert part.what.endswith("."), (kind, part)


def test_a_part_says_which_fields_it_takes() -> None:
    (taken,) = parts.fields("slow_input").values()
    by, tolerance = (field for field in taken if field.name in ("by", "tolerance"))
    assert (by.takes, by.default) == ("as 3s, 250ms, 2min", None)
    assert (tolerance.takes, tolerance.default) == ("as 25%, 0.1%", "0.25")
    (select,) = (field for field in taken if field.name == "select")
    assert select.takes == "{role, rank, host, mode, value}"
    assert select.what.startswith("Which processes,")


def test_every_part_can_be_asked_for() -> None:
    for kind in parts.KINDS:
        for part in parts.parts(kind):
            told = {field for taken in parts.fields(part.name).values() for field in taken}
            assert all(field.takes for field in told), part.name


def test_what_is_no_part_is_an_error() -> None:
    with pytest.raises(InputError, match="'slow_imput' is no part and no kind of part; the kinds are faults, "):
        parts.detail("slow_imput")


def test_old_lists_are_replaced_and_the_rest_stays() -> None:
    page = "before\n<!-- names: shapes -->\n`gone`\n<!-- end of names -->\nafter\n"
    names = "`bimodal`, `choice`, `fixed`, `lognormal`, `normal`, `ramp`, `trace`, `uniform`, `zipf`"
    assert parts.updated(page) == f"before\n<!-- names: shapes -->\n{names}\n<!-- end of names -->\nafter\n"


def test_a_mark_of_no_kind_is_an_error() -> None:
    with pytest.raises(InputError, match="'nonsense' is no kind of part; there are faults, topologies"):
        parts.updated("<!-- names: nonsense -->\n<!-- end of names -->\n")


@pytest.mark.parametrize(
    "page", ["no mark", "<!-- parts: faults -->\nno end", "<!--parts: faults-->\n<!-- end of parts -->"]
)
def test_a_page_without_a_pair_of_marks_is_an_error(page: str) -> None:
    with pytest.raises(InputError, match="no pair of marks"):
        parts.updated(page)


def test_the_tolerances_that_are_told_are_those_of_the_faults() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+)% \|", (ROOT / "docs" / "faults.md").read_text(), re.M)
    fields = {name: fault.model_fields.get("tolerance") for name, fault in all_faults().items()}
    assert {name: int(share) / 100 for name, share in rows} == {
        name: field.default for name, field in fields.items() if field is not None
    }
