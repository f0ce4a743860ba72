"""What will not run on the GPUs at hand, said before anything starts: each reason with its remedy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.gpu.devices import Driver, Gpu
from harness.gpu.machine_code import MachineCode, text


@dataclass(frozen=True)
class Misfit:
    """Why something does not run, and what to do; ``fatal``: nothing on that GPU does, else it is slow, or only some.

    ``of_library``: another MXNet might run there.
    """

    why: str
    remedy: str
    fatal: bool = True
    of_library: bool = False

    def __str__(self) -> str:
        return f"{self.why}; {self.remedy}"


Version = tuple[int, int]
_COMPATIBLE = (450, 80, 2)
"""The first driver that serves newer minor versions of CUDA 11 than its own ("CUDA Compatibility", minor versions)."""


def misfits(
    driver: Driver,
    wanted: Sequence[int],
    code: MachineCode | None = None,
    cuda: Version | None = None,
    compiler: Version | None = None,
) -> Iterator[Misfit]:
    """Of GPUs by number with a library's machine code, and the CUDA runtime that it is used with, where known.

    ``compiler``: the version of NVRTC, which makes PTX of operators that MXNet fuses while it runs.
    """
    if driver.missing:
        yield Misfit(
            f"no GPU can be used: NVML says «{driver.missing}»",
            "run it where there is an NVIDIA GPU and its driver (in a container with "
            "NVIDIA_DRIVER_CAPABILITIES=compute,utility), or use cpu(0)",
        )
        return
    if cuda is not None and driver.cuda is not None and not _serves(driver, driver.cuda, cuda):
        yield Misfit(
            f"driver {driver.version} serves CUDA up to {text(driver.cuda)}, and the target has {text(cuda)}",
            "install a newer driver",
            of_library=True,
        )
    elif compiler is not None and driver.cuda is not None and driver.cuda < compiler:
        yield Misfit(
            f"driver {driver.version} serves CUDA up to {text(driver.cuda)}, and takes no PTX that the target's NVRTC "
            f"{text(compiler)} makes of operators which MXNet fuses",
            "set MXNET_USE_FUSION=0, or install a newer driver",
            fatal=False,
            of_library=True,
        )
    there = {gpu.index: gpu for gpu in driver.gpus}
    for number in wanted:
        if number not in there:
            named = ", ".join(f"gpu({index})" for index in there) or "none"
            yield Misfit(f"there is no gpu({number}); there are: {named}", "give contexts that are there")
        elif there[number].missing:
            yield Misfit(
                f"gpu({number}) cannot be asked: NVML says «{there[number].missing}»", "use another, or reset it"
            )
        elif code is not None:
            yield from _of_code(there[number], code)
    yield from _of_pairs(driver, wanted)


def _serves(driver: Driver, newest: Version, cuda: Version) -> bool:
    """Newer minor versions are served from CUDA 11 on, and not by the first drivers for it."""
    if cuda <= newest:
        return True
    numbers = tuple(int(part) for part in (driver.version or "").split(".") if part.isdecimal())
    return newest[0] == cuda[0] >= 11 and numbers >= _COMPATIBLE


def _of_code(gpu: Gpu, code: MachineCode) -> Iterator[Misfit]:
    if gpu.capability is not None and not code.runs_on(gpu.capability):
        yield Misfit(
            f"gpu({gpu.index}) is {gpu.name}, compute capability {text(gpu.capability)}, and the library has machine "
            f"code for {code.words}: every kernel would fail with «no kernel image is available»",
            "use a GPU of those, or an MXNet that is built for this one: --python PATH",
            of_library=True,
        )


def _of_pairs(driver: Driver, wanted: Sequence[int]) -> Iterator[Misfit]:
    for pair in driver.pairs:
        if pair.reach is False and {pair.first, pair.second} <= {*wanted}:
            yield Misfit(
                f"gpu({pair.first}) and gpu({pair.second}) do not reach each other's memory ({pair.near}): what they "
                "exchange goes through the host",
                "expect less of several GPUs, or allow peer access (virtual machines often forbid it)",
                fatal=False,
            )
