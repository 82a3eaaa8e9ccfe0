"""What is searched: a suite's own collection, or the documents of its pairs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import Example, ExampleDocument
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.experiments.ranking.collection import RankingCollection, read_collection
from constraintsuite.suites.importers.folder import import_suite
from experiments.tiny_suite import CONTROLS, CREAM, CREAMLESS, DOGLESS, EXAMPLES, LEEKS, NUTLESS, write_suite
from suites.annotation.test_kinds import SOUPS

FILMS = ["A film by Ann.", "A film by Bea.", "A town."]


def texts(collection: RankingCollection) -> dict[str, str]:
    return dict(zip(*collection.passages, strict=True))


def with_documents(example: Example, satisfying: tuple[str, str], violating: tuple[str, str], id: str = "") -> Example:
    documents = (
        ExampleDocument("satisfying", satisfying[0], "Title", satisfying[1], satisfying[0]),
        ExampleDocument("violating", violating[0], "Title", violating[1], violating[0]),
    )
    return replace(example, id=id or example.id, documents=documents, constraint=None)


def write_excluir(folder: Path) -> Path:
    folder.mkdir()
    (folder / "corpus.json").write_text(json.dumps(FILMS))
    row = {"RQ_rewrite": "Which film is not by Ann?", "corpus_sub_index": [0, 1]}
    (folder / "test_manual_final.json").write_text(json.dumps([row]))
    return folder


def write_beir(folder: Path, qrels: str) -> Path:
    (folder / "qrels").mkdir(parents=True)
    rows = [{"_id": f"d{i}", "title": "Film" if i < 2 else "", "text": text} for i, text in enumerate(FILMS)]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    queries = [{"_id": "q1", "text": "films by Bea"}, {"_id": "q2", "text": "towns"}]
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in queries))
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + qrels)
    return folder


def test_pairs_of_one_query_are_one_judged_query_named_after_the_first(tmp_path: Path) -> None:
    first = with_documents(CREAMLESS, ("leeks", LEEKS), ("cream", CREAM))
    second = with_documents(CREAMLESS, ("broth", "A clear broth."), ("cream", CREAM), id="again")
    collection = read_collection(write_suite(tmp_path / "suite", [first, second], ()))
    (query,) = collection.queries
    assert (query.id, query.text) == ("creamless", "soups without cream")
    assert query.grades == {"leeks": 1, "broth": 1}
    assert query.violating == {"cream"}
    assert texts(collection) == {
        "leeks": LEEKS,
        "cream": CREAM,
        "broth": "A clear broth.",
    }  # no titles: labels are of texts


def test_another_text_under_a_known_id_is_a_document_of_its_own(tmp_path: Path) -> None:
    collection = read_collection(write_suite(tmp_path / "suite", EXAMPLES, CONTROLS))  # all have the ids d1 and d2
    assert len(set(collection.passages.ids)) == len(collection.passages.ids) == 8
    assert texts(collection)["d1"] == LEEKS
    assert len(collection.queries) == 5  # controls are none


def test_a_document_on_both_sides_of_a_query_is_reported_and_dropped(tmp_path: Path) -> None:
    first = with_documents(CREAMLESS, ("a", "Soup a."), ("b", "Soup b."))
    second = with_documents(CREAMLESS, ("b", "Soup b."), ("c", "Soup c."), id="again")
    collection = read_collection(write_suite(tmp_path / "suite", [first, second], ()))
    (query,) = collection.queries
    assert query.grades == {"a": 1}
    assert query.violating == {"c"}
    assert collection.notes[0].startswith("1 documents both answer a query and violate it")


def test_a_split_keeps_all_documents_but_only_its_queries(tmp_path: Path) -> None:
    dev = replace(with_documents(NUTLESS, ("rye", "Rye bread."), ("nut", "Nut bread.")), split="dev")
    suite = write_suite(tmp_path / "suite", [with_documents(DOGLESS, ("no", "No dogs."), ("yes", "Dogs.")), dev], ())
    collection = read_collection(suite, split="dev")
    assert [query.id for query in collection.queries] == ["nutless"]
    assert len(collection.passages.ids) == 4
    with pytest.raises(UserError, match="no query of the split train"):
        read_collection(suite, split="train")


def test_queries_that_share_a_cluster_or_a_source_are_linked(tmp_path: Path) -> None:
    queries = {query.id: query for query in read_collection(write_suite(tmp_path / "suite")).queries}
    assert "p3" in queries["dogless"].links & queries["showerless"].links
    assert not queries["nutless"].links & queries["dogless"].links


def test_excluir_brings_its_collection_with_one_relevant_and_one_violating_document(tmp_path: Path) -> None:
    suite = import_suite("excluir", str(write_excluir(tmp_path / "excluir")), tmp_path / "suite")
    collection = read_collection(suite.path)
    (query,) = collection.queries
    assert query.grades == {"d1": 1}
    assert query.violating == {"d0"}
    assert query.links == {"d0", "d1"}
    assert texts(collection) == {"d0": FILMS[0], "d1": FILMS[1], "d2": FILMS[2]}


def test_a_beir_collection_is_searched_by_title_and_text(tmp_path: Path) -> None:
    suite = import_suite(
        "beir", str(write_beir(tmp_path / "beir", "q1\td1\t2\nq2\td0\t0\nq2\td2\t1\n")), tmp_path / "s"
    )
    collection = read_collection(suite.path, split="test")
    assert texts(collection) == {"d0": "Film A film by Ann.", "d1": "Film A film by Bea.", "d2": "A town."}
    assert [(query.id, query.grades) for query in collection.queries] == [("q1", {"d1": 2}), ("q2", {"d0": 0, "d2": 1})]
    with pytest.raises(UserError, match="holds the queries of the split 'test' only"):
        read_collection(suite.path, split="dev")


def test_a_corpus_adds_what_is_not_there_yet_by_id_or_text(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", [with_documents(CREAMLESS, ("leeks", LEEKS), ("cream", CREAM))], ())
    corpus = tmp_path / "corpus.jsonl"
    rows = [
        {"id": "leeks", "text": f"{LEEKS}  "},  # the same, but for spaces
        {"id": "cream", "text": "Something else."},  # the id is taken
        {"id": "copy", "text": CREAM},
        {"id": "new", "title": "Left out", "text": "A new soup."},
        {"id": "new", "text": "Another new soup."},
    ]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    plain, added = read_collection(suite), read_collection(suite, corpus=str(corpus))
    assert texts(added) == {"leeks": LEEKS, "cream": CREAM, "new": "A new soup."}
    assert added.queries == plain.queries
    assert added.notes == (
        "1 passages of corpus were added as distractors.",
        "2 have the id of a document that was there with another text, and were left out.",
    )
    assert plain.inputs.items() < added.inputs.items()


def test_a_collection_that_was_changed_is_refused(tmp_path: Path) -> None:
    suite = import_suite("excluir", str(write_excluir(tmp_path / "excluir")), tmp_path / "suite").path
    (suite / "qrels.jsonl").write_text('{"query":"excluir_00000","document":"d2","grade":1}\n')
    with pytest.raises(UserError, match=r"qrels\.jsonl: changed since the suite was made"):
        read_collection(suite)


def test_a_broken_row_of_the_corpus_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"id": "a", "text": ""}\n')
    with pytest.raises(UserError, match=r"corpus\.jsonl:1: .*its text is missing or empty\. Correct it\.$"):
        read_collection(write_suite(tmp_path / "suite"), corpus=str(tmp_path / "corpus.jsonl"))


def test_what_the_build_read_of_other_documents_is_judged_too_in_any_split(tmp_path: Path) -> None:
    """Of a question about soups, one split has the pair, and another one a soup on either side; a third soup is unknown."""
    pair = replace(
        with_documents(CREAMLESS, ("leeks", LEEKS), ("cream", CREAM)), constraint=CREAMLESS.constraint, proposal="own"
    )
    own = replace(SOUPS, id="own", satisfying=("leeks",), violating=("cream",))
    elsewhere = replace(SOUPS, id="elsewhere", split="train", satisfying=("d3", "cream"), violating=("d4",))
    rows = [{"_id": name, "title": "", "text": f"Soup {name}."} for name in ("d3", "d4", "d5")]
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    write_jsonl(tmp_path / "suite" / "proposals.jsonl", [own, elsewhere])
    suite = write_suite(tmp_path / "suite", [pair], ())
    (query,) = read_collection(suite).queries
    assert query.grades == {"leeks": 1}
    assert query.violating == {"cream"}  # the others are not in the collection
    collection = read_collection(suite, corpus=str(tmp_path / "docs.jsonl"))
    (query,) = collection.queries
    assert query.grades == {"d3": 1, "leeks": 1}
    assert query.violating == {"cream", "d4"}  # what a pair says is kept
    assert "2 judgments are of documents beyond the pairs, as the build read them." in collection.notes
