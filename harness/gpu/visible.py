"""Which GPUs a process means by ``gpu(0)``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from harness.gpu.devices import Gpu

VARIABLE, ORDER = "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"
BY_BUS = "PCI_BUS_ID"
"""The order of NVML, too; CUDA's default has the fastest first."""


def numbers(contexts: Iterable[str]) -> list[int]:
    """Those of contexts as ``gpu(1)``, each once."""
    return sorted({int(context[4:-1]) for context in contexts if context.startswith("gpu(")})


def physical(wanted: Iterable[int], env: Mapping[str, str], gpus: Sequence[Gpu]) -> list[int] | None:
    """Their numbers as NVML has them, in an environment; those that it hides are left out.

    None where nobody can say: with parts of a GPU (MIG), or another order of several. As CUDA reads the variable (CUDA
    C++ Programming Guide, "CUDA Environment Variables"): what follows an entry that is no device is not visible.
    """
    if len(gpus) > 1 and env.get(ORDER) != BY_BUS:
        return None
    shown = env.get(VARIABLE)
    if shown is None:
        return list(wanted)
    if "MIG-" in shown or any(gpu.mig for gpu in gpus):
        return None
    seen = _seen(shown, gpus)
    return [seen[number] for number in wanted if number < len(seen)]


def _seen(shown: str, gpus: Sequence[Gpu]) -> list[int]:
    """Numbers of the devices that a variable names, up to the first that is none."""
    seen = list[int]()
    for entry in map(str.strip, shown.split(",")):
        named = [gpu.index for gpu in gpus if entry.startswith("GPU-") and (gpu.uuid or "").startswith(entry)]
        number = int(entry) if entry.isdecimal() else named[0] if len(named) == 1 else -1
        if number not in {gpu.index for gpu in gpus} - {*seen}:
            break
        seen.append(number)
    return seen
