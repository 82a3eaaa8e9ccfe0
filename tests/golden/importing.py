"""A tiny test set of every format that `csuite import` reads, imported."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from constraintsuite.core.store.files import write_text
from constraintsuite.suites.importers.folder import import_suite

NEVIR = (
    '{"id": "7-2", "q1": "Which ferry never sails at night?", "q2": "Which ferry sails at night?", '
    '"doc1": "The Alder ferry never sails at night.", "doc2": "The Alder ferry sails at night."}\n'
)
GUIDE = {
    "id": "negation_explicit_7",
    "suite": "negation_explicit",
    "source": {
        "corpus": "ferries",
        "qid": "7",
        "doc_pos_id": "a",
        "doc_neg_id": "b",
        "retrieval": {
            "method": "bm25",
            "index": "ferries",
            "k_pool": 20,
            "rank_pos_in_pool": 4,
            "rank_neg_in_pool": None,
        },
    },
    "query": {"base": "ferries with bicycles", "neg": "ferries without bicycles", "template": "WITHOUT_Y"},
    "constraint": {
        "type": "exclude",
        "y": "bicycles",
        "negation_marker": "without",
        "y_surface_forms": ["bicycles", "bicycle"],
    },
    "docs": {
        "pos": {"id": "a", "title": "Alder", "text": "The Alder ferry takes no bicycles."},
        "neg": {"id": "b", "title": "Birch", "text": "The Birch ferry takes bicycles."},
    },
    "labels": {"pairwise_preference_for_query_neg": "pos_over_neg"},
    "tags": {
        "difficulty": "medium",
        "doc_pos_mentions_y": True,
        "doc_neg_mentions_y": True,
        "y_negated_in_doc_pos": True,
        "lexical_overlap_bin": "high",
        "doc_length_bin": "short",
        "negation_explicitness": "explicit",
    },
}
TEXTS = ["A film by Ann.", "A film by Bea.", "A town."]
EXCLUIR = {"RQ_rewrite": "Which film is not by Ann?", "corpus_sub_index": [0, 1]}
JUDGED = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td0\t0\nq2\td2\t2\n"
BEIR = {
    "corpus.jsonl": [{"_id": f"d{row}", "title": "", "text": text} for row, text in enumerate(TEXTS)],
    "queries.jsonl": [{"_id": "q1", "text": "films not by Ann"}, {"_id": "q2", "text": "towns"}],
}
FOLLOWIR_QUERY = {
    "_id": "1",
    "text": "films",
    "instruction_og": "Films by anyone are relevant.",
    "instruction_changed": "Films that are not by Ann are relevant.",
}
BOOLQUESTION = {
    "qid": "1",
    "question": "Which film is not by Ann?",
    "question_type": "not",
    "positive_ctxs": [{"passage_id": "d1"}],
    "negative_ctxs": [{"passage_id": "d0"}],
}
QUEST = {"query": "films not by Ann", "docs": ["Bea"], "metadata": {"template": "_ that are not _", "domain": "films"}}
TRIPLES = (
    "query,satisfying,violating,opposite,domain\nfilms not by Ann,A film by Bea.,A film by Ann.,films by Ann,film\n"
)


def _lines(*rows: Mapping[str, object]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _grades(*scores: int) -> str:
    return _lines(*({"query-id": "1", "corpus-id": f"d{n}", "score": score} for n, score in enumerate(scores)))


SOURCES: Mapping[str, Mapping[str, str]] = {
    "nevir": {"test.jsonl": NEVIR},
    "guide": {"guide.jsonl": json.dumps(GUIDE) + "\n"},
    "excluir": {"corpus.json": json.dumps(TEXTS), "test_manual_final.json": json.dumps([EXCLUIR])},
    "negconstraint": {name: "".join(json.dumps(row) + "\n" for row in rows) for name, rows in BEIR.items()}
    | {"test.tsv": JUDGED},
    "beir": {name: "".join(json.dumps(row) + "\n" for row in rows) for name, rows in BEIR.items()}
    | {"qrels/test.tsv": JUDGED},
    "followir": {
        "corpus.jsonl": _lines(*BEIR["corpus.jsonl"]),
        "queries.jsonl": _lines(FOLLOWIR_QUERY),
        "qrels_og/test.jsonl": _grades(1, 1, 0),
        "qrels_changed/test.jsonl": _grades(0, 1, 0),
        "top_ranked.jsonl": _lines(*({"qid": "1", "pid": f"d{n}"} for n in range(3))),
    },
    "boolquestions": {
        "corpus.jsonl": _lines(*({"docid": f"d{n}", "doc": text} for n, text in enumerate(TEXTS))),
        "eval.json": json.dumps([BOOLQUESTION]),
    },
    "quest": {
        "documents.jsonl": _lines(
            *({"title": name, "text": text} for name, text in zip(("Ann", "Bea"), TEXTS, strict=False))
        ),
        "test.jsonl": _lines(QUEST),
    },
    "triples": {"triples.csv": TRIPLES},
}
"""The files of a test set of each format."""


def import_all(folder: Path) -> None:
    """Each from a folder of its name into the folder `from NAME`."""
    for name, files in SOURCES.items():
        for file, text in files.items():
            write_text(folder / name / file, text)
        source = folder / name if name != "triples" else folder / name / "triples.csv"
        import_suite(name, str(source), folder / f"from {name}")
