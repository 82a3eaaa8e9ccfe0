from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import Split
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.mechanism.contrasts.records import MarkedContrast
from constraintsuite.mechanism.explain.request import AnalysisScope, read_source
from mechanism.contrasts.contrast_factory import exchange, swap
from mechanism.contrasts.suite_factory import PIE, make_suite
from mechanism.drift.moving import soups
from mechanism.uneven import named


def _suite(folder: Path, *, chain: bool) -> Path:
    folder.mkdir()
    links = [(f"c{i}", f"c{i + 1}") if chain else (f"c{i}",) for i in range(13)]
    make_suite(folder, [replace(one, clusters=link) for one, link in zip(soups(13), links, strict=True)], ())
    return folder


def _of(*splits: Split) -> list[MarkedContrast]:
    return [replace(one, split=split) for one, split in zip(named(len(splits)), splits, strict=True)]


def test_of_a_chain_of_documents_every_other_contrast_is_independent(tmp_path: Path) -> None:
    found = read_source(_suite(tmp_path / "suite", chain=True), AnalysisScope(independent=True))
    clusters = [cluster for one in found.contrasts for cluster in one.clusters]
    assert len(clusters) == len(set(clusters))
    assert found.rejects["query: shares_a_document"] == 13 - len(found.contrasts)
    assert "query: clusters_in_both_halves" not in found.rejects
    assert {one.half for one in found.contrasts} == {"find", "check"}


def test_without_that_what_falls_to_both_halves_is_left_out_and_counted(tmp_path: Path) -> None:
    found = read_source(_suite(tmp_path / "suite", chain=True), AnalysisScope())
    assert found.rejects["query: clusters_in_both_halves"] == 13 - len(found.contrasts) > 0


@pytest.mark.parametrize(
    ("scope", "kinds"),
    [
        (AnalysisScope(), {"query", "document"}),
        (AnalysisScope(sides=("query",)), {"query"}),
        (AnalysisScope(controls=("",), sides=("document", "query")), {"query", "document"}),
    ],
)
def test_only_what_was_asked_for_is_counted_as_left_out(tmp_path: Path, scope: AnalysisScope, kinds: set[str]) -> None:
    found = read_source(_suite(tmp_path / "suite", chain=True), scope)
    assert {reason.partition(":")[0] for reason in found.rejects} == kinds


def test_a_suite_and_a_file_are_filtered_by_constraint_type(tmp_path: Path) -> None:
    suite = _suite(tmp_path / "suite", chain=False)
    found = read_source(suite, AnalysisScope(constraints=("exclude",)))
    assert {one.constraint for one in found.contrasts} == {"exclude"}
    file = tmp_path / "contrasts.jsonl"
    write_jsonl(file, [replace(one, constraint=kind) for one, kind in zip(named(2), ("time", "place"), strict=True)])
    assert [one.constraint for one in read_source(file, AnalysisScope(constraints=("place",))).contrasts] == ["place"]
    for source, known in ((suite, "exclude"), (file, "place, time")):
        with pytest.raises(UserError, match=f"--constraint number. Known there: {known}"):
            read_source(source, AnalysisScope(constraints=("number",)))


def test_a_file_is_filtered_by_split(tmp_path: Path) -> None:
    file = tmp_path / "contrasts.jsonl"
    write_jsonl(file, _of("train", "test", "test"))
    assert [one.id for one in read_source(file, AnalysisScope(splits=("test",))).contrasts] == [
        "planted-1",
        "planted-2",
    ]
    assert len(read_source(file, AnalysisScope()).contrasts) == 3


def test_a_file_is_filtered_by_side_and_control(tmp_path: Path) -> None:
    file = tmp_path / "contrasts.jsonl"
    write_jsonl(file, [swap(), exchange(), replace(swap("other"), control="idiom")])
    assert [one.id for one in read_source(file, AnalysisScope(controls=("",))).contrasts] == ["swap", "exchange"]
    assert [one.id for one in read_source(file, AnalysisScope(sides=("query",))).contrasts] == ["swap", "other"]


@pytest.mark.parametrize(
    ("contrasts", "words"),
    [
        (named(2), "it does not say of which split 'planted-0' is"),
        (_of("train", "train"), "none of its 2 contrasts is of the splits test"),
    ],
)
def test_a_split_that_cannot_be_told_is_refused(tmp_path: Path, contrasts: list[MarkedContrast], words: str) -> None:
    file = tmp_path / "contrasts.jsonl"
    write_jsonl(file, contrasts)
    with pytest.raises(UserError, match=words):
        read_source(file, AnalysisScope(splits=("test",)))


def test_contrasts_of_plain_words_are_a_source_too(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    line = {
        "id": "1",
        "query": "soup without cream",
        "query_corrupt": "soup with cream",
        "better": "a",
        "worse": "cream",
    }
    file.write_text(json.dumps({**line, "y": ["cream"]}))
    (found,) = read_source(file, AnalysisScope()).contrasts
    assert [mark.role for mark in found.better.query.marks] == ["q_cue", "q_y"]


def test_who_drew_the_marks_is_told(tmp_path: Path) -> None:
    make_suite(tmp_path, [PIE], ())
    assert read_source(tmp_path, AnalysisScope()).analyser == "rules"
