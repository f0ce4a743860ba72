"""Does `harness compare` see what it should, and nothing else? On real pairs, beside `asv continuous` and `pyperf`.

    python -m benchmarks.comparing collect lenet         # hours, resumable: more pairs and single runs of one job
    python -m benchmarks.comparing whole lenet           # 20 comparisons from the command line, every other one planted
    python -m benchmarks.comparing table                 # all that was collected, drawn anew into 10,000 comparisons
    python -m benchmarks.comparing configuration         # half an hour, resumable: all that scenarios/config asks

What was collected is kept in `results/comparing`.
"""
