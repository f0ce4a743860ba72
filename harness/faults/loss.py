"""Packets disappear: a bad cable, a full switch. TCP sends them again, so that loss becomes delay."""

from __future__ import annotations

from typing import ClassVar

from harness.events import Impaired
from harness.faults import LinkFault, Share
from harness.instructions import Impairment
from harness.receipts import share_proof


class Loss(LinkFault):
    """Each packet is dropped with the given chance, from the plan's seed."""

    name: ClassVar[str] = "loss"
    share: Share

    def impairment(self) -> Impairment:
        return Impairment(loss=self.share)

    def proof(self, told: Impaired) -> tuple[bool, str]:
        return share_proof(told, self.share, "were dropped")
