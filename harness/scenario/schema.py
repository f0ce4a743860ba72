"""The schema of a scenario (pydantic). What one field can tell is checked here; what needs several, in `rules`."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from harness import checks, faults, shapes, topologies
from harness.base.printable import printable
from harness.base.strict import Flag, Strict
from harness.base.units import Duration
from harness.scenario import models
from harness.scenario.model_facts import ORACLE, ModelFacts

SEEDS = 2**31
_IMAGES = ("digits", "synthetic")
DATASETS = {"image": _IMAGES, "flat": _IMAGES, "sequence": _IMAGES, "tokens": ("text",), "ids": ("clicks",)}
"""What models of each input can read; the first, unless the scenario says."""
PositiveInt = Annotated[int, Field(ge=1, le=10_000_000, strict=True)]
CountInt = Annotated[int, Field(ge=0, le=10_000_000, strict=True)]
Repeats = Annotated[int, Field(ge=1, le=1000, strict=True)]
Positive = Annotated[float, Field(gt=0, strict=True)]
NotNegative = Annotated[float, Field(ge=0, strict=True)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,40}$")]
Shapes = shapes.annotation()
FaultEntry: Any = faults.entry_model()
Topology: Any = topologies.topology_model()
Expect: Any = checks.expect_model()


class Target(Strict):
    """The software under test: an MXNet version that the harness installs, or an interpreter that has one."""

    mxnet: str | None = Field(default=None, pattern=r"^\d+(\.\d+)+(\.?(post|b|rc)\d+)?$", examples=["1.9.1"])
    horovod: str | None = Field(default=None, pattern=r"^\d+(\.\d+)+$", description="built for this MXNet on first use")
    numpy: str | None = Field(
        default=None, pattern=r"^\d+(\.\d+)+$", description="default: the newest that MXNet imports with"
    )
    cuda: Literal["11"] | None = Field(
        default=None, description="MXNet for GPUs (mxnet-cu112) with CUDA's libraries from wheels, 4 GB"
    )
    nccl: str | None = Field(default=None, pattern=r"^2(\.\d+)+$", description="with cuda; default: 2.21.5")
    cudnn: str | None = Field(default=None, pattern=r"^8(\.\d+)+$", description="with cuda; default: 8.9.6.50")
    python: str | None = Field(default=None, description="an interpreter on disk; nothing is installed into it")
    env: dict[Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")], str] = Field(
        default={}, description="environment variables of every process"
    )

    def __str__(self) -> str:
        versions = {
            "mxnet": self.mxnet,
            "cuda": self.cuda,
            "nccl": self.nccl,
            "cudnn": self.cudnn,
            "horovod": self.horovod,
            "numpy": self.numpy,
        }
        return self.python or ", ".join(f"{name} {version}" for name, version in versions.items() if version)

    @field_validator("cuda", mode="before")
    @classmethod
    def _version(cls, value: Any) -> Any:
        """``11`` is a number to YAML."""
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @field_validator("nccl", "cudnn", "numpy", mode="before")
    @classmethod
    def _written_out(cls, value: Any, info: ValidationInfo) -> Any:
        """YAML takes 2.20 for 2.2."""
        if isinstance(value, int | float):
            example = {"nccl": "2.20.5", "cudnn": "8.9.6.50"}.get(info.field_name or "", "1.23.2")
            raise ValueError(f'{value} is a number; give the whole version in quotes, as "{example}"')
        return value

    @field_validator("env", mode="before")
    @classmethod
    def _text(cls, value: Any) -> Any:
        """Numbers and booleans are meant as MXNet reads them."""
        if not isinstance(value, dict):
            return value
        return {key: _environment_text(item) for key, item in value.items()}

    @field_validator("env")
    @classmethod
    def _allowed(cls, value: dict[str, str]) -> dict[str, str]:
        """What the topology decides is not for the scenario, and the kernel ends a value at a NUL."""
        for name, text in value.items():
            if name.startswith(("DMLC_", "HARNESS_")):
                raise ValueError(f"{name} is set by the harness; use topology")
            if "\0" in text:
                raise ValueError(f"{name} holds a NUL character")
        return value


def _environment_text(value: Any) -> Any:
    if isinstance(value, bool):
        return str(int(value))
    return str(value) if isinstance(value, int | float) else value


class Hybridize(Strict):
    """Flags of ``HybridBlock.hybridize``."""

    static_alloc: Flag = True
    static_shape: Flag = True

    @model_validator(mode="after")
    def _possible(self) -> Hybridize:
        if self.static_shape and not self.static_alloc:
            raise ValueError("static_shape needs static_alloc (src/imperative/cached_op.cc); set it to false as well")
        return self


def _is_argument(value: Any) -> Any:
    parts = value if isinstance(value, list) else [value]
    if not all(isinstance(part, bool | int | float | str) and math.isfinite(_number(part)) for part in parts):
        raise ValueError("is no argument; allowed are numbers, true, false, words, and lists of these")
    return value


def _number(value: Any) -> float:
    return 0.0 if isinstance(value, str) else float(value)


Argument = Annotated[Any, BeforeValidator(_is_argument)]


class WithArguments(Strict):
    """A name, and arguments beside it, which the target's own signatures know (`harness/targets/signatures.py`)."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Argument]

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,40}$")]

    @property
    def arguments(self) -> dict[str, Any]:
        """All that is given, beside the name."""
        fields = {name: getattr(self, name) for name in type(self).model_fields if name not in ("name", "schedule")}
        return {name: value for name, value in {**fields, **self.__pydantic_extra__}.items() if value is not None}


