"""In which order two arms that live at once take turns: for who lets them, and for who reads what they say.

A turn is the faster, the less has run since the same arm's last one, whose data are still in the caches. So each arm
has to be the first as often, and as long ago, as the other.
"""

from __future__ import annotations


def is_reversed(number: int) -> bool:
    """Whether a round, counted from the end of the warm-up, goes in the opposite order of the first.

    By the sequence of Thue and Morse: both orders come as often in any few rounds, and nothing that comes again and
    again, as a timer does, meets always the same one.
    """
    return abs(number).bit_count() % 2 == 1
