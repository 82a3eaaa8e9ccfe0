"""Of equal texts one is kept, always the same one, and the judgments of the others become its own."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.records.text import Document, Qrel, Query
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.corpora.base import STRICT, BadRows, Source, SourceSettings
from constraintsuite.vectors import tables
from constraintsuite.vectors.bundle import Bundle
from constraintsuite.vectors.draft import DocumentTwin, SubsetDraft, draft_subset
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.subset import build_subset
from constraintsuite.vectors.survey import KeyMaker
from constraintsuite.vectors.verify import verify_bundle
from tiny_bundle import write_json_lines, write_source

corpora = st.dictionaries(
    st.text("abc012", min_size=1, max_size=4), st.sampled_from("pqrstuvw"), min_size=6, max_size=40
)


class InMemory(Source):
    """Documents by id, and one query that is judged with some of them."""

    name = "memory"

    def __init__(self, texts: Mapping[str, str], grades: Mapping[str, int]) -> None:
        self.texts, self.grades = texts, grades

    def fingerprint(self) -> str:
        return ""

    def documents(self, bad: BadRows) -> Iterator[Document]:
        return (Document(name, text) for name, text in self.texts.items())

    def queries(self, bad: BadRows = STRICT) -> Iterator[Query]:
        return iter([Query("q", "soup")])

    def qrels(self, bad: BadRows = STRICT) -> Iterator[Qrel]:
        return (Qrel("q", name, grade) for name, grade in self.grades.items())


def draft(texts: Mapping[str, str], grades: Mapping[str, int], **settings: object) -> SubsetDraft:
    chosen = SubsetSettings.model_validate({"dedup": "exact_text", **settings})
    return draft_subset(InMemory(texts, grades), chosen, False, Silent())


def ids(texts: Mapping[str, str], grades: Mapping[str, int], **settings: object) -> list[str]:
    """Ids of the subset, in its order."""
    names = list(texts)
    return [names[position] for position in draft(texts, grades, **settings).selection.positions]


def key(name: str) -> tuple[int, str]:
    return int(KeyMaker("corpus", "memory", "42")([name])[0]), name


@given(corpora)
def test_of_equal_texts_the_smallest_key_is_kept(texts: dict[str, str]) -> None:
    grades = {next(iter(texts)): 1}
    distinct = set(texts.values())
    best = {min((name for name in texts if texts[name] == text), key=key) for text in distinct}
    assert set(ids(texts, grades, mode="uniform", size=len(distinct))) == best


@given(corpora, st.data())
def test_a_smaller_subset_is_the_beginning_of_a_larger_one(texts: dict[str, str], data: st.DataObject) -> None:
    distinct = len(set(texts.values()))
    large = data.draw(st.integers(1, distinct))
    small = data.draw(st.integers(1, large))
    grades = {next(iter(texts)): 1}
    for mode in ("uniform", "keep_positives"):
        assert ids(texts, grades, mode=mode, size=large)[:small] == ids(texts, grades, mode=mode, size=small)


@given(corpora, st.data(), st.randoms(use_true_random=False))
def test_the_order_of_the_source_does_not_matter(
    texts: dict[str, str], data: st.DataObject, rng: random.Random
) -> None:
    names = list(texts)
    judged = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=5, unique=True))
    grades = {name: 1 + place % 2 for place, name in enumerate(judged)}
    size = len({texts[name] for name in judged})
    rng.shuffle(names)
    shuffled = {name: texts[name] for name in names}
    assert ids(texts, grades, size=size) == ids(shuffled, grades, size=size)
    assert draft(texts, grades, size=size).judged == draft(shuffled, grades, size=size).judged


@given(corpora, st.data())
def test_every_positive_text_is_kept_and_no_text_twice(texts: dict[str, str], data: st.DataObject) -> None:
    judged = data.draw(st.lists(st.sampled_from(list(texts)), min_size=1, unique=True))
    wanted = {texts[name] for name in judged}
    made = draft(texts, dict.fromkeys(judged, 1), size=len(wanted))
    assert made.coverage.full == 1
    chosen = [list(texts.values())[position] for position in made.selection.positions]
    assert sorted(chosen) == sorted(wanted)


def two_with_keys() -> tuple[str, str]:
    """Two ids, the one with the smaller key first."""
    first, second = sorted(("a", "b"), key=key)
    return first, second


@pytest.mark.parametrize(("mode", "kept"), [("uniform", 0), ("keep_positives", 1)])
def test_a_positive_comes_first_where_the_mode_keeps_positives(mode: str, kept: int) -> None:
    twins = two_with_keys()
    texts = {twins[0]: "soup", twins[1]: "soup", "other": "pie"}
    made = draft(texts, {twins[1]: 2}, mode=mode, size=2)
    assert [(qrel.document, qrel.grade) for qrel in made.judged.qrels] == [(twins[kept], 2)]
    assert twins[kept] in ids(texts, {twins[1]: 2}, mode=mode, size=2)


@pytest.mark.parametrize(
    ("grades", "left", "counts"),
    [
        ({"a": 1, "b": 3}, 3, (1, 1)),
        ({"a": 3, "b": 0}, 3, (1, 1)),
        ({"a": 2}, 2, (0, 0)),
    ],
)
def test_the_highest_grade_counts(grades: dict[str, int], left: int, counts: tuple[int, int]) -> None:
    made = draft({"a": "soup", "b": "soup", "c": "pie"}, grades, size=1)
    assert [qrel.grade for qrel in made.judged.qrels] == [left]
    assert made.judgments == counts


def test_title_and_text_together_decide(tmp_path: Path) -> None:
    write_source(tmp_path)
    records = [{"id": f"d{i}", "title": "soup", "text": "hot"} for i in range(3)]
    records += [{"id": "d9", "title": "soup hot", "text": "hot"}]
    assert build(tmp_path, records, size=2, mode="uniform").manifest.counts["different_texts"] == 2


def build(folder: Path, records: Sequence[dict[str, str]], **settings: object) -> Artifact:
    write_json_lines(folder / "docs.jsonl", list(records))
    source = SourceSettings(
        source=str(folder / "docs.jsonl"), queries=str(folder / "queries.jsonl"), qrels=str(folder / "qrels.txt")
    )
    chosen = SubsetSettings.model_validate({"dedup": "exact_text", "namespace": "tiny", **settings})
    return build_subset(source, chosen, folder / "bundle", Silent(), accept_coverage=True)


def repeated(count: int = 60) -> list[dict[str, str]]:
    """Documents of which every third has the text of another."""
    return [{"id": f"d{i}", "text": f"text {i if i % 3 else i % 12}"} for i in range(count)]


def test_the_map_and_its_counts_are_in_the_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "PART_ROWS", 7)
    write_source(tmp_path)
    records = repeated()
    texts = {record["id"]: record["text"] for record in records}
    artifact = build(tmp_path, records, size=44)  # 44 different texts: all
    bundle = Bundle(artifact)
    twins = list(read_jsonl(bundle.path / "twins.jsonl", DocumentTwin))
    names = list(bundle.ids())
    assert len(names) == len({texts[name] for name in names}) == 44
    assert {twin.id for twin in twins} == texts.keys() - set(names)
    assert all(texts[twin.id] == texts[twin.kept] and names[twin.row or 0] == twin.kept for twin in twins)
    report = json.loads((bundle.path / "coverage.json").read_text())["twins"]
    assert (report["different_texts"], report["twins_left_out"]) == (44, 16)
    assert artifact.manifest.counts.items() >= report.items()
    assert verify_bundle(bundle) == []


def test_a_judgment_moved_to_a_document_outside_the_subset_is_in_the_map(tmp_path: Path) -> None:
    write_source(tmp_path)
    bundle = Bundle(build(tmp_path, repeated(), size=3, mode="uniform"))
    twins, there = list(read_jsonl(bundle.path / "twins.jsonl", DocumentTwin)), set(bundle.ids())
    outside = [twin for twin in twins if twin.row is None]
    assert outside
    assert {twin.kept for twin in outside}.isdisjoint(there)
    assert {twin.id for twin in twins}.isdisjoint(qrel.document for qrel in bundle.qrels())
    assert {twin.kept for twin in outside} <= {qrel.document for qrel in bundle.qrels()}


def test_more_documents_than_different_texts_are_refused_with_both_numbers(tmp_path: Path) -> None:
    write_source(tmp_path)
    with pytest.raises(UserError, match=r"--size 50 is more than the 44 different texts among the 60 documents"):
        build(tmp_path, repeated(), size=50)


def test_strata_are_those_of_the_kept_documents(tmp_path: Path) -> None:
    write_source(tmp_path)
    records = [{**record, "lang": "de" if int(record["id"][1:]) % 2 else "en"} for record in repeated()]
    bundle = Bundle(build(tmp_path, records, size=20, mode="stratified", strata="lang", allocation="equal"))
    langs = {record["id"]: record["lang"] for record in records}
    assert all(row.stratum == langs[row.id] for row in bundle.rows())


def test_without_dedup_nothing_of_it_is_in_the_bundle(tmp_path: Path) -> None:
    write_source(tmp_path)
    artifact = build(tmp_path, repeated(), size=60, dedup="off")
    assert not (artifact.path / "twins.jsonl").exists()
    assert "dedup" not in artifact.manifest.settings
    assert artifact.manifest.counts["documents"] == 60
