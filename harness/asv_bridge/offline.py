"""asv plugin: pages whose scripts and styles lie beside them, so that they work without a network.

asv's page asks public servers for them. Packages from PyPI carry most; what no package has is in ``scripts/``, as
little of it as asv's pages use.
"""

from __future__ import annotations

import re
import shutil
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

from asv.console import log
from asv.publishing import OutputPublisher

FOLDER = "offline"
_PACKAGES = ("js.jquery", "js.jquery_flot", "js.bootstrap")
_ELSEWHERE = re.compile(r'<(?P<tag>script|link)\b[^>]*?\b(?:src|href)="(?P<url>https?://[^"]+\.(?:js|css))"[^>]*>')
_VERSION = re.compile(r"-\d[\d.]*\d(?=\.)")
_MINIMAL = re.compile(r"\.min(?=\.\w+$)")


class OfflinePages(OutputPublisher):  # type: ignore[misc]
    """Last of all that asv publishes: brings what ``index.html`` asks others for, and asks for that."""

    name = "offline"
    description = "Scripts and styles beside the pages"

    @classmethod
    def publish(cls, conf: Any, repo: Any, benchmarks: Any, graphs: Any, revisions: Any) -> None:
        """Change ``index.html`` in the published folder; a file that is not known stays asked for, with a warning."""
        folder = Path(conf.html_dir)
        index = folder / "index.html"
        found = _sources()

        def beside(match: re.Match[str]) -> str:
            name = _plain(match["url"].rsplit("/", 1)[1])
            if name not in found:
                log.warning(f"asv's pages need a network for {match['url']}")
                return match[0]
            place = _brought(found[name], folder)
            return f'<script src="{place}">' if match["tag"] == "script" else f'<link rel="stylesheet" href="{place}">'

        index.write_text(_ELSEWHERE.sub(beside, index.read_text(encoding="utf-8")), encoding="utf-8")


def _sources() -> dict[str, Path]:
    """Files by what they are called without their version; of a package's minimal one and the other, the former."""
    own = {_plain(path.name): path for path in (Path(__file__).parent / "scripts").glob("*.js")}
    packed = [path for name in _PACKAGES for path in sorted(_files(name), key=lambda path: ".min." in path.name)]
    return {**own, **{_plain(path.name): path for path in packed}}


def _files(package: str) -> list[Path]:
    """Scripts and styles of an installed package; none where it is not installed."""
    try:
        listed = files(package) or []
    except PackageNotFoundError:
        return []
    return [Path(str(path.locate())) for path in listed if path.suffix in (".js", ".css")]


def _plain(name: str) -> str:
    return _MINIMAL.sub("", _VERSION.sub("", name))


def _brought(source: Path, folder: Path) -> str:
    """Copy a file, and the fonts that a style asks for beside its own folder; its place from the page."""
    place = Path(FOLDER, source.suffix[1:], source.name)
    (folder / place).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, folder / place)
    fonts = source.parent.parent / "fonts"
    if source.suffix == ".css" and fonts.is_dir():
        shutil.copytree(fonts, folder / FOLDER / "fonts", dirs_exist_ok=True)
    return place.as_posix()
