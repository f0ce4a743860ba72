"""What of the user's shell reaches processes of a target."""

from __future__ import annotations

from harness.targets import inherited

SHELL = {"PATH": "/bin", "MXNET_X": "1", "OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "2"}


def test_only_places_and_what_the_machine_is() -> None:
    assert inherited.of_shell(SHELL) == {"PATH": "/bin", "OPENBLAS_CORETYPE": "Haswell"}


def test_what_is_told_of_the_processor_is_a_fact() -> None:
    assert inherited.of_processor(SHELL) == "OPENBLAS_CORETYPE=Haswell"
    both = {**SHELL, "OPENBLAS_L2_SIZE": "512"}
    assert inherited.of_processor(both) == "OPENBLAS_CORETYPE=Haswell OPENBLAS_L2_SIZE=512"
    assert inherited.of_processor({"PATH": "/bin", "OPENBLAS_CORETYPE": ""}) == ""
