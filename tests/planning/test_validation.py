"""Bad input: one clear error with its place; and all shipped scenarios are good."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.base.errors import ScenarioError
from harness.planning.validation import load
from tests.conftest import ROOT

GOOD = """\
title: a question
seed: 7
workload:
  model: resnet18
  steps: 90
  shapes: {distribution: uniform, min: 6, max: 9}
  amp: bfloat16
topology: {kvstore: dist_sync, workers: 2}
faults:
  - slow: {select: {role: worker, rank: 1}, at: {step: 20}, for: {steps: 20}, factor: 3}
expect:
  throughput: {versus: control, at_least: 30%}
"""


def _error(tmp_path: Path, text: str) -> str:
    path = tmp_path / "s.yaml"
    path.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        load(path)
    return str(caught.value).replace(f"{path}:", "").replace(str(tmp_path), "/nowhere")


def test_a_good_one(tmp_path: Path) -> None:
    path = tmp_path / "good.yaml"
    path.write_text(GOOD)
    loaded = load(path)
    assert (loaded.name, loaded.text) == ("good", GOOD)
    assert loaded.scenario.workload.amp is not None
    assert loaded.scenario.stall_timeout == 30.0


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("steps: 90", "stepz: 60", "5:3: workload.stepz: unknown key; did you mean steps?"),
        ("  steps: 90\n", "", "3:1: workload: needs steps, as in steps: 200; only a script may end by itself"),
        ("title: a question", 'title: "a \\e[31m"', "1:1: title: 'a \\x1b[31m' has a character that cannot be shown"),
        ("seed: 7", "colour: red", "2:1: colour: unknown key; allowed are claims, control, expect, faults"),
        ("steps: 90", "steps: -60", "5:3: workload.steps: -60 is not allowed: 1 or more is needed"),
        ("steps: 90", "steps: many", "5:3: workload.steps: 'many' is not allowed: a whole number is needed"),
        ("steps: 90", "steps: 10", "workload.warmup: 10 steps of warm-up leave nothing of 10 steps"),
        ("resnet18", "resnet19", "4:3: workload.model: 'resnet19' is not a model; allowed are adaptive, contrib, dropout, embedding, factorization, lenet, lstm"),
        ("resnet18", "mlp", "6:3: workload.shapes: mlp takes one size only; use distribution: fixed"),
        ("uniform", "unifrm", "6:3: workload.shapes: 'unifrm' is not known; allowed are 'bimodal', 'choice', 'fixed'"),
        ("min: 6, ", "", "6:3: workload.shapes.min: is missing"),
        ("min: 6", "min: 60", "min 60 is above max 9"),
        ("bfloat16", "float16", "7:3: workload.amp: float16 needs GPUs, and contexts are cpu(0), where MXNet says «FP16 gemm"),
        ("bfloat16", "float64", "7:3: workload.amp: 'float64' is not allowed: bfloat16 or float16 is needed"),
        ("bfloat16", "{dtype: bfloat16, loss_scaling: -2}", "workload.amp.loss_scaling: -2 is not allowed"),
        ("bfloat16", "{dtype: bfloat16, fp32_ops: dot}", "workload.amp.fp32_ops: 'dot' is not allowed: a list is needed, as in [a, b]"),
        ("workers: 2", "workers: 0", "8:32: topology.workers: 0 is not allowed: 1 or more is needed"),
        ("dist_sync, ", "none, ", "8:27: topology.workers: 2 workers need dist_sync, dist_async or dist_device_sync, or horovod"),
        ("rank: 1", "rank: 5", "10:35: faults.0.slow.select.rank: worker 5 does not exist; there are worker/0, worker/1"),
        (", rank: 1", "", "10:12: faults.0.slow.select: say which: rank 0 to 1"),
        ("slow:", "slo:", "10:5: faults.0.slo: unknown key; did you mean slow?"),
        ("step: 20", "step: 90", "10:50: faults.0.slow.at.step: step 90 is after the last step, 89"),
        ("steps: 20", "steps: 71", "71 steps from step 20 go beyond the last step, 89"),
        ("{step: 20}", "{step: -1}", "faults.0.slow.at.step: -1 is not allowed"),
        ("{step: 20}", "{}", "faults.0.slow.at: give one of step, time"),
        ("{steps: 20}", "{time: 3 parsecs}", "'3 parsecs' has the unit 'parsecs'; allowed are us, ms, s, min, h"),
        ("{steps: 20}", "{time: 3}", "3 is not a duration; write a number and a unit"),
        ("factor: 3", "factor: .inf", "faults.0.slow.factor: inf is not allowed"),
        ("30%", "30", "12:33: expect.throughput.at_least: 30 is not a percentage"),
        ("control", "contral", "12:16: expect.throughput.versus: 'contral' is not run; allowed are control; did you mean control?"),
        ("title: a question", "title: ''", "1:1: title: '' is not allowed: 1 characters or more are needed"),
        ("seed: 7", "target: {mxnet: 1.9}", "2:10: target.mxnet: 1.9 is not allowed: text is needed; put it in quotes"),
        ("seed: 7", "target: {mxnet: 1.9.1, python: x}", "give either mxnet, to install it, or python"),
        ("seed: 7", "variants: {only: {}}", "2:1: variants: one variant has nothing to be compared with"),
        ("seed: 7", "variants: {control: {}, b: {}}", "control is the run without faults; choose another name"),
        ("seed: 7", "- seed: 7", "not YAML"),
        ("seed: 7", "seed: !!bool maybe", "2:7: 'maybe' is not true or false"),
        ("seed: 7", "seed: !!int ''", "2:7: '' is not a number"),
        ("seed: 7", "stall_timeout: 0s", "2:1: stall_timeout: 0.0 is not allowed: more than 0 is needed"),
        ("seed: 7", "target: {env: {DMLC_ROLE: server}}", "DMLC_ROLE is set by the harness; use topology"),
        ("amp: bfloat16", "hybridize: {static_alloc: false}", "7:3: workload.hybridize: static_shape needs static_alloc"),
        ("amp: bfloat16", "hybridize: {static_alloc: maybe}", "7:15: workload.hybridize.static_alloc: 'maybe' is not allowed"),
        ("amp: bfloat16", "optimizer: {learning_rate: true}", "7:15: workload.optimizer.learning_rate: True is not allowed"),
        ("amp: bfloat16", "optimizer: {name: adam, momentum: 0.9}", "7:27: workload.optimizer.momentum: adam has no momentum"),
        ("amp: bfloat16", "optimizer: {name: nag, gamma: {}}", "workload.optimizer.gamma: {} is no argument; allowed are numbers, true"),
        ("amp: bfloat16", "optimizer: {name: nag, gamma: .inf}", "workload.optimizer.gamma: inf is no argument"),
        ("amp: bfloat16", "optimizer: {schedule: {step: 3}}", "workload.optimizer.schedule.name: is missing"),
        ("amp: bfloat16", "warmup: 80", "expect.throughput: throughput needs 6 windows after the warm-up"),
        ("resnet18", "lenet", "6:3: workload.shapes: lenet takes one size only"),
        ("resnet18", "transformer\n  dataset: digits", "5:3: workload.dataset: transformer takes tokens; use text"),
        ("resnet18", "resnet18\n  dataset: clicks", "5:3: workload.dataset: resnet18 takes image; use digits or synthetic"),
        ("amp: bfloat16", "held_back: 100\n  dataset: synthetic\n  samples: 100", "7:3: workload.held_back: 100 of 100 samples leave none"),
        ("resnet18", "resnet18\n  samples: 5", "5:3: workload.samples: there are 1,797 digits, always"),
        ("bfloat16", "{dtype: bfloat16, fp32_ops: [dot], target_precision_ops: [dot]}", "dot is in target_precision_ops and in fp32_ops"),
        ("resnet18", "./net.py:build", "4:3: workload.model: /nowhere/net.py cannot be read: no such file or directory"),
        ("max: 9", "max: 9, buckets: [4, 8]", "6:3: workload.shapes: the largest bucket, 8, is below the largest size, 9"),
        ("uniform, min: 6, max: 9", "trace, file: sizes", "6:3: workload.shapes: /nowhere/sizes cannot be read: no such file"),
        ("at: {step: 20}", "at: {time: 2s}", "faults.0.slow.for.steps: a fault that begins at a time lasts a time"),
        ("at_least: 30%", "at_least: 70%, at_most: 30%", "at_least 70.0% is above at_most 30.0%"),
        ("at_least: 30%}", "at_least: 30%}\n  memory: {beyond_live_at_most: 20%}", "beyond_live_at_most needs workload.memory: live"),
        ("at_least: 30%}", "at_least: 30%}\n  memory: {growth_at_most: 1MB}", "growth_at_most needs 40 windows after the warm-up"),
        ("at_least: 30%}", "at_least: 30%}\n  utilisation: {at_least: 50%}", "utilisation needs workload.phases: true"),
        ("workers: 2}", "workers: 2, compression: 2bit}", "8:44: topology.compression: gluon.Trainer fails with compression"),
        ("workers: 2}", "workers: 2, contexts: [cpu]}", "topology.contexts.0: 'cpu' is not allowed"),
        ("workers: 2}", "workers: 2, bigarray_bound: 9}\ntarget: {env: {MXNET_KVSTORE_BIGARRAY_BOUND: 8}}", "set by the topology"),
        ("seed: 7", "target: {python: x, horovod: 0.28.1}", "target.horovod: python brings its own Horovod"),
        ("seed: 7", 'target: {python: x, numpy: "1.23.2"}', "target.numpy: python brings its own numpy"),
        ("workers: 2}", "workers: 2, network: {hosts: {a: [worker/5]}}}", "topology.network.hosts.a: 'worker/5' is no role"),
        ("workers: 2}", "workers: 2, network: {bandwidth: 200}}", "200 is not a bandwidth; write a number and a unit"),
        ("workers: 2}", "workers: 2, contexts: [cpu(0), cpu(1), cpu(2)]}", "32 samples cannot be split over 3 contexts"),
        ("slow:", "loss: {select: {host: a}, at: {step: 1}, share: 1%}\n  - slow:", "faults.0.loss: loss acts on the link of"),
    ],
)  # fmt: skip
def test_bad_input(tmp_path: Path, before: str, after: str, message: str) -> None:
    assert before in GOOD
    assert message in _error(tmp_path, GOOD.replace(before, after, 1))


@pytest.mark.parametrize("text", ["just words", "3", "- a\n- b\n", "null"])
def test_a_scenario_is_a_map(tmp_path: Path, text: str) -> None:
    assert "is not allowed: a map of fields is needed" in _error(tmp_path, text)


def test_a_job_is_not_compared_with_itself(tmp_path: Path) -> None:
    text = "".join(line for line in GOOD.splitlines(True) if "slow:" not in line and "faults:" not in line)
    assert "10:16: expect.throughput.versus: without faults, control is the same job" in _error(tmp_path, text)


def test_a_mistake_in_a_variant_is_placed_there(tmp_path: Path) -> None:
    text = GOOD.replace("seed: 7", "variants: {a: {}, b: {workload.stepz: 3}}").replace("control", "a")
    assert _error(tmp_path, text) == "2:23: workload.stepz: unknown key; did you mean steps?"


@pytest.mark.parametrize("field", ["startup_timeout", "stall_timeout", "title", "expect.outcome"])
def test_what_is_decided_once_is_not_for_variants(tmp_path: Path, field: str) -> None:
    text = GOOD.replace("seed: 7", f"variants: {{a: {{}}, b: {{{field}: 3s}}}}").replace("control", "a")
    assert f"2:23: {field} is the same for all variants" in _error(tmp_path, text)


def test_a_check_during_faults_needs_them_in_every_arm_that_is_judged(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    text = GOOD.replace("seed: 7", "variants: {healthy: {faults: []}, slowed: {}}")
    path.write_text(text.replace("control", "healthy, during: fault"))
    assert list(load(path).variants) == ["healthy", "slowed"]
    path.write_text(text.replace("control", "slowed, during: fault"))
    with pytest.raises(ScenarioError, match="during: fault needs a fault in every arm that is judged"):
        load(path)


PAUSE = "  - pause: {select: {role: worker, rank: 1}, at: {step: 40}, for: {time: 1s}}\n"
SLOW_TOO = "  - slow: {select: {role: worker, rank: 1}, at: {step: 30}, for: {steps: 9}, factor: 2}\n"


@pytest.mark.parametrize(("more", "fine"), [(PAUSE, True), (PAUSE.replace("40", "39"), True), (SLOW_TOO, False)])
def test_one_process_has_no_fault_twice_at_a_time(tmp_path: Path, more: str, fine: bool) -> None:
    text = GOOD.replace("expect:", more + "expect:")
    if fine:
        (tmp_path / "s.yaml").write_text(text)
        assert len(load(tmp_path / "s.yaml").scenario.faults) == 2
    else:
        assert "11:5: faults.1: slow of worker/1: it is in force there already at that time" in _error(tmp_path, text)


def test_many_mistakes_are_told_quickly_and_all(tmp_path: Path) -> None:
    assert _error(tmp_path, GOOD + "".join(f"key{i}: 1\n" for i in range(500))).count("unknown key") == 500


def test_variants_get_their_fields(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    text = GOOD.replace("seed: 7", "variants: {a: {}, b: {workload.batch_size: 4}}").replace("control", "a")
    path.write_text(text)
    assert {name: variant.workload.batch_size for name, variant in load(path).variants.items()} == {"a": 32, "b": 4}


def test_a_field_set_on_the_command_line_is_checked_like_the_others(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(GOOD)
    with pytest.raises(
        ScenarioError, match=r"--set workload\.stepz=3: workload\.stepz: unknown key; did you mean steps\?"
    ):
        load(path, [("workload.stepz", 3)])
    assert load(path, [("workload.steps", 70)]).scenario.workload.steps == 70


SHIPPED = sorted((ROOT / "scenarios").rglob("*.yaml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_scenarios_are_good_and_ask_a_question(path: Path) -> None:
    assert load(path).scenario.title.endswith("?")
    assert path.read_text().startswith("# yaml-language-server: $schema=../schema.json\n")


FAULTS = """\
title: q
workload: {model: mlp, steps: 90}
topology: {kvstore: dist_sync, workers: 2, network: {}}
faults:
  - FAULT
