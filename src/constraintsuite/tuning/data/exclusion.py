"""Texts that must not be trained on, such as those of a test set: recognised whatever their case and punctuation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic_core import from_json

from constraintsuite.errors import UserError
from constraintsuite.store.files import sha256_of
from constraintsuite.text.terms import words

_FEWEST_WORDS = 3  # what is shorter is an id or a name


@dataclass(frozen=True)
class Exclusion:
    """The forbidden texts in their plain form."""

    texts: frozenset[str] = frozenset()

    def forbids(self, text: str) -> bool:
        """Whether this text is one of them."""
        return bool(self.texts) and plain_form(text) in self.texts


def plain_form(text: str) -> str:
    """The words of a text in lower case, and nothing else."""
    return " ".join(words(text))


def read_exclusion(paths: Iterable[Path]) -> Exclusion:
    """Every text of at least three words in files of JSON lines; of a folder, in all such files below it."""
    return Exclusion(frozenset(form for path in paths for file in _files(path) for form in _forms(file)))


def exclusion_inputs(paths: Iterable[Path]) -> dict[str, str]:
    """The hash of each file, for a manifest."""
    return {
        f"exclude {file.name} {number}": sha256_of(file)
        for number, file in enumerate(f for p in paths for f in _files(p))
    }


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    files = sorted(file for file in path.rglob("*.jsonl") if file.is_file()) if path.is_dir() else []
    if not files:
        raise UserError(f"exclude: {path}: there is no such file, and no folder with *.jsonl files.")
    return files


def _forms(file: Path) -> Iterator[str]:
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record: object = from_json(line)
            except ValueError as error:
                raise UserError(
                    f"{file}:{number}: this is not JSON ({error}), so its texts cannot be kept out."
                ) from None
            for text in _strings(record):
                form = plain_form(text)
                if form.count(" ") >= _FEWEST_WORDS - 1:
                    yield form


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