class Schedule(WithArguments):
    """A schedule of ``mx.lr_scheduler``: factor, multifactor, poly or cosine, from ``learning_rate`` on."""


class Optimizer(WithArguments):
    """Name and arguments of any of MXNet's optimizers; what is left out is MXNet's default."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,40}$")] = "sgd"
    learning_rate: Positive = 0.01
    momentum: NotNegative | None = None
    wd: NotNegative | None = None
    lazy_update: Flag | None = None
    schedule: Schedule | None = None

    @property
    def is_particular(self) -> bool:
        """Whether there is anything that not every target has, or that may be misspelt."""
        return self.name not in ("sgd", "adam") or bool(self.__pydantic_extra__) or self.schedule is not None


Operators = list[Annotated[str, Field(min_length=1)]]


class Amp(Strict):
    """Automatic mixed precision, as `mx.contrib.amp.init` switches it on; float16 needs a GPU."""

    dtype: Literal["bfloat16", "float16"]
    loss_scaling: Flag | Positive = Field(
        default=False,
        description="amp.scale_loss, by MXNet's own changing scale, or by a number that stays; "
        "the Trainer then skips updates of gradients that are not finite",
    )
    target_precision_ops: Operators | None = Field(default=None, description="run in dtype, in place of MXNet's list")
    fp32_ops: Operators | None = Field(default=None, description="run in float32, in place of MXNet's list")
    conditional_fp32_ops: list[tuple[str, str, list[str]]] | None = Field(
        default=None,
        description="operator, its argument, and the values that make it run in float32, in place of MXNet's list",
    )

    @property
    def replaced(self) -> list[str]:
        """Names of the lists of MXNet's that are not in force."""
        lists = ("target_precision_ops", "fp32_ops", "conditional_fp32_ops")
        return [name for name in lists if getattr(self, name) is not None]


class Input(Strict):
    """MXNet's own way to batches, in place of arrays that are there: sample by sample, as a training's data comes."""

    by: Literal["ndarray_iter", "data_loader", "record_iter"] = Field(
        description="mx.io.NDArrayIter, gluon.data.DataLoader, or mx.io.ImageRecordIter over PNGs in a RecordIO file"
    )
    workers: Annotated[int, Field(ge=0, le=64, strict=True)] = Field(
        default=0, description="processes of a DataLoader (0: none), threads that decode of an ImageRecordIter"
    )
    threads: Flag = Field(default=False, description="a DataLoader's workers are threads (its thread_pool)")
    pin_memory: Flag = Field(default=False, description="a DataLoader's batches lie in pinned memory; for GPUs")
    prefetch: Annotated[int, Field(ge=1, le=1024, strict=True)] | None = Field(
        default=None, description="batches that a DataLoader's workers, or an ImageRecordIter, have ready"
    )
    preprocessing: Literal["none", "online", "offline"] = Field(
        default="none", description="shift, mirror and scale samples: anew whenever one is taken, or once beforehand"
    )


def _amp(value: Any) -> Any:
    return {"dtype": value} if isinstance(value, str) else value


_AMP_DTYPE: dict[str, Any] = {"enum": ["bfloat16", "float16"]}
_AMP_OPS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
_AMP_MAP = {
    "type": "object",
    "properties": {
        "dtype": _AMP_DTYPE,
        "loss_scaling": {"type": ["boolean", "number"]},
        "target_precision_ops": _AMP_OPS,
        "fp32_ops": _AMP_OPS,
        "conditional_fp32_ops": {"type": "array", "items": {"type": "array"}},
    },
    "required": ["dtype"],
    "additionalProperties": False,
}
_AMP_SCHEMA = {"anyOf": [_AMP_DTYPE, _AMP_MAP, {"type": "null"}]}


