"""What is written as PNG reads as it was."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib import image

from harness.worker.png import png


@pytest.mark.parametrize("channels", [1, 3])
def test_it_reads_as_it_was(channels: int) -> None:
    pixels = np.random.RandomState(0).randint(0, 256, size=(channels, 5, 7)).astype("uint8")
    read = image.imread(io.BytesIO(png(pixels)), format="png")  # type: ignore[no-untyped-call]
    assert np.array_equal(np.round(read.reshape(5, 7, channels) * 255).astype("uint8"), pixels.transpose(1, 2, 0))
