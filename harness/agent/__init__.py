"""Performs instructions on one machine: processes, signals, throttles, stack snapshots.

Runs as a process of its own (``python -m harness.agent``), where the kernel allows it as process 1 of a pid namespace,
so that its end is the end of everything it started.
"""
