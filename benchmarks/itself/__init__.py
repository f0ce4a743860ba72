"""The harness measured against the bare alternative: ratios, both sides in alternation in one benchmark.

Less is better everywhere, as asv has it; the limits are those of the first release.
"""
