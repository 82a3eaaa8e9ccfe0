"""A folder of Markdown and text files, or one such file, split into passages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.files import sha256_of, sha256_text
from constraintsuite.corpora.base import BadRows, Source, SourceSettings
from constraintsuite.corpora.files import base_name, decode, ending, read_lines, require_file
from constraintsuite.corpora.passages import cut_passages

MARKDOWN = (".md", ".markdown")
PLAIN = (".txt",)


class ProseFile(NamedTuple):
    """A file and its path inside the folder, which begins the ids of its passages."""

    path: Path
    relative: str


class FolderSource(Source):
    """The passages of all Markdown and text files below a folder, in order of paths; hidden files are skipped."""

    def __init__(self, settings: SourceSettings) -> None:
        root = Path(settings.source)
        self.name = base_name(root)
        self._files = prose_files(root)
        self._words = settings.passage_words
        if not self._files:
            raise UserError(f"{root}: no file in this folder ends in {', '.join(MARKDOWN + PLAIN)}.")

    def fingerprint(self) -> str:
        """SHA-256 of the files, their paths, and the length of passages."""
        files = (part for file in self._files for part in (file.relative, sha256_of(file.path)))
        return sha256_text("folder", str(self._words), *files)

    def documents(self, bad: BadRows) -> Iterator[Document]:
        """The passages of each file; the title is the nearest heading, or else the name of the file."""
        for file in self._files:
            decoded = (decode(line, bad) for line in read_lines(file.path))
            lines = (line for line in decoded if line is not None)
            markdown = ending(file.path) in MARKDOWN
            for number, passage in enumerate(cut_passages(lines, self._words, markdown=markdown), 1):
                yield Document(f"{file.relative}#{number}", passage.text, passage.heading or base_name(file.path))


def prose_files(root: Path) -> list[ProseFile]:
    """The Markdown and text files below `root`, or `root` itself; links that lead out of it are skipped."""
    if not root.is_dir():
        require_file(root)
        return [ProseFile(root, root.name)]
    inside = root.resolve()
    found = [ProseFile(path, path.relative_to(root).as_posix()) for path in root.rglob("*")]
    return sorted(
        (file for file in found if _is_prose(file) and file.path.resolve().is_relative_to(inside)),
        key=lambda file: file.relative,
    )


def _is_prose(file: ProseFile) -> bool:
    hidden = any(part.startswith(".") for part in file.relative.split("/"))
    return not hidden and ending(file.path) in MARKDOWN + PLAIN and file.path.is_file()
