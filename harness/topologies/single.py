"""One worker by itself; several contexts share gradients through a kvstore inside the process, or share the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from harness.topologies import Endpoint, Role, Topology, TopologySpec, given
from harness.vocabulary.job_bounds import Refusal


class Single(Topology):
    """One worker by itself, with one context or several."""

    name: ClassVar[str] = "single"

    @classmethod
    def serves(cls, spec: TopologySpec) -> bool:
        return not spec.kvstore.startswith("dist")

    @staticmethod
    def names(spec: TopologySpec) -> tuple[str, ...]:
        return ("worker/0",)

    @staticmethod
    def roles(spec: TopologySpec, endpoint: Callable[[str], Endpoint]) -> tuple[Role, ...]:
        return (Role(name="worker/0"),)

    @staticmethod
    def refusals(spec: TopologySpec) -> Iterator[Refusal]:
        if spec.workers > 1:
            yield (
                ("workers",),
                f"{spec.workers} workers need dist_sync, dist_async or dist_device_sync, or horovod",
            )
        for field in given(spec, "servers", "van", "own_gpus"):
            yield (field,), f"does nothing with kvstore {spec.kvstore}, which is inside one process; leave it out"
        if spec.parallelism == "model":
            yield from _model_parallel(spec)
        elif spec.kvstore == "none":
            yield from _without_kvstore(spec)
        else:
            yield from _with_kvstore(spec)


def _model_parallel(spec: TopologySpec) -> Iterator[Refusal]:
    if len(spec.contexts) < 2:
        yield ("contexts",), "parallelism: model needs two contexts or more to lay the network over"
    for field in given(spec, "kvstore", "loop", "update_on_kvstore", "compression", "bigarray_bound"):
        yield (field,), "does nothing with parallelism: model, whose gradients lie on one context each; leave it out"


def _without_kvstore(spec: TopologySpec) -> Iterator[Refusal]:
    if len(spec.contexts) > 1:
        yield (
            ("contexts",),
            "without a kvstore the gradients of several contexts are never summed (python/mxnet/gluon/trainer.py, "
            "_allreduce_grads); give kvstore: local or device",
        )
    for field in given(spec, "loop", "update_on_kvstore", "compression", "bigarray_bound"):
        yield (field,), "does nothing without a kvstore; leave it out"


def _with_kvstore(spec: TopologySpec) -> Iterator[Refusal]:
    if len(spec.contexts) < 2 and spec.loop == "trainer":
        yield (
            ("contexts",),
            f"MXNet creates no kvstore {spec.kvstore} for one context (python/mxnet/model.py, _create_kvstore); "
            "give two or more",
        )
    if spec.kvstore == "nccl" and any(not context.startswith("gpu") for context in spec.contexts):
        yield (
            ("kvstore",),
            "nccl sums on GPUs only (src/kvstore/kvstore_nccl.h); give contexts gpu(0), gpu(1)…, or device",
        )
    if spec.compression is not None and spec.kvstore != "device":
        yield (
            ("compression",),
            f"kvstore {spec.kvstore} refuses compression (python/mxnet/kvstore/kvstore.py, set_gradient_compression); "
            "use device",
        )
    if spec.loop == "push_pull" and spec.update_on_kvstore is False:
        yield ("update_on_kvstore",), "push_pull runs the optimizer on the kvstore; leave it out"
