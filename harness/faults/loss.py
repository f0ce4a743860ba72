"""Packets disappear: a bad cable, a full switch. TCP sends them again, so that loss becomes delay."""

from __future__ import annotations

from typing import ClassVar

from harness.faults import LinkFault, Proof, Share
from harness.vocabulary.events import Impaired
from harness.vocabulary.instructions import Impairment
from harness.vocabulary.receipts import share_proof


class Loss(LinkFault):
    """Each packet is dropped with the given chance, from the plan's seed."""

    name: ClassVar[str] = "loss"
    share: Share

    def impairment(self) -> Impairment:
        return Impairment(loss=self.share)

    def proof(self, report: Impaired) -> Proof:
        return share_proof(report, self.share, "were dropped")
