"""Verdicts as a Prometheus text file, for the textfile collector of a node exporter."""

from __future__ import annotations

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Gauge, generate_latest

from harness.judging.verdict import Verdict
from harness.report import verdict as shown

_LABELS = ("scenario", "arm", "subject")


def of_runs(verdicts: Sequence[tuple[str, Verdict]]) -> str:
    """Of each with its scenario's name: 1 for its verdict, and every number in base units, with its interval.

    No labels name runs: each would be a series of its own. Of several runs of a scenario the last one counts.
    """
    registry = CollectorRegistry()
    words = Gauge(
        "harness_verdict", "1 for the verdict of a scenario's run", ("scenario", "verdict"), registry=registry
    )
    ends = Gauge("harness_outcome", "1 for how an arm ended", ("scenario", "arm", "outcome"), registry=registry)
    known: dict[str, Gauge] = {}
    for scenario, verdict in dict(verdicts).items():
        for word in ("pass", "fail", "invalid", "unknown"):
            words.labels(scenario, word).set(float(verdict.verdict == word))
        for arm in verdict.arms:
            ends.labels(scenario, arm.arm, arm.ended.outcome if arm.ended else "none").set(1.0)
            for quantity in (arm.quantities[key] for key in shown.measured([arm])):
                for suffix, value in (("", quantity.value), ("_low", quantity.low), ("_high", quantity.high)):
                    if value is not None:
                        gauge = _gauge(quantity.name + suffix, quantity.unit, known, registry)
                        gauge.labels(scenario, arm.arm, quantity.subject).set(value)
    return generate_latest(registry).decode("utf-8")


def _gauge(name: str, unit: str, known: dict[str, Gauge], registry: CollectorRegistry) -> Gauge:
    if name not in known:
        known[name] = Gauge(f"harness_{name}", f"{name.replace('_', ' ')}, {unit}", _LABELS, registry=registry)
    return known[name]
