"""How well nights tell: simulated ones, and twelve real ones.

``python -m benchmarks.nights simulate`` draws series of nights as machines make them, with and without a step, and asks
what the harness, asv's page of regressions and Apache Otava say of the same series. Series scatter as runs and nights
did here; duets are drawn from the real pairs in ``results/comparing``, under the real stopping rule.
``python -m benchmarks.nights twelve`` runs twelve real nights in a project of its own.
What they said is kept in ``results/nightly``; ``python -m benchmarks.nights table`` shows it.
"""
