"""Images as PNGs (ISO/IEC 15948), for record files."""

import struct
import zlib

import numpy as np


def png(pixels):
    """``(1 or 3, height, width)`` bytes as a PNG, each row unfiltered."""
    channels, height, width = pixels.shape
    rows = np.zeros((height, 1 + width * channels), "uint8")
    rows[:, 1:] = pixels.transpose(1, 2, 0).reshape(height, -1)
    head = struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 0, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in parts
    )
