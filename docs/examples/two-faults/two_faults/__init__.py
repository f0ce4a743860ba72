"""Two faults outside the harness: one that the worker commits, one that the agent commits."""
