"""Every command that reads YAML, given every kind of bad YAML: one line with the place, and exit code 2."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.cli.memory_commands import CASES, printed, write_documents
from constraintsuite.app.cli.main import main
from core.store.bad_yaml import BAD


@dataclass(frozen=True)
class Reader:
    """A command line with FILE for the file that it reads as YAML, and OUT for a folder to write."""

    line: str
    file: str = "file.yaml"
    prepare: Callable[[Path], object] = lambda _: None
    wrap: bytes = b"%s"


def make_memory(folder: Path) -> None:
    printed("ingest", write_documents(folder), "--out", folder / "memory")


def make_cases(folder: Path) -> None:
    write_documents(folder)
    (folder / "cases.json").write_text(json.dumps(CASES))


def make_corpus(folder: Path) -> None:
    (folder / "corpus.jsonl").write_text('{"id": "a", "text": "Leek soup has no cream."}\n')


FRONT = b"---\n%s\n---\n\n# Title\n\nText.\n"
READERS = {
    "build": Reader("build FILE --out OUT"),
    "build --dry-run": Reader("build FILE --out OUT --dry-run"),
    "build --domain": Reader("build --corpus corpus.jsonl --domain FILE --out OUT", prepare=make_corpus),
    "propose": Reader("propose FILE --out OUT"),
    "propose --domain": Reader("propose --corpus corpus.jsonl --domain FILE --out OUT", prepare=make_corpus),
    "plan": Reader("plan FILE --nodes 2"),
    "gate": Reader("gate . --policy FILE"),
    "gate --waivers": Reader("gate . --baseline . --waivers FILE"),
    "ann run": Reader("ann run FILE --out OUT"),
    "tune": Reader("tune FILE --out OUT"),
    "memory ingest": Reader("memory ingest FILE --out OUT", "file.md", wrap=FRONT),
    "memory add": Reader("memory add memory FILE", "file.md", make_memory, FRONT),
    "memory bench": Reader("memory bench cases.json --modes ppr --out OUT", "docs/file.md", make_cases, FRONT),
}


@pytest.mark.parametrize("reader", READERS)
def test_bad_yaml_ends_in_one_line_in_every_command(
    reader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = READERS[reader]
    command.prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "argv", ["csuite", *command.line.replace("FILE", command.file).split()])
    for name, bad in BAD.items():
        Path(command.file).write_bytes(command.wrap % bad.data)
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr().err
        assert ended.value.code == 2, name
        assert told.startswith("csuite: "), name
        assert f"{command.file}:" in told, name
        assert told.count("\n") == 1, (name, told)
        assert not Path("OUT").exists(), name