class Checkpoint(Strict):
    """Checkpoints that worker 0 writes: parameters, what the optimizer holds, the step and the random state.

    A script writes its own; ``files`` says which they are.
    """

    every: PositiveInt | None = Field(default=None, description="steps")
    keep: PositiveInt = Field(default=2, description="how many; older ones are deleted")
    files: str | None = Field(
        default=None,
        min_length=1,
        description="of a script: a pattern of the files, as in out/*.params, from the folder that it runs in",
    )


def _text_of(value: Any) -> Any:
    """Numbers and booleans in a list of arguments are meant as a shell passes them."""
    if not isinstance(value, list):
        return value
    return [str(item) if isinstance(item, int | float) and not isinstance(item, bool) else item for item in value]


class Workload(Strict):
    """What is trained, on what, for how long."""

    training: Literal["gluon", "oracle"] = Field(
        default="gluon",
        description="what a step computes: the model's gradients, or known ones by which every update can be counted",
    )
    model: str | None = Field(
        default=None,
        description="one of the harness's own models, a gluon.model_zoo.vision name, or ./file.py:function, which "
        "builds a network of your own; none for the oracle",
    )
    model_args: dict[str, StrictBool | StrictInt | StrictFloat | StrictStr] = Field(
        default={},
        description="what the function that builds the model is given by name, as in {layers: 6, units: 256}",
    )
    script: str | None = Field(
        default=None,
        min_length=1,
        description="a training script of your own, run as it is in every role; relative to this file",
        examples=["./train.py"],
    )
    args: Annotated[list[str], BeforeValidator(_text_of)] = Field(default=[], description="the script's arguments")
    folder: str | None = Field(
        default=None,
        min_length=1,
        description="the folder that the script runs in, relative to this file (default: the script's own)",
    )
    scratch: Flag = Field(
        default=False,
        description="what a script writes to its folder goes to a layer of each host, or of each process without a "
        "network, as on machines of their own; afterwards it is in the run's folder, below written",
    )
    dataset: Literal["digits", "synthetic", "text", "clicks"] | None = Field(
        default=None,
        description="digits are handwritten, the others are drawn from the seed by a teacher, so that there is "
        "something to learn: images, tokens, ids of clicks (default: what the model takes, digits before images)",
    )
    samples: Annotated[int, Field(ge=1, le=1_000_000, strict=True)] = Field(
        default=512, description="how many there are of what is drawn; digits are 1,797"
    )
    input: Input | None = Field(default=None, description="how batches come (default: from arrays in memory)")
    batch_size: Annotated[int, Field(ge=1, le=65536, strict=True)] | Shapes = Field(  # type: ignore[valid-type]
        default=32, description="per worker; or a distribution of it, per step"
    )
    shapes: Shapes | None = Field(  # type: ignore[valid-type]
        default=None, description="side of the image or length of the sequence, per step"
    )
    widths: Shapes | None = Field(  # type: ignore[valid-type]
        default=None, description="widths of the images, per step, drawn by themselves; shapes are their heights then"
    )
    hybridize: Hybridize | Literal[False] = Hybridize()
    optimizer: Optimizer = Optimizer()
    amp: Annotated[
        Amp | None,
        BeforeValidator(_amp),
        WithJsonSchema(_AMP_SCHEMA),
    ] = None
    steps: PositiveInt | None = Field(default=None, description="a script is stopped after so many, or ends itself")
    warmup: CountInt = Field(default=10, description="steps that no measure counts")
    window: PositiveInt = Field(default=10, description="steps between two waits; throughput is measured over windows")
    sync_every: CountInt = Field(default=0, description="wait after every n-th step; 1 gives each step a time")
    phases: Flag = Field(
        default=False,
        description="wait after backward and after the update, so that compute and push/pull have times of their own",
    )
    gradients: Literal["none", "norms"] = Field(
        default="none",
        description="norms: the norm of each gradient in each step, so that the first that is not finite is known",
    )
    digest_every: CountInt = Field(
        default=0, description="hash each parameter after every n-th step, after a wait, to see where two runs part"
    )
    held_back: Annotated[int, Field(ge=0, le=500, strict=True)] = Field(
        default=0, description="samples that are not trained on, so that accuracy on them is measured at the end"
    )
    target_loss: Annotated[float, Field(gt=0, strict=True)] | None = Field(
        default=None,
        description="steps_to_loss counts the steps until the mean loss of a window's length of them is at or below it",
    )
    burden: NotNegative = Field(
        default=0.0,
        description="so much more time in every window, computing for nothing (0.01 is 1 %): a planted regression",
    )
    checkpoint: Checkpoint | None = None
    record_shapes: Flag = Field(default=False, description="note the shape of each batch that a script fetches")
    memory: Literal["live", "resident", "allocations"] = Field(
        default="resident",
        description="live also counts the bytes of MXNet's arrays, which costs about 40 us a step; allocations also "
        "keeps each of them in the run's logs, as `harness pool record` reads them",
    )

    @field_validator("model")
    @classmethod
    def _known(cls, value: str | None) -> str | None:
        if value == "oracle":
            raise ValueError("is a training, not a model; write training: oracle in its place")
        if value is not None and models.facts(value) is None:
            raise ValueError(
                f"is not a model; allowed are {', '.join(models.own())}, names of gluon.model_zoo.vision, and "
                "./file.py:function"
            )
        return value

    @model_validator(mode="after")
    def _has_a_model(self) -> Workload:
        if self.script is not None:
            return self._leaves_it_to_the_script()
        if self.args or self.folder is not None or self.scratch:
            raise ValueError("has args, a folder or scratch for no script; give script: ./train.py")
        if self.checkpoint is not None and (self.checkpoint.every is None or self.checkpoint.files is not None):
            raise ValueError("checkpoint: needs every, as in {every: 50}; files is for scripts")
        if self.steps is None:
            raise ValueError("needs steps, as in steps: 200; only a script may end by itself")
        if self.training == "gluon" and self.model is None:
            raise ValueError("needs a model, as in model: mlp")
        if self.training == "oracle" and self.model is not None:
            raise ValueError("the oracle trains no model; leave model out")
        return self

    def _leaves_it_to_the_script(self) -> Workload:
        if given := sorted(self.model_fields_set & set(OF_OUR_LOOP)):
            raise ValueError(f"{', '.join(given)}: the script decides that; leave it out, or use the script's args")
        if self.checkpoint is not None and (self.checkpoint.files is None or self.checkpoint.every is not None):
            raise ValueError(
                "checkpoint: the script decides when it writes one; say which they are: {files: '*.params'}"
            )
        return self

    @property
    def own_file(self) -> str | None:
        """The path of the user's file that is run, if one is: a script, or one that builds the network."""
        return self.script if self.script is not None else models.file_of(self.model or "")

    @property
    def facts(self) -> ModelFacts:
        """What is known of the model; those of the oracle's input where there is none."""
        known = models.facts(self.model) if self.model is not None else ORACLE
        assert known is not None
        return known


