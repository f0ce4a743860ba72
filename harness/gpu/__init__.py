"""GPUs: what NVML says of them, what libraries have for them, and MXNet's memory pools, real and by their source.

What is only computed is called simulated wherever it is shown. It is held to recordings of real GPUs
(`tests/recorded/h100/README.md`, `tests/recorded/h200/README.md`).
"""
