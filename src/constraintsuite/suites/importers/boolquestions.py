"""BoolQuestions (Zhang et al. 2024): questions with AND, OR and NOT over passages of MS MARCO or Natural Questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import Document, Qrel, Query
from constraintsuite.corpora.fields import FileRecord
from constraintsuite.corpora.jsonl import read_objects
from constraintsuite.suites.importers.base import (
    MOST_PAIRS,
    WHOLE,
    ImportedSuite,
    hash_files,
    id_of,
    judged_pairs,
    list_of,
    name_source,
    require_files,
    text_of,
)

_FILES = ("eval.json", "corpus.jsonl")
_ABOUT = (
    "BoolQuestions: questions with AND, OR or NOT (the group `question_type`), written by language models. Positive passages answer the "
    f"question; negative ones count as violating. Pairs prefer a positive to a negative passage, at most {MOST_PAIRS} per question, "
    "chosen by hash; each has one query, so its accuracy has a chance level of 50 %. The collection holds the judged passages alone. "
    "The paper searches its whole corpus: for its figures, measure a TREC run over that corpus with `csuite retrieve-eval --from-trec`."
)


class _Question(NamedTuple):
    query: Query
    positive: Sequence[str]
    negative: Sequence[str]


def read(source: str, split: str | None) -> ImportedSuite:
    """A folder of the dataset on the hub, MSMARCO or NaturalQuestions, with `eval.json` and `corpus.jsonl`."""
    if split not in (None, "eval"):
        raise UserError(f"--split {split}: BoolQuestions has the split eval only.")
    advice = "Download the folder MSMARCO or NaturalQuestions of ustc-zhangzm/BoolQuestions."
    evaluation, corpus = require_files(source, _FILES, advice)
    questions = [_question(row) for row in read_objects(evaluation, WHOLE)]
    if not questions:
        raise UserError(f"{evaluation}: holds no question.")
    judged = {name for one in questions for name in (*one.positive, *one.negative)}
    documents = _documents(corpus, judged)
    missing = sorted(judged - documents.keys())
    if missing:
        raise UserError(
            f"{corpus}: {len(missing):,} of {len(judged):,} judged passages, such as {missing[0]!r}, are not there. "
            "Is it the corpus of this eval.json?"
        )
    examples = tuple(
        example
        for one in questions
        for example in judged_pairs(
            "boolquestions",
            "boolquestions",
            one.query,
            [documents[name] for name in one.positive if name not in one.negative],
            [documents[name] for name in one.negative if name not in one.positive],
            "test",
        )
    )
    return ImportedSuite(
        f"boolquestions_{name_source(source)}",
        _ABOUT,
        hash_files(evaluation, corpus),
        "eval",
        examples,
        documents=tuple(documents.values()),
        queries=tuple(one.query for one in questions),
        qrels=tuple(Qrel(one.query.id, name, 1) for one in questions for name in one.positive),
        violations=tuple(Qrel(one.query.id, name, 0) for one in questions for name in one.negative),
    )


def _question(row: FileRecord) -> _Question:
    query = Query(id_of(row, "qid"), text_of(row, "question"), {"question_type": text_of(row, "question_type")})
    positive, negative = (_passages(row, key) for key in ("positive_ctxs", "negative_ctxs"))
    if not positive:
        raise UserError(f"{row.where}: the question has no positive passage.")
    return _Question(query, positive, negative)


def _passages(row: FileRecord, key: str) -> list[str]:
    """The ids of the passages in a field, each once."""
    found = []
    for number, passage in enumerate(list_of(row, key), 1):
        where = f"{row.where}: passage {number} of {key!r}"
        if not isinstance(passage, Mapping):
            raise UserError(f"{where} must be an object with a 'passage_id'.")
        found.append(id_of(FileRecord(where, passage), "passage_id"))
    return list(dict.fromkeys(found))


def _documents(corpus: Path, judged: Set[str]) -> dict[str, Document]:
    """The judged passages of a corpus, which is too large to keep."""
    found = {}
    for row in read_objects(corpus, WHOLE):
        name = id_of(row, "docid")
        if name in judged:
            title = row.values.get("title")
            found[name] = Document(name, text_of(row, "doc"), title if isinstance(title, str) else "")
    return found
