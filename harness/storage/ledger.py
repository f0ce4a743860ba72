"""The ledger of nights: a branch on which each night is a commit, made beside the checkout.

What a night says of others is in its own files, and never changes; an acceptance is a commit of its own. Objects, index
and branch are git's; the working tree and the user's index are left alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from harness.base.errors import HarnessError, InputError
from harness.storage.named import slug

BRANCH = "nights"
"""Of a project that is a whole repository; one in a folder of it has its own, ``nights-FOLDER``."""

_NOBODY = "0" * 40


@dataclass(frozen=True)
class Ledger:
    """That of one project in a repository; `of` finds it. HarnessError with git's own words where git fails."""

    repository: Path
    branch: str = BRANCH

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other nights away until the block ends; HarnessError while one runs, which says since when."""
        place = Path(self._git("rev-parse", "--path-format=absolute", "--git-common-dir")) / "nights.lock"
        with open(place, "a+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                file.seek(0)
                since = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(os.fstat(file.fileno()).st_mtime))
                who = f"by process {file.read() or '?'} since {since} UTC"
                raise HarnessError(f"a night is being run already, {who}; wait for it, or end that process") from error
            with suppress(OSError):  # a full disk is told where a night is kept
                os.ftruncate(file.fileno(), 0)
                os.write(file.fileno(), str(os.getpid()).encode())
            yield
            with suppress(OSError):
                os.ftruncate(file.fileno(), 0)

    def require_possible(self, files: Sequence[str]) -> None:
        """InputError where git could not take a night, told before one is measured.

        ``files``: those of which each of its commits has one.
        """
        if others := self._git("for-each-ref", "--format=%(refname:short)", f"{self._ref}/").splitlines():
            raise InputError(f"the branch {others[0]} leaves no room for the branch {self.branch}; rename it")
        file = self.repository / self._git("rev-parse", "--git-path", self._ref)
        if not self._head() and file.is_file():
            log = self._git("rev-parse", "--git-path", f"logs/{self._ref}")
            back = f"remove that file, and give git update-ref {self._ref} the last commit that {log} names"
            raise InputError(f"the branch {self.branch} is damaged: {file} names no commit; {back}")
        if (tip := self._head()) and not {*files} & {*self._git("ls-tree", "--name-only", tip).splitlines()}:
            rename = f"git branch -m {self.branch} NAME"
            raise InputError(f"there is a branch {self.branch} that holds no nights; rename it: {rename}")
        place = ""
        for line in self._git("worktree", "list", "--porcelain").splitlines():
            place = line.removeprefix("worktree ") if line.startswith("worktree ") else place
            if line == f"branch {self._ref}" and Path(place).is_dir():
                raise InputError(f"the branch {self.branch} is checked out in {place}; check out another one there")
        self._git("hash-object", "-w", "--stdin")
        if tip:
            self._git("update-ref", self._ref, tip, tip)  # what a killed git left locked is seen now

    def commits(self) -> list[str]:
        """All of the branch, oldest first."""
        return self._git("rev-list", "--reverse", "--first-parent", self._ref).split() if self._head() else []

    @property
    def tip(self) -> str:
        """The newest commit; empty where there is none."""
        return self._head()

    def append(self, files: Mapping[str, bytes], message: str, onto: str | None = None) -> str:
        """Add a commit that holds just these files; returns its hash.

        Onto whatever is newest, or only ``onto`` the commit that they were made from: HarnessError where another came
        meanwhile.
        """
        for last in (False, False, True):
            try:
                return self._appended(files, message, self._head() if onto is None else onto)
            except HarnessError:
                if last or onto is not None:
                    raise
        raise AssertionError

    def _appended(self, files: Mapping[str, bytes], message: str, before: str) -> str:
        try:
            tree = self._tree(files)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise HarnessError(f"no temporary file can be written: {why}; free some space, or set TMPDIR") from error
        parent = ["-p", before] if before else []
        commit = self._git(*self._who(), "commit-tree", tree, *parent, "-m", message)
        self._git("update-ref", "-m", message.splitlines()[0], self._ref, commit, before or _NOBODY)
        return commit

    def _tree(self, files: Mapping[str, bytes]) -> str:
        with tempfile.TemporaryDirectory() as beside:
            index = {"GIT_INDEX_FILE": str(Path(beside) / "index")}
            blobs = [(name, self._git("hash-object", "-w", "--stdin", data=text)) for name, text in files.items()]
            listed = "".join(f"100644 {blob}\t{name}\0" for name, blob in sorted(blobs))
            self._git("update-index", "-z", "--index-info", data=os.fsencode(listed), env=index)
            return self._git("write-tree", env=index)

    def read(self, commit: str, name: str) -> bytes | None:
        """A file of a commit; None where it has none of that name."""
        return self._bytes("cat-file", "blob", f"{commit}:{name}", check=False)

    def names(self, commit: str, below: str) -> list[str]:
        """The files below a folder of a commit, by their whole names."""
        return [
            name for name in self._git("ls-tree", "-r", "-z", "--name-only", commit, f"{below}/").split("\0") if name
        ]

    @property
    def _ref(self) -> str:
        return f"refs/heads/{self.branch}"

    def _head(self) -> str:
        return self._git("rev-parse", "--quiet", "--verify", self._ref, check=False)

    def _who(self) -> list[str]:
        """Who commits, where git does not know the user; their signing is for their own commits."""
        known = [self._git("config", f"user.{field}", check=False) for field in ("name", "email")]
        return [] if all(known) else ["-c", "user.name=harness", "-c", "user.email=harness@localhost"]

    def _git(self, *arguments: str, data: bytes = b"", env: Mapping[str, str] | None = None, check: bool = True) -> str:
        found = self._bytes(*arguments, data=data, env=env, check=check)
        return (found or b"").decode(errors="surrogateescape").strip("\n")

    def _bytes(
        self, *arguments: str, data: bytes = b"", env: Mapping[str, str] | None = None, check: bool = True
    ) -> bytes | None:
        """What git says; None where it fails and that is an answer."""
        done = subprocess.run(
            ["git", "-C", str(self.repository), *arguments],
            input=data,
            capture_output=True,
            check=False,
            env={**plain_environment(), **(env or {})},
        )
        if done.returncode and check:
            raise HarnessError(f"git {arguments[0]}: {done.stderr.decode(errors='replace').strip()}")
        return None if done.returncode else done.stdout


def of(folder: Path) -> Ledger:
    """The ledger of the project in a folder; InputError where that is in no repository."""
    argv = ["git", "-C", str(folder), "rev-parse", "--show-toplevel"]
    try:
        done = subprocess.run(argv, capture_output=True, check=False, env=plain_environment())
    except FileNotFoundError as error:
        raise HarnessError("git is not here, and nights are kept in it; install it: sudo apt install git") from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().partition("\n")[0]
        raise InputError(f"{folder} is in no git repository, where nights are kept; harness init makes one ({said})")
    repository = Path(os.fsdecode(done.stdout).rstrip("\n"))
    below = folder.resolve().relative_to(repository.resolve())
    return Ledger(repository, BRANCH if below == Path() else f"{BRANCH}-{_word(below)}")


def _word(below: Path) -> str:
    """A folder as part of a branch's name; a digest where plain words would not tell it from others."""
    whole = below.as_posix()
    word = slug(whole.replace("/", "-"))
    return word if word == whole else f"{word}-{hashlib.sha256(os.fsencode(whole)).hexdigest()[:6]}"


def plain_environment() -> dict[str, str]:
    """Variables without those that point git elsewhere, as in hooks."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
