"""What the troubleshooting literature on MXNet tells people, and what came of it here.

Scenarios name claims by id (``claims: [K1]``). An answer is one of `ANSWERS`, with the page that has its numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Answer = Literal["holds", "in part", "does not hold", "open"]
ANSWERS = ("holds", "in part", "does not hold", "open")


@dataclass(frozen=True)
class Claim:
    """One of them: what it says, what came of it so far and why, and the page of ``docs/`` with the numbers, if any."""

    id: str
    says: str
    answer: Answer = "open"
    why: str = "nothing asks it yet"
    page: str = ""


_GPU = "needs training on a GPU, which was not at hand"

CLAIMS = {
    claim.id: claim
    for claim in (
        Claim("H1", "A hybridized block can give other results than the same block run step by step."),
        Claim("H2", "An exported model behaves differently where its logic depends on shapes or values."),
        Claim(
            "H3",
            "A hybridized block with dynamic control flow falls back to imperative execution (`_imperative` nodes).",
            "does not hold",
            "MXNet's source has no such nodes: logic is frozen into the graph, or raises",
        ),
        Claim(
            "H4",
            "`static_alloc` and `static_shape` save recompilation and allocation.",
            "in part",
            "3 to 4 % faster than a plain graph for fixed sizes; for others `static_alloc` alone is, by 1 to 4 %; more "
            "memory is held",
            "configuration.md",
        ),
        Claim("H5", "Drawing the graph shows redundant nodes."),
        Claim("H6", "Export to ONNX and import need a test for each operator."),
        Claim(
            "M1",
            "Variable shapes fragment memory.",
            "holds",
            "in MXNet's pools on GPUs, replayed and simulated; on processors nothing is pooled",
            "gpu.md",
        ),
        Claim(
            "M2",
            "A large allocation fails late in training though memory is free.",
            "does not hold",
            "in MXNet's pools: what waits there fails no array, and an H100's memory did not fragment",
            "gpu.md",
        ),
        Claim(
            "M3",
            "The pool type Round, and its linear cutoff, reduce fragmentation.",
            "in part",
            "less is held of one trace of three, more of two; more memory is needed to last, of all of them",
            "gpu.md",
        ),
        Claim(
            "M4",
            "`del` and `waitall` between the stages of a pipeline free memory.",
            "in part",
            "on processors: MXNet's arrays are gone, but the process keeps their memory",
            "own-training.md",
        ),
        Claim(
            "M5",
            "Preprocessing in a process of its own reduces fragmentation.",
            "holds",
            "on processors: the one that trains then holds a fifth, and hardly anything beyond its arrays",
            "own-training.md",
        ),
        Claim("M6", "Outputs that are kept alive leak graphs until memory runs out."),
        Claim(
            "M7",
            "Smaller batches or mixed precision cure running out of memory.",
            "open",
            "a memory limit can be set, and ends training in words; smaller batches were not asked",
            "faults.md",
        ),
        Claim("M8", "`gpu_memory_info` shows it.", "open", _GPU, "gpu.md"),
        Claim(
            "K1",
            "One slow worker holds up the faster ones in `dist_sync`.",
            "holds",
            "by its own factor, and with Horovod alike",
            "faults.md",
        ),
        Claim(
            "K2",
            "Times of pushes and pulls show who is slow.",
            "holds",
            "a worker at a quarter of its speed is last in 98 % of the steps",
            "topologies.md",
        ),
        Claim(
            "K3",
            "Uneven batches or shards waste workers; balancing lifts their use from some 60 % to over 90 %.",
            "in part",
            "the direction holds; with two workers on two cores it is 29 and 84 % uneven, 73 and 76 % even",
            "faults.md",
        ),
        Claim(
            "K4",
            "`dist_async` is faster, and may harm convergence.",
            "in part",
            "with a straggler it keeps more throughput, not goodput; of healthy jobs neither gain nor harm was told",
            "faults.md",
        ),
        Claim(
            "K5",
            "Compression and `dist_async` save 30 to 50 % of synchronisation on slow networks.",
            "in part",
            "2bit compression up to 200 Mbit/s; `dist_async` at most 8 %; Horovod saves more up to 1 Gbit/s",
            "topologies.md",
        ),
        Claim(
            "K6",
            "More data partitions (`--num-data-partitions`) make each push smaller.",
            "does not hold",
            "that option exists nowhere; servers and MXNET_KVSTORE_BIGARRAY_BOUND do it",
            "topologies.md",
        ),
        Claim(
            "K7",
            "MXNET_KVSTORE_BIGARRAY_BOUND=10000000 improves aggregation.",
            "does not hold",
            "it keeps a large array on one server, and takes back all that two servers gain",
            "topologies.md",
        ),
        Claim("K8", "`kvstore=nccl` is the choice for several GPUs.", "open", _GPU, "gpu.md"),
        Claim(
            "K9",
            "Weights of nodes part without an error.",
            "holds",
            "with `update_on_kvstore=False`; a NaN or a flipped bit spreads to all workers instead, which then agree",
            "topologies.md",
        ),
        Claim(
            "K10",
            "`lazy_update=False` keeps updates consistent.",
            "in part",
            "for row_sparse gradients; dense ones ignore it, bit by bit",
            "configuration.md",
        ),
        Claim(
            "K11",
            "Spot instances need a kvstore that survives failures.",
            "holds",
            "a worker that is gone stops `dist_sync` for ever, and one that comes back does not get in",
            "faults.md",
        ),
        Claim(
            "K12",
            "Hangs come from bad initialisation, NCCL's versions or wrong contexts.",
            "in part",
            "missing roles, wrong ports or counts are waited for for ever; two versions of NCCL have met no GPU yet",
            "faults.md",
        ),
        Claim(
            "K13",
            "Test on one machine before scaling out.",
            "holds",
            "hosts of a pocket cluster train to the weights of loopback, bit by bit",
            "topologies.md",
        ),
        Claim("K14", "The topology between GPUs matters.", "open", _GPU, "gpu.md"),
        Claim(
            "A1",
            "AMP saves memory and raises throughput.",
            "in part",
            "bfloat16: 40 % less live memory; on an AMD EPYC 1 to 8 % faster, on an Intel Xeon 6 to 12 % slower",
            "configuration.md",
        ),
        Claim(
            "A2",
            "Contrib layers break under AMP.",
            "in part",
            "HybridConcurrent with an Identity crashes under bfloat16; an overflow ends workers of `dist_sync`",
            "faults.md",
        ),
        Claim("A3", "Switching AMP on block by block finds the one that breaks."),
        Claim("P1", "Profiler output shows waits and long allocations."),
        Claim(
            "P2",
            "NaiveEngine and verbose logs help to debug.",
            "in part",
            "NaiveEngine costs 4 to 21 % and computes the same; whether logs help was not asked",
            "configuration.md",
        ),
        Claim(
            "P3",
            "Without `waitall`, errors hide and times lie.",
            "open",
            "only that an exception in the script of one worker hangs the others",
            "faults.md",
        ),
        Claim("P4", "Arrays on different contexts make launches fail."),
        Claim(
            "P5",
            "`pin_memory` and more workers of a loader hide the time of input.",
            "open",
            "loaders and their waits can be measured; the claim was not answered, and pinning needs a GPU",
        ),
        Claim(
            "P6",
            "MXNET_SUBGRAPH_BACKEND=ONEDNN makes inference faster.",
            "open",
            "asked for training, which uses no backend: the same numbers and speed, no error for the misspelt one",
            "configuration.md",
        ),
        Claim("P7", "Preprocessing offline makes steps shorter.", "open", "both can be run; not answered with numbers"),
        Claim(
            "P8",
            "Model parallelism is for very large models.",
            "holds",
            "the network is stored once, though not evenly; on shared cores it is not slower",
            "topologies.md",
        ),
        Claim(
            "P9",
            "Checkpoints and exports save the state.",
            "holds",
            "for checkpoints: after kills only the steps since are lost; exports were not asked",
            "faults.md",
        ),
        Claim(
            "E1",
            "Variables that people copy may do nothing in their version.",
            "holds",
            "some do nothing; names that no library of the target reads are told before a run",
            "configuration.md",
        ),
        Claim(
            "E2",
            "A wheel may not run on the GPU at hand.",
            "holds",
            "mxnet-cu112 has code up to 8.6 and no PTX: on an H200 it failed as foretold from the file",
            "gpu.md",
        ),
    )
}
