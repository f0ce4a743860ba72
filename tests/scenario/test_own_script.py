"""The scenario to start from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from harness.scenario import own_script
from harness.scenario.own_script import OwnScript

OWN = OwnScript(Path("/srv/me/train.py"), ["--epochs", "1"], Path("/srv/me"), {"kvstore": "dist_sync", "workers": 2})


def test_the_first_run_names_all_by_absolute_paths() -> None:
    assert yaml.safe_load(OWN.first(None)) == {
        "title": "How does train.py train?",
        "workload": {"script": "/srv/me/train.py", "args": ["--epochs", "1"], "warmup": 5, "window": 5},
        "topology": {"kvstore": "dist_sync", "workers": 2},
        "control": False,
    }


def test_few_steps_leave_some_beyond_the_warm_up() -> None:
    workloads = [yaml.safe_load(OWN.first(steps))["workload"] for steps in (1, 3, 9)]
    assert [(workload["steps"], workload["warmup"]) for workload in workloads] == [(1, 0), (3, 2), (9, 5)]


def test_later_ones_are_relative_and_have_windows_of_a_fifth_of_a_second() -> None:
    workload = yaml.safe_load(OWN.after(2000, 0.01, Path("/srv/me/questions")))["workload"]
    assert workload == {
        "script": "../train.py",
        "args": ["--epochs", "1"],
        "steps": 2000,
        "warmup": 20,
        "window": 20,
    }


def test_what_was_changed_for_the_first_run_stays_so() -> None:
    changes = [("target.python", "/opt/python"), ("workload.memory", "live")]
    values = yaml.safe_load(OWN.after(100, 0.1, Path("/srv/me"), changes))
    assert (values["target"], values["workload"]["memory"]) == ({"python": "/opt/python"}, "live")


def test_the_shell_gives_what_the_script_names_and_no_secrets() -> None:
    script = """data = os.environ["DATA_DIR"] + os.environ['API_TOKEN'] + os.environ.get("PATH")"""
    shell = {"DATA_DIR": "/d", "API_TOKEN": "s3", "PATH": "/bin", "EDITOR": "ed", "PYTHONPATH": "/a:/b"}
    assert own_script.asked_of_the_shell(script, shell) == {"DATA_DIR": "/d", "PYTHONPATH": "/a:/b"}
    env = replace(OWN, env={"DATA_DIR": "/d"})
    assert yaml.safe_load(env.first(None))["target"] == {"env": {"DATA_DIR": "/d"}}


@pytest.mark.parametrize(
    "name",
    [
        "DB_DSN",
        "S3_URL",
        "AWS_SECRET_ACCESS_KEY",
        "github_token",
        "DMLC_ROLE",
        "PS_VERBOSE",
        "HOROVOD_RANK",
        "HOME",
        "_",
    ],
)
def test_what_may_be_secret_or_is_the_topologys_is_not_asked_for(name: str) -> None:
    assert own_script.asked_of_the_shell(f"os.environ['{name}']", {name: "x"}) == {}


@pytest.mark.parametrize("name", ["MONKEY", "PATTERN", "AUTHOR_DIR", "DATA_PATH", "PASSES"])
def test_words_that_only_look_like_secrets_are_asked_for(name: str) -> None:
    assert own_script.asked_of_the_shell(f"os.environ['{name}']", {name: "x"}) == {name: "x"}


def test_one_step_more_than_it_took_has_windows_of_those_that_it_took() -> None:
    workload = yaml.safe_load(OWN.after(41, 0.0001, Path("/srv/me"), taken=40))["workload"]
    assert (workload["steps"], workload["window"], workload["warmup"]) == (41, 2, 5)
    endless = yaml.safe_load(OWN.after(None, 0.001, Path("/srv/me"), taken=30))["workload"]
    assert (endless["window"], endless["warmup"]) == (1, 5)


def test_a_short_run_leaves_steps_to_measure() -> None:
    workload = yaml.safe_load(OWN.after(12, 0.0001, Path("/srv/me")))["workload"]
    assert (workload["script"], workload["warmup"], workload["window"]) == ("./train.py", 3, 1)
