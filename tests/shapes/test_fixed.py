from __future__ import annotations

from pydantic import TypeAdapter

from harness import shapes


def test_one_size_for_every_step() -> None:
    fixed = TypeAdapter(shapes.annotation()).validate_python({"distribution": "fixed", "value": 32})
    assert not fixed.varies
    assert fixed.sizes(7, 500) == (32,)
