"""The wheel carries the scenarios; in a clone they stay where they are. All else is in pyproject.toml."""

from pathlib import Path
from shutil import copytree

from setuptools import setup
from setuptools.command.build_py import build_py


class WithScenarios(build_py):
    """Copies them into the package that is built, where `harness scenarios` finds them."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            copytree("scenarios", Path(self.build_lib) / "harness" / "shipped" / "scenarios", dirs_exist_ok=True)


setup(cmdclass={"build_py": WithScenarios})
