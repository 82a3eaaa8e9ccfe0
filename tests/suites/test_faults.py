"""Killed, run again, on one worker or three, on hostile input: the same bytes, or a clear word; never a traceback."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from command_line import csuite
from constraintsuite.core.records.text import Document
from constraintsuite.corpora.base import STRICT, SourceSettings
from constraintsuite.corpora.registry import open_source
from constraintsuite.suites.domain import Knowledge
from constraintsuite.suites.reading.document import read_document
from constraintsuite.suites.reading.records import DocumentReading
from constraintsuite.text.base import Analysis

KILLS = 20
SHARDS = 3
FOOD = [d for d in open_source(SourceSettings(source="sample")).documents(STRICT) if d.id.startswith("food")][:40]


def write_corpus(path: Path) -> Path:
    rows = [json.dumps({"id": d.id, "title": d.title, "text": d.text}) for d in FOOD]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Everything but time and host."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name != "environment.json" and not file.name.startswith(".")
    }


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "food.jsonl")


@pytest.fixture(scope="module")
def recipe(corpus: Path) -> Path:
    file = corpus.with_name("recipe.yaml")
    settings = {"corpus": {"source": str(corpus)}, "analysis": {"analyser": "rules"}, "documents": {"shards": SHARDS}}
    file.write_text(json.dumps(settings))
    return file


@pytest.fixture(scope="module")
def undisturbed(recipe: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("reference") / "suite"
    assert csuite("build", recipe, "--out", out).returncode == 0
    return out


def parts_done(out: Path) -> int:
    """How far a build is: the finished shards and folders."""
    names = (name for _, _, files in os.walk(out) for name in files)
    return sum(name == "manifest.json" or name.endswith(".outcome.json") for name in names)


@pytest.mark.slow
def test_a_build_killed_twenty_times_ends_with_the_same_bytes(recipe: Path, undisturbed: Path, tmp_path: Path) -> None:
    """Each time it gets a little further: the next shard or stage is finished, and what follows has just begun."""
    chance = random.Random(7)
    out = tmp_path / "suite"
    build = [sys.executable, "-m", "constraintsuite", "build", str(recipe), "--out", str(out), "--workers"]
    killed = 0
    while killed < KILLS:
        before = parts_done(out)
        command = [*build, str(chance.choice((1, 2)))]
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        ) as process:
            while parts_done(out) <= before and process.poll() is None:
                time.sleep(0.005)
            time.sleep(chance.uniform(0, 0.02))
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # its workers too
        if process.returncode == 0:  # it came to its end: from the beginning again
            shutil.rmtree(out)
        else:
            assert process.returncode == -signal.SIGKILL
            killed += 1
    assert csuite("build", recipe, "--out", out).returncode == 0
    assert bytes_of(out) == bytes_of(undisturbed)


@pytest.mark.slow
def test_one_worker_and_three_give_the_same_bytes(recipe: Path, undisturbed: Path, tmp_path: Path) -> None:
    out = tmp_path / "suite"
    result = csuite("build", recipe, "--out", out, "--workers", "3")
    assert result.returncode == 0, result.stderr
    assert bytes_of(out) == bytes_of(undisturbed)


HOSTILE = [
    b'{"id": "empty", "text": ""}',
    b'{"id": "long", "text": "' + b"word " * 40_000 + b'"}',
    b'{"id": "nul", "text": "A soup with \\u0000 cream and leeks, thick and warm, for the coldest day of all the year."}',
    '{"id": "emoji", "text": "🍜 This soup is a joy 😀 with cream, and it is eaten hot by everybody in the house. 🎉"}'.encode(),
    '{"id": "rtl", "text": "\u202eהמרק הזה חם וטעים מאוד ואין בו שמנת כלל, והוא מוגש בכל בית בעיר הזאת בחורף\u202c"}'.encode(),
    b'{"id": "twice", "text": "Leek Pot is a soup without cream, cooked slowly on the stove by my aunt every Sunday."}',
    b'{"id": "twice", "text": "Pea Pot is a soup with cream, cooked quickly on the stove by my uncle every Monday."}',
    b'{"id": "crlf", "text": "Bean Pot is a soup with cream,\\r\\ncooked on the stove by my cousin every Tuesday.\\r\\n"}\r',
]


def test_hostile_documents_are_cleaned_or_rejected_and_counted(corpus: Path, tmp_path: Path) -> None:
    hostile = tmp_path / "hostile.jsonl"
    hostile.write_bytes(corpus.read_bytes() + b"\n".join(HOSTILE) + b"\n")
    out = tmp_path / "suite"
    result = csuite(
        *("build", "--corpus", hostile, "--out", out),
        *("--analyser", "rules", "--until", "mentions", "--skip-bad-rows"),
    )
    assert result.returncode == 0, result.stderr
    manifest = json.loads((out / "stages" / "documents" / "manifest.json").read_text())
    assert manifest["rejects"]["duplicate_id"] == 1
    assert manifest["rejects"]["too_long"] == 1
    assert manifest["rejects"]["missing_text"] == 1
    texts = (out / "stages" / "documents").glob("part-*.jsonl")
    assert not any(b"\\u0000" in path.read_bytes() or b"\\r" in path.read_bytes() for path in texts)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{"id": "a", "text": "caf\xe9 with cream"}\n', "bad.jsonl:1"),
        (b'{"id": "a", "text": "fine"}\n{"id": \n', "bad.jsonl:2"),
        (b"", "no documents"),
        (b'{"id": "a", "body_of_it": "text"}\n', "--text-field"),
    ],
    ids=["invalid UTF-8", "broken JSON", "empty file", "unknown field"],
)
def test_a_broken_corpus_is_an_error_that_says_where(content: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_bytes(content)
    out = tmp_path / "suite"
    result = csuite("build", "--corpus", tmp_path / "bad.jsonl", "--out", out, "--analyser", "rules")
    assert result.returncode == 2
    assert result.stderr.startswith("csuite: ")
    assert told in result.stderr
    assert not (out / "manifest.json").exists()


def test_a_document_that_breaks_the_reading_is_left_out_of_the_suite(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    poison = FOOD[5].id

    def break_at_one(document: Document, analysis: Analysis, knowledge: Knowledge) -> DocumentReading:
        if document.id == poison:
            raise ValueError("a text that nobody thought of")
        return read_document(document, analysis, knowledge)

    monkeypatch.setattr("constraintsuite.suites.stages.mentions.read_document", break_at_one)
    result = csuite("build", "--corpus", corpus, "--out", tmp_path / "suite", "--analyser", "rules")
    assert result.returncode == 0, result.stderr
    assert f"left out {poison}: ValueError" in result.stderr
    examples = (tmp_path / "suite" / "examples.jsonl").read_text(encoding="utf-8")
    assert examples
    assert f'"{poison}"' not in examples
