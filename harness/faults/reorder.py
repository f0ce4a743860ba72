"""Packets overtake one another, as over several paths."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from harness.base.units import Duration
from harness.faults import LinkFault, Proof, Share
from harness.vocabulary.events import Impaired
from harness.vocabulary.instructions import Impairment
from harness.vocabulary.receipts import share_proof


class Reorder(LinkFault):
    """Each packet is held for a time with the given chance, from the plan's seed, so that others overtake it."""

    name: ClassVar[str] = "reorder"
    share: Share
    by: Duration = Field(gt=0, description="how long a packet is held")

    def impairment(self) -> Impairment:
        return Impairment(reorder=self.share, hold=self.by)

    def proof(self, report: Impaired) -> Proof:
        """As many were held as chance allows, and others came before some of them."""
        fits, sentence = share_proof(report, self.share, f"were held for {self.by * 1e3:g} ms")
        return fits and report.overtaken > 0, f"{sentence}, {report.overtaken} were overtaken"
