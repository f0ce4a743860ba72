"""What stands for parameters: SHA-256 for the same bits, and a few sums that tell how far apart two of them are."""

import hashlib

from .wide import float64

SUMS, _PERIOD = 16, 8191


def sha256(named_arrays):
    """Hex digest over names and raw bytes, in the order given."""
    digest = hashlib.sha256()
    for name, array in named_arrays:
        digest.update(name.encode())
        digest.update(array.asnumpy().tobytes())
    return digest.hexdigest()


def sketch(array):
    """16 sums of the values with random signs, the same for arrays of the same shape; what is not finite is left out.

    The norm of the difference of two sketches is that of the arrays' difference, give or take a fifth (Charikar, Chen
    and Farach-Colton, 2002).
    """
    import numpy as np

    signs = np.random.RandomState(0).choice(np.array([-1.0, 1.0]), _PERIOD)
    values = float64(array).ravel()
    signed = np.where(np.isfinite(values), values, 0.0) * np.resize(signs, values.size)
    padded = np.pad(signed, (0, -values.size % SUMS), "constant")
    return [round(float(each), 9) for each in padded.reshape(-1, SUMS).sum(axis=0)]
