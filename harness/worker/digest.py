"""SHA-256 of parameters, so that workers can be compared bit by bit."""

import hashlib


def sha256(named_arrays):
    """Hex digest over names and raw bytes, in the order given."""
    digest = hashlib.sha256()
    for name, array in named_arrays:
        digest.update(name.encode())
        digest.update(array.asnumpy().tobytes())
    return digest.hexdigest()
