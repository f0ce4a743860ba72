"""What will not run, told before anything starts."""

from __future__ import annotations

import pytest

from harness.gpu import fitness
from harness.gpu.devices import Driver, Gpu, Pair
from harness.gpu.machine_code import MachineCode

CU112 = MachineCode(frozenset({(8, 0), (8, 6)}), frozenset(), (11, 0))
A100 = Gpu(0, "A100", None, (8, 0), 1 << 35, None, False)
H100 = Gpu(1, "H100", None, (9, 0), 1 << 36, None, False)
BOTH = Driver("535.1", (12, 2), [A100, H100], [Pair(0, 1, "one host bridge", False)])


def told(driver: Driver, *wanted: int, code: MachineCode | None = CU112) -> list[str]:
    return [str(misfit) for misfit in fitness.misfits(driver, wanted, code, (11, 0))]


def test_a_gpu_of_those_is_fine() -> None:
    assert told(BOTH, 0) == []


def test_a_gpu_without_machine_code_is_named_with_what_there_is() -> None:
    (why,) = told(BOTH, 1)
    assert why == (
        "gpu(1) is H100, compute capability 9.0, and the library has machine code for 8.0, 8.6: every kernel would "
        "fail with «no kernel image is available»; use a GPU of those, or an MXNet that is built for this one: "
        "--python PATH"
    )


def test_an_older_driver() -> None:
    (why,) = told(Driver("450.1", (10, 2), [A100]), 0)
    assert why == "driver 450.1 serves CUDA up to 10.2, and the target has 11.0; install a newer driver"


@pytest.mark.parametrize(
    ("version", "serves", "cuda", "fits"),
    [
        ("418.87", (10, 1), (10, 2), False),
        ("440.33", (10, 2), (10, 1), True),
        ("384.81", (9, 0), (9, 2), False),
        ("450.36.06", (11, 0), (11, 2), False),
        ("450.80.02", (11, 0), (11, 2), True),
        ("470.42", (11, 4), (11, 8), True),
        ("535.1", (12, 2), (11, 0), True),
    ],
)
def test_newer_minor_versions_are_served_from_cuda_11_on(
    version: str, serves: tuple[int, int], cuda: tuple[int, int], fits: bool
) -> None:
    found = list(fitness.misfits(Driver(version, serves, [A100]), [0], None, cuda))
    assert (found == []) is fits


def test_ptx_that_a_driver_does_not_take_is_no_reason_to_refuse_all() -> None:
    (found,) = fitness.misfits(Driver("470.42", (11, 4), [A100]), [0], CU112, (11, 0), (11, 8))
    assert (found.fatal, "set MXNET_USE_FUSION=0" in found.remedy, "NVRTC 11.8" in found.why) == (False, True, True)
    assert list(fitness.misfits(Driver("520.61", (11, 8), [A100]), [0], CU112, (11, 0), (11, 8))) == []


def test_a_number_that_is_not_there() -> None:
    (why,) = told(BOTH, 4)
    assert why == "there is no gpu(4); there are: gpu(0), gpu(1); give contexts that are there"


def test_two_that_do_not_reach_each_other_are_slow_and_not_refused() -> None:
    found = list(fitness.misfits(BOTH, [0, 1]))
    assert [(misfit.fatal, "through the host" in misfit.why) for misfit in found] == [(False, True)]
    assert list(fitness.misfits(BOTH, [1])) == []


def test_without_a_driver() -> None:
    (why,) = told(Driver(missing="nvml shared library not found"), 0)
    assert "NVML says «nvml shared library not found»; run it where there is an NVIDIA GPU" in why


def test_a_gpu_that_does_not_tell_its_capability_is_let_through() -> None:
    assert told(Driver("1", (12, 0), [Gpu(0, "?", None, None, None, None, True)]), 0) == []
