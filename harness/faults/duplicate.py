"""Packets arrive twice, as after a rerouting."""

from __future__ import annotations

from typing import ClassVar

from harness.faults import LinkFault, Proof, Share
from harness.vocabulary.events import Impaired
from harness.vocabulary.instructions import Impairment
from harness.vocabulary.receipts import share_proof


class Duplicate(LinkFault):
    """Each packet is sent a second time with the given chance, from the plan's seed."""

    name: ClassVar[str] = "duplicate"
    share: Share

    def impairment(self) -> Impairment:
        return Impairment(duplicate=self.share)

    def proof(self, report: Impaired) -> Proof:
        return share_proof(report, self.share, "were doubled")
