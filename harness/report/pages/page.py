"""One HTML file of a run or a study: no script, nothing from elsewhere, light and dark, and fit to be printed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import jinja2
from markupsafe import Markup, escape
from rich.console import Group, RenderableType

from harness.base.version import __version__
from harness.judging.verdict import Verdict
from harness.report import numbers
from harness.report import verdict as shown
from harness.report.pages import as_html, svg
from harness.report.timeline import Timeline
from harness.vocabulary.quantities import ArmMeasures


@dataclass(frozen=True)
class Section:
    """A part of a page with its heading."""

    title: str
    body: Markup


@dataclass(frozen=True)
class Source:
    """What a page is of, beside what it says: its id, the text of a scenario, and the command that runs it again."""

    id: str
    scenario: str
    again: str


def of_run(verdict: Verdict, timelines: Sequence[Timeline], claims: Sequence[str], source: Source) -> str:
    """The page of a run."""
    lead = [verdict.reason, *claims, shown.machine(verdict.facts)]
    sections = [
        Section("What was asked", as_html.blocks(shown.checks(verdict))),
        Section("What happened when", Markup().join(map(_over_time, timelines))),
        *_maybe("Faults and failures", shown.happened(verdict)),
        Section("What was measured", _measures(verdict)),
        *_ending(source, "Run the same plan again", "The scenario, before options of the command line"),
        _facts(verdict.facts),
    ]
    return _page(verdict.title, verdict.verdict, lead, sections, source)


def of_study(
    title: str,
    text: RenderableType,
    picture: str,
    source: Source,
    badge: str = "",
    facts: Mapping[str, Any] = MappingProxyType({}),
) -> str:
    """The page of a study: what terminals show, and its picture (SVG, from a program of ours) where it has one.

    ``badge``: the answer in a word, where it has one. ``facts`` are those of its last run.
    """
    sections = [Section("What it comes to", as_html.blocks(text))]
    if picture:
        drawn = Markup('<div class="picture">{}</div>').format(Markup(_inner(picture)))
        sections.append(Section("As a picture", drawn))
    sections += _ending(source, "Go on with it, or show it again", "The scenario of its last run")
    sections += [_facts(facts)] if facts else []
    return _page(title, badge, [shown.machine(facts)] if facts else [], sections, source)


def _page(title: str, badge: str, lead: Iterable[str], sections: Iterable[Section], source: Source) -> str:
    footer = f"{source.id}, by harness {__version__}"
    return _template().render(title=title, badge=badge, lead=lead, sections=sections, footer=footer)


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    return environment.from_string((Path(__file__).parent / "page.html.j2").read_text(encoding="utf-8"))


def _maybe(title: str, parts: Iterable[RenderableType]) -> Iterator[Section]:
    found = list(parts)
    if found:
        yield Section(title, as_html.blocks(Group(*found)))


def _over_time(timeline: Timeline) -> Markup:
    head = Markup("<h3>{}: {}, {:.1f} s</h3>\n").format(timeline.arm, timeline.outcome, timeline.seconds)
    return head + Markup('<div class="wide">{}</div>\n').format(svg.over_time(timeline))


def _measures(verdict: Verdict) -> Markup:
    """A row a quantity, a column an arm; intervals of a row share a scale."""
    arms = shown.arms_of(verdict)
    rows = [_row(arms, name, subject) for name, subject in shown.measured(arms.values())]
    return as_html.grid(["measure", *arms], rows)


def _row(arms: Mapping[str, ArmMeasures], name: str, subject: str) -> list[Markup]:
    known = [arm.quantities.get((name, subject)) for arm in arms.values()]
    scale = svg.scale([each for each in known if each is not None])
    cells = [Markup("–") if each is None else escape(numbers.text(each)) + svg.interval(each, scale) for each in known]
    return [escape(shown.label(name, subject)), *cells]


def _ending(source: Source, again: str, scenario: str) -> Iterator[Section]:
    """How to run it again, and of what it is, under these headings."""
    yield Section(again, Markup("<pre>{}</pre>\n").format(source.again))
    yield Section(scenario, Markup("<pre>{}</pre>\n").format(source.scenario))


def _facts(facts: Mapping[str, Any]) -> Section:
    rows = [[escape(name), Markup("<code>{}</code>").format(_fact(value))] for name, value in sorted(facts.items())]
    return Section("Machine and software", as_html.grid(["fact", "value"], rows))


def _fact(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _inner(picture: str) -> str:
    """An SVG file without what stands before its element."""
    return picture[picture.index("<svg") :]
