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

    None where nobody can say: with a GPU that is split (MIG) and no slice named, or another order of several. As CUDA
    reads the variable (CUDA C++ Programming Guide, "CUDA Environment Variables"): what follows an entry that is no
    device is not visible. A process sees one slice, as gpu(0) (MIG User Guide, "CUDA Device Enumeration").
    """
    if len(gpus) > 1 and env.get(ORDER) != BY_BUS:
        return None
    shown = env.get(VARIABLE)
    if split(env, gpus) is not None:
        return None
    if shown is None:
        return list(wanted)
    seen = _of_slice(shown, gpus) if _names_a_slice(shown) else _seen(shown, gpus)
    return [seen[number] for number in wanted if number < len(seen)]


def split(env: Mapping[str, str], gpus: Sequence[Gpu]) -> Gpu | None:
    """A GPU that a process sees and that is split, where its environment does not name the slice that it gets."""
    shown = env.get(VARIABLE)
    if shown is not None and _names_a_slice(shown):
        return None
    seen = [gpu.index for gpu in gpus] if shown is None else _seen(shown, gpus)
    return next((gpu for gpu in gpus if gpu.mig and gpu.index in seen), None)


def _names_a_slice(shown: str) -> bool:
    return shown.strip().startswith("MIG-")


def _of_slice(shown: str, gpus: Sequence[Gpu]) -> list[int]:
    """The GPU of the first slice that is named, the only one that a process sees; none where there is no such."""
    name = shown.split(",")[0].strip()
    return [gpu.index for gpu in gpus if any(known.startswith(name) for known in gpu.slices)][:1]


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
