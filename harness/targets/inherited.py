"""What processes of a target have of the user's shell; everything else comes from the plan."""

from __future__ import annotations

import os
from collections.abc import Mapping

OF_PROCESSOR = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
"""With which a machine's owner says what processor it has.

The OpenBLAS in MXNet's wheels is of 2018 to 2021, and does not know later ones: a Zen 5 it takes for a Barcelona,
without AVX2. Products of matrices are slower, and have other last bits.
"""

NAMES = (
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", *OF_PROCESSOR
)  # fmt: skip


def of_shell(shell: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables of it that reach them."""
    return {name: shell[name] for name in NAMES if name in shell}


def of_processor(shell: Mapping[str, str] = os.environ) -> str:
    """As in ``OPENBLAS_CORETYPE=Haswell``; "" where it says nothing."""
    return " ".join(f"{name}={shell[name]}" for name in OF_PROCESSOR if shell.get(name))