"""


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (
            "nan: {select: {role: server}, at: {step: 1}}",
            "5:5: faults.0.nan: nan is committed by a worker, not by the server",
        ),
        ("nan: {select: {mode: all}, at: {step: 1}}", "nan is committed by a worker, not by scheduler, server/0"),
        ("nan: {select: {role: worker, rank: 1}, at: {time: 0s}}", "nan is committed at a step"),
        ("kill: {select: {role: worker}, at: {step: 1}}", "say which: rank 0 to 1, or mode: one or all"),
        ("kill: {select: {role: server}, at: {event: done}}", "only workers are done; give of: worker/0"),
        ("kill: {select: {role: server}, at: {event: resumed, of: worker/0}}", "nothing is resumed without workload"),
        ("loss: {select: {role: server}, at: {event: done}, share: 1%}", "a link has no events; say whose"),
        (
            "loss: {select: {role: server}, at: {step: 1}, share: 1%, peer: moon}",
            "there is no 'moon'; there are scheduler",
        ),
        (
            "disk_full: {select: {role: worker, rank: 0}, at: {step: 1}}",
            "acts on checkpoints; give workload.checkpoint",
        ),
        ("stale: {select: {role: worker, rank: 0}, at: {step: 0}}", "before step 0 there is no gradient"),
        ("wrong_start: {select: {role: server}, port: 9000}", "9000 is the right one in a pocket cluster"),
        (
            "shape_shift: {select: {role: worker, rank: 0}, at: {step: 1}, shapes: {distribution: fixed, value: 9}}",
            "one size",
        ),
        (
            "pause: {select: {role: worker, mode: all}, every: {steps: 95}, for: {time: 1s}}",
            "95 steps are more than there",
        ),
        ("late_start: {select: {role: server}, at: {step: 1}}", "late_start acts when its process starts"),
        ("late_start: {select: {role: server}, by: 90s}", "90 s is beyond startup_timeout, 60 s"),
        (
            "kill: {select: {role: server}, at: {event: exited, of: worker/0}}\n"
            "  - late_start: {select: {role: worker, rank: 0}}",
            "worker/0 is never started",
        ),
        (
            "kill: {select: {role: server}, at: {event: done, of: worker/0}}\n"
            "  - kill: {select: {role: worker, rank: 0}, at: {step: 20}}",
            "worker/0 is killed before it is done",
        ),
        ("kill: {select: {role: worker, rank: 0}, at: {event: exited}}", "worker/0 is gone by then"),
    ],
)
def test_a_fault_that_cannot_act_is_refused_with_the_reason(tmp_path: Path, fault: str, message: str) -> None:
    assert message in _error(tmp_path, FAULTS.replace("FAULT", fault))


def test_nobody_can_have_a_fault_after_its_death(tmp_path: Path) -> None:
    kill = "kill: {select: {role: worker, rank: 1}, at: {step: 20}}\n  - pause: {select: {role: worker, rank: 1}, "
    text = FAULTS.replace("FAULT", kill + "at: {step: 30}, for: {time: 1s}}")
    assert "6:5: faults.1: pause of worker/1: its process is dead by then (kill at step 20)" in _error(tmp_path, text)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("nccl: 2.20", 'target.nccl: 2.2 is a number; give the whole version in quotes, as "2.20.5"'),
        ("numpy: 1.23", 'target.numpy: 1.23 is a number; give the whole version in quotes, as "1.23.2"'),
        ('nccl: "2.20"', "target.nccl: there is no nvidia-nccl-cu11 2.20; there are 2.21.5, 2.20.5, "),
        ('cudnn: "8.9.6"', "target.cudnn: there is no nvidia-cudnn-cu11 8.9.6; there are 8.9.6.50, "),
    ],
)
def test_libraries_that_there_are_not(tmp_path: Path, target: str, message: str) -> None:
    text = f"title: q\ntarget: {{mxnet: 1.9.1, cuda: 11, {target}}}\nworkload: {{model: mlp, steps: 90}}\n"
    assert message in _error(tmp_path, text)


def test_a_kill_before_which_a_fault_has_no_step_left(tmp_path: Path) -> None:
    worker = "select: {role: worker, rank: 1}, at: {step: 10}"
    text = FAULTS.replace("FAULT", f"nan: {{{worker}}}\n  - kill: {{{worker}}}")
    expected = "kill of worker/1: nan, before it in the list, finds its process dead then, at step 10"
    assert expected in _error(tmp_path, text)


def test_the_oracle_knows_plain_sgd_only(tmp_path: Path) -> None:
    text = "title: q\nworkload: {training: oracle, steps: 90, optimizer: {name: adam}}\nexpect: {updates: exact}\n"
    assert "the oracle knows the weights of plain sgd only" in _error(tmp_path, text)


SCRIPT = """\
title: a question
workload:
  script: ./train.py
  args: [--epochs, 1]
  steps: 90
