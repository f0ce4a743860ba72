"""GPUs as far as they can be known without one: MXNet's memory pools by their source, and traces of allocations.

What is computed here is called simulated wherever it is shown. It is held to recordings of a real GPU
(`tests/recorded/h100/README.md`).
"""
