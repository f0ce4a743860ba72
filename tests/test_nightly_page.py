"""docs/nightly.md: its units, crontab and CI files are what their systems take, and its commands are ours."""

from __future__ import annotations

import configparser
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from harness import cli
from tests.conftest import ROOT

TEXT = (ROOT / "docs" / "nightly.md").read_text()
UNITS = re.findall(r"```ini\n# \S*/(\S+)\n(.*?)```", TEXT, re.S)
CI = dict(re.findall(r"```yaml\n# (\S+)\n(.*?)```", TEXT, re.S))


def _harness_calls() -> list[list[str]]:
    lines = re.findall(r"(?:^|[\s/=])harness ((?:nightly|init)\b[^\n#;`(]*)", TEXT)
    return [shlex.split(line) for line in lines if not line.startswith(("nightly show last has", "nightly accept ID"))]


def test_every_command_is_one_of_ours() -> None:
    calls = _harness_calls()
    assert len(calls) >= 8
    parser = cli.parser()
    for call in calls:
        parser.parse_args(call)


def test_units_have_their_sections_and_what_systemd_asks_for(tmp_path: Path) -> None:
    assert [name for name, _ in UNITS] == ["nightly.service", "nightly.timer"]
    for name, text in UNITS:
        unit = configparser.RawConfigParser(strict=True)
        unit.optionxform = str  # type: ignore[assignment,method-assign]
        unit.read_string(text)
        wanted = ("Service", "ExecStart") if name.endswith("service") else ("Timer", "OnCalendar")
        assert unit.has_option(*wanted)
        (tmp_path / name).write_text(text.replace("%h/.venv/bin/harness", "/bin/true"))
    if shutil.which("systemd-analyze"):
        argv = ["systemd-analyze", "verify", "--user", *(str(tmp_path / name) for name, _ in UNITS)]
        subprocess.run(argv, check=True, env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)})


def test_the_crontab_line_has_five_fields_and_a_command() -> None:
    (line,) = re.findall(r"```crontab\n(.*?)\n```", TEXT, re.S)
    *times, command = line.split(None, 5)
    assert all(re.fullmatch(r"\*|\d+", each) for each in times) and len(times) == 5
    assert "%" not in command  # cron takes it for the end of the line
    subprocess.run(["sh", "-n", "-c", command], check=True)


@pytest.mark.parametrize("name", [".github/workflows/nightly.yml", ".gitlab-ci.yml"])
def test_ci_files_are_whole_and_run_it_on_schedule(name: str) -> None:
    body = yaml.safe_load(CI[name])
    if name.startswith(".github"):
        on = body.get("on", body.get(True))  # YAML 1.1 takes on for true
        assert on["schedule"] == [{"cron": "0 2 * * *"}]
        steps = body["jobs"]["nightly"]["steps"]
        scripts = [step["run"] for step in steps if "run" in step]
        assert all(set(step) & {"run", "uses"} for step in steps)
    else:
        assert "schedule" in body["nightly"]["rules"][0]["if"]
        scripts = [*body["nightly"]["script"], *body["nightly"]["after_script"]]
        assert body["nightly"]["artifacts"]["reports"] == {"junit": "night.xml", "codequality": "quality.json"}
    for script in scripts:
        subprocess.run(["sh", "-n", "-c", script], check=True)
    assert any("harness nightly" in script for script in scripts)
    assert sum("nights" in script for script in scripts) == 2
