"""The harness measured against the bare alternative: ratios, both sides in alternation in one benchmark.

Less is better everywhere, as asv has it. ``limit`` is what a number must not exceed, which `limits.py` tells after
`make self`. ``tiny`` is the size at which the tests run a benchmark once, so that none breaks unseen.
"""
