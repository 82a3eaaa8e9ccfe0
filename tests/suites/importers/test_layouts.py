"""FollowIR, BoolQuestions and QUEST in the layouts in which their authors publish them, cut to a few rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Candidates, Document, InstructionChange, Qrel, Query
from constraintsuite.experiments.load import load_suite
from constraintsuite.suites.importers import boolquestions, followir, quest
from constraintsuite.suites.importers.folder import import_suite
from constraintsuite.suites.verification import verify_suite

Files = Mapping[str, str]


def lines(*rows: Mapping[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def write(folder: Path, files: Files) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def grades(query: str, **scores: float) -> str:
    return lines(*({"query-id": query, "corpus-id": name, "score": score} for name, score in scores.items()))


FOLLOWIR = {
    "corpus.jsonl": lines(
        {"_id": "wind", "title": "", "text": "Wind turbines supply the town."},
        {"_id": "coal", "title": "Power", "text": "The station burns coal."},
        {"_id": "oven", "title": "", "text": "A bakery fires its oven."},
    ),
    "queries.jsonl": lines(
        {
            "_id": "310",
            "text": "where power comes from",
            "instruction_og": "Any source is relevant.",
            "instruction_changed": "Any source but coal is relevant.",
            "keywords": "power",
            "short_query": "power",
        }
    ),
    "qrels_og/test.jsonl": grades("310", wind=2.0, coal=1.0, oven=0.0),
    "qrels_changed/test.jsonl": grades("310", wind=2.0, coal=0.0, oven=0.0),
    "top_ranked.jsonl": lines(*({"qid": "310", "pid": name} for name in ("coal", "wind", "oven"))),
}
BOOLQUESTIONS = {
    "corpus.jsonl": lines(
        {"docid": "1", "title": "Wind", "doc": "Wind turbines supply the town."},
        {"docid": "2", "title": "Coal", "doc": "The station burns coal."},
        {"docid": "3", "title": "Bakery", "doc": "Nobody judged this."},
    ),
    "eval.json": json.dumps(
        [
            {
                "qid": "q7",
                "question": "What supplies power without burning coal?",
                "question_type": "not",
                "positive_ctxs": [{"passage_id": "1"}],
                "negative_ctxs": [{"passage_id": "2"}],
            }
        ]
    ),
}
QUEST = {
    "documents.jsonl": lines(
        {"title": "Olive", "text": "An evergreen tree."}, {"title": "Holm oak", "text": "An evergreen oak."}
    ),
    "test.jsonl": lines(
        {
            "query": "Evergreen trees that are not oaks",
            "docs": ["Olive", "Box tree"],
            "original_query": "<mark>Evergreen trees</mark> that are not <mark>Oaks</mark>",
            "scores": None,
            "metadata": {"template": "_ that are not _", "domain": "plants", "fluency": [True]},
        }
    ),
}


def test_followir_asks_each_query_with_both_instructions(tmp_path: Path) -> None:
    found = followir.read(str(write(tmp_path / "core17", FOLLOWIR)), None)
    assert found.queries == (
        Query("310-og", "where power comes from Any source is relevant.", {"instruction": "original"}),
        Query("310-changed", "where power comes from Any source but coal is relevant.", {"instruction": "changed"}),
    )
    assert Qrel("310-og", "coal", 1) in found.qrels
    assert Qrel("310-changed", "coal", 0) in found.qrels
    assert found.candidates == tuple(Candidates(name, ("coal", "wind", "oven")) for name in ("310-og", "310-changed"))
    assert found.changes == (InstructionChange("310-og", "310-changed", ("coal",)),)
    assert found.violations == (Qrel("310-changed", "coal", 0),)


def test_a_pair_of_followir_prefers_what_the_changed_instruction_still_wants(tmp_path: Path) -> None:
    suite = import_suite("followir", str(write(tmp_path / "core17", FOLLOWIR)), tmp_path / "suite").path
    (pair,) = load_suite(suite).examples
    assert (pair.satisfying.id, pair.violating.id, pair.opposite) == ("wind", "coal", None)
    assert pair.query.endswith("Any source but coal is relevant.")
    assert verify_suite(suite) == []


def test_boolquestions_keeps_the_judged_passages_and_the_type_of_each_question(tmp_path: Path) -> None:
    found = boolquestions.read(str(write(tmp_path / "MSMARCO", BOOLQUESTIONS)), None)
    assert found.name == "boolquestions_MSMARCO"
    assert found.documents == (
        Document("1", "Wind turbines supply the town.", "Wind"),
        Document("2", "The station burns coal.", "Coal"),
    )
    assert (found.qrels, found.violations) == ((Qrel("q7", "1", 1),), (Qrel("q7", "2", 0),))
    (pair,) = found.examples
    assert (pair.satisfying.id, pair.violating.id, pair.tags["question_type"]) == ("1", "2", "not")


def test_a_passage_of_boolquestions_on_both_sides_makes_no_pair(tmp_path: Path) -> None:
    (question,) = json.loads(BOOLQUESTIONS["eval.json"])
    both = json.dumps([{**question, "negative_ctxs": [{"passage_id": "1"}, {"passage_id": 2}]}])
    found = boolquestions.read(str(write(tmp_path, {**BOOLQUESTIONS, "eval.json": both})), None)
    assert [(pair.satisfying.id, pair.violating.id) for pair in found.examples] == []


def test_quest_is_a_collection_with_set_operations_as_groups(tmp_path: Path) -> None:
    found = quest.read(str(write(tmp_path, QUEST)), None)
    assert found.queries == (
        Query(
            "test_00001",
            "Evergreen trees that are not oaks",
            {"template": "_ that are not _", "domain": "plants"},
        ),
    )
    assert found.qrels == (Qrel("test_00001", "Olive", 1), Qrel("test_00001", "Box tree", 1))
    assert found.documents[0] == Document("Olive", "An evergreen tree.", "Olive")
    assert found.examples == ()
    assert "never found, are 1 of the titles" in found.about


READERS = {"followir": FOLLOWIR, "boolquestions": BOOLQUESTIONS, "quest": QUEST}


@pytest.mark.parametrize(
    ("kind", "file", "text", "message"),
    [
        ("followir", "qrels_changed/test.jsonl", grades("310", wind=2), r"queries\.jsonl:1: the document 'coal' is"),
        ("followir", "qrels_og/test.jsonl", grades("310", wind=0.5), r"test\.jsonl:1: the field 'score' must be"),
        ("followir", "top_ranked.jsonl", lines({"qid": "9", "pid": "wind"}), r"'310' has no documents in top_ranked"),
        ("followir", "top_ranked.jsonl", lines({"qid": 310, "pid": "sun"}), r"'sun' of the query '310' is not in"),
        ("followir", "queries.jsonl", lines({"_id": "310", "text": "x"}), r"jsonl:1: the field 'instruction_og' is"),
        ("boolquestions", "corpus.jsonl", lines({"docid": "1", "doc": "x"}), r"1 of 2 judged passages, such as '2'"),
        ("boolquestions", "eval.json", '[{"qid": 1, "question": "x"}]', r"eval\.json:1: the field 'question_type' is"),
        ("boolquestions", "eval.json", "[]", r"eval\.json: holds no question"),
        ("quest", "documents.jsonl", lines({"title": "Elm", "text": ""}), r"none of the titles that answer, such as"),
        ("quest", "test.jsonl", lines({"query": "x", "docs": []}), r"test\.jsonl:1: the field 'docs' must be a list"),
    ],
)
def test_a_row_that_does_not_fit_is_named(tmp_path: Path, kind: str, file: str, text: str, message: str) -> None:
    folder = write(tmp_path / "data", {**READERS[kind], file: text})
    with pytest.raises(UserError, match=message):
        import_suite(kind, str(folder), tmp_path / "suite")
    assert not (tmp_path / "suite").exists()


@pytest.mark.parametrize("kind", READERS)
def test_files_that_are_missing_are_named_together(tmp_path: Path, kind: str) -> None:
    first, *others = READERS[kind]
    folder = write(tmp_path / "data", {first: READERS[kind][first]})
    with pytest.raises(UserError) as refused:
        import_suite(kind, str(folder), tmp_path / "suite")
    assert all(name in str(refused.value).partition("Missing: ")[2] for name in others)
