"""Questions that take many runs: each a `Study`, with a folder of its own under ``results/studies/``."""
