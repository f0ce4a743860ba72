"""The driver of this machine, if it has one."""

from __future__ import annotations

import ctypes

from harness.gpu.devices import Driver

LIBRARY = "libnvidia-ml.so.1"
"""NVML, which comes with the driver."""


def driver() -> Driver:
    """What there is on this machine. Where there is no driver, its package is not imported: that takes 0.1 s."""
    try:
        ctypes.CDLL(LIBRARY)
    except OSError:
        return Driver(missing="nvml shared library not found")
    from harness.gpu import nvml

    return nvml.driver()
