"""Packets arrive twice, as after a rerouting."""

from __future__ import annotations

from typing import ClassVar

from harness.events import Impaired
from harness.faults import LinkFault, Share
from harness.instructions import Impairment
from harness.receipts import share_proof


class Duplicate(LinkFault):
    """Each packet is sent a second time with the given chance, from the plan's seed."""

    name: ClassVar[str] = "duplicate"
    share: Share

    def impairment(self) -> Impairment:
        return Impairment(duplicate=self.share)

    def proof(self, told: Impaired) -> tuple[bool, str]:
        return share_proof(told, self.share, "were doubled")
