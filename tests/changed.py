"""Print the tests to run while editing: those of the files that differ from the last commit, or that it changed.

The tests of `src/constraintsuite/A/B/x.py` are `tests/A/B/test_x.py` if there is such a file, else all test files of `tests/A/B`,
or of the nearest folder above it that has some. `make fast` runs what this prints, and the tests of the layers.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = Path("src/constraintsuite")
TESTS = Path("tests")


def changed_files() -> list[Path]:
    """Files that differ from the last commit, or, if none does, those that it changed."""
    now = [*_git("diff", "--name-only", "HEAD"), *_git("ls-files", "--others", "--exclude-standard")]
    return [Path(name) for name in now or _git("diff", "--name-only", "HEAD~1", "HEAD")]


def find_tests(path: Path, root: Path = ROOT) -> Iterator[Path]:
    """The test files for one file of the project; none for what is neither code nor a test."""
    if path.suffix != ".py":
        return
    if path.is_relative_to(TESTS):
        if path.name.startswith("test_") and (root / path).is_file():
            yield path
        return
    if not path.is_relative_to(PACKAGE):
        return
    folder = TESTS / path.relative_to(PACKAGE).parent
    own = folder / f"test_{path.stem}.py"
    if (root / own).is_file():
        yield own
        return
    while folder != TESTS:
        found = sorted((root / folder).glob("test_*.py"))
        if found:
            yield from (file.relative_to(root) for file in found)
            return
        folder = folder.parent


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split()


def main(paths: Iterable[Path]) -> None:
    """Print each test file once, on one line."""
    sys.stdout.write(" ".join(sorted({str(test) for path in paths for test in find_tests(path)})) + "\n")


if __name__ == "__main__":
    main(changed_files())