topology: {kvstore: dist_sync, workers: 2}
faults:
  - slow: {select: {role: worker, rank: 1}, at: {step: 20}, for: {steps: 20}, factor: 3}
"""


def test_a_script_is_named_by_where_the_file_lies(tmp_path: Path) -> None:
    (tmp_path / "train.py").touch()
    (tmp_path / "s.yaml").write_text(SCRIPT)
    workload = load(tmp_path / "s.yaml").scenario.workload
    assert (workload.script, workload.args) == (f"{tmp_path}/train.py", ["--epochs", "1"])


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("train.py", "other.py", "3:3: workload.script: /nowhere/other.py is not a file"),
        (
            "[--epochs, 1]",
            "[--epochs, {}]",
            "4:20: workload.args.1: {} is not allowed: text is needed; put it in quotes",
        ),
        ("  steps: 90\n", "", "2:1: workload: faults need to know of the steps; give steps, after which the script is"),
        ("steps: 90", "batch_size: 8", "5:3: workload.batch_size: the script decides that; leave it out, or use the"),
        (
            "  script: ./train.py\n",
            "",
            "2:1: workload: {'args': ['--epochs', 1], 'steps': 90} has args, a folder or scratch for no",
        ),
        ("steps: 90", "folder: ./no", "5:3: workload.folder: /nowhere/no is not a folder"),
        (
            "steps: 90",
            "steps: 90\n  checkpoint: {every: 5}",
            "the script decides when it writes one; say which they are",
        ),
        (
            "slow: {select: {role: worker, rank: 1}, at: {step: 20}, for: {steps: 20}, factor: 3}",
            "disk_full: {select: {role: worker, rank: 1}, at: {step: 20}}",
            "8:5: faults.0.disk_full: disk_full fills a disk of the script's own; give workload.scratch: true",
        ),
        ("workers: 2", "workers: 2, loop: push_pull", "topology.loop: the script decides that; leave it out"),
    ],
)
def test_bad_scripts(tmp_path: Path, before: str, after: str, message: str) -> None:
    (tmp_path / "train.py").touch()
    assert message in _error(tmp_path, SCRIPT.replace(before, after))


@pytest.mark.parametrize(
    ("model", "arguments", "message"),
    [
        (
            "transformer",
            "{depth: 3}",
            "2:47: workload.model_args.depth: is no argument of transformer; allowed are heads",
        ),
        ("resnet50_v1", "{depth: 3}", "workload.model_args.depth: is no argument of resnet50_v1; it has none"),
        ("transformer", "{layers: [3]}", "workload.model_args.layers: [3] is not allowed"),
        ("./net.py:build", "{width: 3}", "workload.model: /nowhere/net.py: build asks for units; give that in"),
        ("./net.py:build", "{units: 3, width: 3}", "is no argument of /nowhere/net.py:build; allowed are units"),
        ("transformer", "{layers: 3, units: 96}", ""),
        ("./net.py:build", "{units: 3}", ""),
    ],
)
def test_arguments_of_models(tmp_path: Path, model: str, arguments: str, message: str) -> None:
    (tmp_path / "net.py").write_text("def build(units, classes): ...\n")
    text = f"title: q\nworkload: {{model: '{model}', model_args: {arguments}, steps: 90}}\n"
    if message:
        assert message in _error(tmp_path, text)
    else:
        (tmp_path / "s.yaml").write_text(text)
        assert load(tmp_path / "s.yaml").scenario.workload.model_args["units"] in (3, 96)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("batch_size: 0", "batch_size: 0 is not allowed: 1 or more is needed"),
        ("batch_size: many", "batch_size: 'many' is not allowed: a whole number is needed"),
        ("shapes: {distribution: choice, values: []}", "shapes.values: [] is not allowed: 1 or more are needed"),
        ("optimizer: {learning_rate: .nan}", "learning_rate: nan is not allowed: a finite number is needed"),
        (
            "shapes: {distribution: fixed, value: 9, sigma: 1}",
            "shapes.sigma: unknown key, which belongs to another kind",
        ),
    ],
)
def test_one_mistake_is_told_once(tmp_path: Path, field: str, message: str) -> None:
    told = _error(tmp_path, f"title: q\nworkload: {{model: lenet, steps: 90, {field}}}\n")
    assert told.endswith(message)
    assert "\n" not in told
