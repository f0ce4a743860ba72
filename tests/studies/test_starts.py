"""Whether a new target starts and has what is used, from what both said of themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from harness.base.errors import DamagedRunError
from harness.execution.interruption import Interruption
from harness.gpu.devices import Driver, Gpu
from harness.gpu.machine_code import MachineCode
from harness.scenario.schema import Target
from harness.studies import starts, study_folder
from harness.studies.starts import Starts
from harness.studies.study import Trial
from harness.targets.interpreter import Interpreter
from harness.targets.probed import Probed, Taken

SCRIPT = "import mxnet as mx\nmx.nd.array([1], ctx=mx.cpu())\nmx.contrib.amp.init()\n"
NAMES: dict[str, Taken | None] = {
    "mxnet.nd.array": Taken(("source_array", "ctx"), ("source_array",), False, 2),
    "mxnet.cpu": Taken(("device_id",), (), False, 1),
    "mxnet.contrib.amp.init": Taken((), (), False, 0),
}
OLD = Probed({"mxnet": "1.8.0"}, {"MKLDNN": True, "CUDA": False, "SSE": True}, NAMES, frozenset({"MXNET_A", "MXNET_B"}))
NEW = Probed(
    {"mxnet": "1.9.1"}, {"MKLDNN": True, "CUDA": False, "INT64": True}, NAMES, frozenset({"MXNET_B", "MXNET_C"})
)


def _study(folder: Path, old: Probed | str, new: Probed | str, variables: tuple[str, ...] = ()) -> Starts:
    (folder / "train.py").write_text(SCRIPT)
    study = Starts(Target(mxnet="1.8.0"), Target(mxnet="1.9.1"), [str(folder / "train.py")], variables)
    study.folder = study_folder.create(folder, "starts", study.question)
    study.folder.write_json("used.json", [asdict(used) for used in study._read()])
    for key, found in (("from", old), ("to", new)):
        body = {"failure": found} if isinstance(found, str) else found.as_json()
        study.folder.write_json(f"{key}.json", body)
        study.add(key, None, "")
    return study


def _reasons(study: Starts) -> list[str]:
    return [reason.text for reason in study.row.reasons]


def test_nothing_against_what_has_all_that_is_used(tmp_path: Path) -> None:
    study = _study(tmp_path, OLD, NEW)
    assert (study.row.word, study.fails, study.wanted()) == ("go", False, [])
    assert study.row.told == (
        "from mxnet 1.8.0 to mxnet 1.9.1",
        "variables that are read no more: MXNET_A",
        "variables that are read now: MXNET_C",
        "features that the new one does not name: SSE",
        "features that the old one lacks: INT64",
        "3 names of MXNet that scripts use were looked up",
    )


def _named(**names: Taken | None) -> Probed:
    return replace(NEW, names={**NAMES, **{f"mxnet.{name.replace('__', '.')}": taken for name, taken in names.items()}})


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        (_named(cpu=None), "mxnet.cpu is gone (train.py:2)"),
        (
            _named(nd__array=Taken(("source_array", "device"), (), False, 2)),
            "mxnet.nd.array takes no argument ctx (train.py:2)",
        ),
        (
            _named(nd__array=Taken(("source_array", "ctx"), (), False, 0)),
            "mxnet.nd.array takes 0 arguments, not 1 (train.py:2)",
        ),
        (replace(NEW, features={"MKLDNN": False}), "it is built without MKLDNN, which the old one has"),
        (replace(NEW, unfit=("no kernel image",)), "no kernel image"),
    ],
)
def test_what_is_against_it(tmp_path: Path, new: Probed, reason: str) -> None:
    study = _study(tmp_path, OLD, new)
    assert (_reasons(study), study.row.word) == ([reason], "no-go")


def test_what_the_old_one_cannot_do_here_either_is_no_reason(tmp_path: Path) -> None:
    unfit = [replace(each, unfit=("no kernel image",)) for each in (OLD, NEW)]
    assert _study(tmp_path, *unfit).row.word == "go"


def test_a_gpu_that_is_lost_says_nothing_of_mxnet(monkeypatch: pytest.MonkeyPatch) -> None:
    code = MachineCode(frozenset({(8, 0)}), frozenset(), (11, 0))
    gpus = [
        Gpu(0, "A100", None, (8, 0), 1 << 35, None, False),
        Gpu(1, "a GPU", None, None, None, None, False, "GPU is lost"),
        Gpu(2, "H100", None, (9, 0), 1 << 35, None, False),
    ]
    monkeypatch.setattr(starts.library, "machine_code_of", lambda _: code)
    monkeypatch.setattr(starts.installed, "driver", lambda: Driver("535", (12, 2), gpus))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    (why,) = starts._unfit(Interpreter(Path("python")))
    assert "gpu(2) is H100" in why
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    assert starts._unfit(Interpreter(Path("python"))) == ()


def test_the_machine_is_told_where_it_is_known(tmp_path: Path) -> None:
    """What is faster on one processor is not on another; studies of before do not say which it was."""
    study = _study(tmp_path, OLD, NEW)
    assert study.folder is not None and not any(line.startswith("on ") for line in study.row.told)
    machine = {"cpu_model": "AMD EPYC", "vectors": "avx2", "cores": 2, "memory_bytes": 8 << 30, "kernel": "6.18"}
    study.folder.write_json("machine.json", machine)
    assert study.row.told[-1] == "on AMD EPYC with avx2, 2 cores, 8.59 GB, kernel 6.18"
    study.folder.write_json("machine.json", {"cores": 2})
    assert not any(line.startswith("on ") for line in study.row.told)


def test_instructions_are_told_as_speed_is_asked_for(tmp_path: Path) -> None:
    old, new = (replace(each, features={**each.features, "CPU_AVX": each is OLD}) for each in (OLD, NEW))
    study = _study(tmp_path, old, new)
    assert study.row.word == "go"
    assert "instructions that it is built without now, which may cost speed and nothing else: CPU_AVX" in study.row.told


def test_what_the_old_one_lacked_or_refused_as_well_is_no_reason(tmp_path: Path) -> None:
    gone = _named(cpu=None)
    assert _reasons(_study(tmp_path, replace(OLD, names=gone.names), gone)) == []
    narrow = _named(nd__array=Taken(("source_array",), (), False, 2))
    assert _reasons(_study(tmp_path, replace(OLD, names=narrow.names), narrow)) == []


def test_each_call_that_is_refused_is_a_reason_of_its_own(tmp_path: Path) -> None:
    narrow = _named(cpu=Taken((), (), False, 0))
    study = _study(tmp_path, OLD, narrow)
    assert study.folder is not None
    two = [
        replace(used, name="mxnet.cpu", keywords=names, places=0)
        for used in study.used()[:1]
        for names in (("a",), ("b",))
    ]
    old = replace(OLD, names={**NAMES, "mxnet.cpu": Taken((), (), True, 0)})
    assert [reason.name for reason in starts._of_names([*two, *two], old, narrow)] == [
        "name mxnet.cpu takes no argument a",
        "name mxnet.cpu takes no argument b",
    ]


def test_a_change_of_what_nothing_reads_decides_nothing(tmp_path: Path) -> None:
    old, new = (replace(each, unread={"MXNET_TYPO": "MXNET_TYPE", "MXNET_B": ""}) for each in (OLD, NEW))
    study = _study(tmp_path, old, new, ("MXNET_TYPO", "MXNET_OTHER", "MXNET_B"))
    assert study.row.word == "go", "it is set in both"
    study.targets["to"] = Target(mxnet="1.9.1", env={"MXNET_TYPO": "1"})
    (reason,) = study.row.reasons
    assert (reason.word, reason.name) == ("not decided", "variable MXNET_TYPO: does nothing")
    assert "did you mean MXNET_TYPE?" in reason.text
    study.targets = {"from": Target(mxnet="1.8.0", env={"MXNET_A": "1"}), "to": Target(mxnet="1.9.1")}
    assert study.row.word == "go", "what the new one does not read is not set for it"


def test_a_script_of_which_nothing_was_seen_is_told(tmp_path: Path) -> None:
    study = _study(tmp_path, OLD, NEW)
    study._scripts.append("/own/net.py")
    assert study.row.told[-1] == "/own/net.py names nothing of MXNet by itself"


def test_a_variable_that_is_set_and_read_no_more(tmp_path: Path) -> None:
    study = _study(tmp_path, OLD, NEW, ("MXNET_A", "MXNET_B", "MXNET_NEVER"))
    assert _reasons(study) == ["MXNET_A is set, and the new one does not read it any more"]


def test_libraries_that_were_not_found_say_nothing_of_variables(tmp_path: Path) -> None:
    assert _reasons(_study(tmp_path, OLD, replace(NEW, variables=frozenset()), ("MXNET_A",))) == []


def test_a_script_counts_as_it_was_when_targets_were_asked(tmp_path: Path) -> None:
    study = _study(tmp_path, OLD, _named(cpu=None))
    (tmp_path / "train.py").write_text("")
    assert _reasons(study) == ["mxnet.cpu is gone (train.py:2)"]


def test_what_does_not_start(tmp_path: Path) -> None:
    study = _study(tmp_path, OLD, "it does not import mxnet")
    assert (study.row.word, study.fails, _reasons(study)) == ("no-go", True, ["it does not import mxnet"])
    study = _study(tmp_path, "gone", NEW)
    assert (study.row.word, study.fails) == ("not decided", True)


def test_while_nobody_was_asked(tmp_path: Path) -> None:
    study = Starts(Target(mxnet="1.8.0"), Target(mxnet="1.9.1"))
    assert [trial.key for trial in study.wanted()] == ["from", "to"]
    assert study.row.word == "not decided"


@pytest.mark.parametrize("body", [{"failures": ""}, {**OLD.as_json(), "names": 3}])
def test_a_damaged_answer_is_named(tmp_path: Path, body: Any) -> None:
    study = Starts(Target(mxnet="1.8.0"), Target(mxnet="1.9.1"))
    study.folder = study_folder.create(tmp_path, "starts", study.question)
    study.folder.write_json("from.json", body)
    with pytest.raises(DamagedRunError):
        study.add("from", None, "")


def test_both_are_asked_the_same_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a script got one while only the first had answered: the old one would lack it, and nothing be gone."""
    study = _study(tmp_path, OLD, NEW)
    assert study.folder is not None
    del study._found["to"]
    (tmp_path / "train.py").write_text(f"{SCRIPT}mx.nd.late([1])\n")
    asked: list[list[str]] = []

    def answer(target: Target, names: Sequence[str], variables: Sequence[str]) -> dict[str, Any]:
        asked.append(list(names))
        return NEW.as_json()

    monkeypatch.setattr(Starts, "_asked", staticmethod(answer))
    list(study.run([Trial("to")], study.folder, Interruption(), None))
    assert [name for name in asked[0] if "late" in name] == []
    study._found.clear()
    list(study.run([Trial("from")], study.folder, Interruption(), None))
    assert [name for name in asked[1] if "late" in name] == ["mxnet.nd.late"], "none has answered: scripts as they are"