OF_OUR_LOOP = (
    "training",
    "model",
    "model_args",
    "dataset",
    "samples",
    "input",
    "batch_size",
    "shapes",
    "widths",
    "hybridize",
    "optimizer",
    "amp",
    "held_back",
)
"""Fields of the workload that describe the harness's own loop, and no script."""


def _printed(title: str) -> str:
    if printable(title) != title:
        raise ValueError("has a character that cannot be shown; titles are printed on terminals and pages")
    return title


class Scenario(Strict):
    """One question about MXNet, and what is expected."""

    title: Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_printed)] = Field(
        description="the question"
    )
    tags: list[Name] = []
    claims: list[Annotated[str, Field(pattern=r"^[A-Z]\d+$")]] = Field(default=[], description="ids of claims it tests")
    seed: Annotated[int, Field(ge=0, lt=SEEDS, strict=True)] = 0
    repeat: Repeats = Field(default=1, description="how often each arm is run, each time in new processes")
    seeds: Repeats = Field(
        default=1, description="so many seeds in turn, one for each repeat; more than repeat says makes more repeats"
    )
    turns: PositiveInt | None = Field(
        default=None,
        description="variants live at once and take turns of so many steps, so that the machine treats them alike",
    )
    quick_start: Flag = Field(
        default=False,
        description="what Python compiles as MXNet is imported comes from a file, which is sooner; no start_up",
    )
    target: Target = Target()
    workload: Workload
    topology: Topology = Topology()
    faults: list[FaultEntry] = []
    control: Flag = Field(
        default=True,
        description="the same job without its faults is run beside it, to compare with (a script: where a check names "
        "it, or with scratch, so that nothing is written over); false: never",
    )
    variants: dict[Name, dict[str, Any]] = Field(
        default={}, description="names to fields to change, by dotted path; each is run, and the first is the baseline"
    )
    expect: Expect = Expect()
    startup_timeout: Duration = Field(default=60.0, gt=0, description="for all processes to be ready")
    stall_timeout: Duration = Field(default=30.0, gt=0, description="without a step before the job counts as hung")

    @property
    def repeats(self) -> int:
        """How often each arm is run."""
        return max(self.repeat, self.seeds)
