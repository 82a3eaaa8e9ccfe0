from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.records.constraints import Evidence
from constraintsuite.core.records.examples import Example, ExampleDocument
from constraintsuite.experiments.load import load_run
from constraintsuite.experiments.run import evaluate_suite
from constraintsuite.experiments.scoring import pairs_of
from constraintsuite.experiments.summary import CharactersNeeded, ExampleTruncation, deciding_places, find_truncation
from constraintsuite.models import SCORERS
from constraintsuite.models.base import ModelFact, Scorer, Workbench
from constraintsuite.models.lexical import Bm25Scorer
from constraintsuite.models.model_names import ModelName
from constraintsuite.text.terms import TermAnalyser
from experiments.tiny_suite import BREAD, CREAMLESS, EXAMPLES, NUTLESS, NUTS, with_documents, with_evidence, write_suite


def imported(satisfying: str, violating: str) -> Example:
    """Two texts of which nothing is known."""
    one = ExampleDocument("satisfying", "a", "", satisfying, "a")
    other = ExampleDocument("violating", "b", "", violating, "b")
    return replace(CREAMLESS, documents=(one, other), constraint=None)


def mention(role: str, start: int, verdict: str) -> Evidence:
    return Evidence(role, start, start + 5, verdict, "test")


EDITED = with_documents(
    with_evidence(CREAMLESS),
    replace(CREAMLESS.satisfying, edit="", changed=((3, 9),)),
    replace(CREAMLESS.violating, edit="flip", changed=((4, 8), (20, 30))),
)


@pytest.mark.parametrize(
    ("example", "places"),
    [
        (
            with_evidence(CREAMLESS, mention("satisfying", 10, "negated"), mention("violating", 2, "affirmed")),
            CharactersNeeded(15, 7),
        ),
        (NUTLESS, CharactersNeeded(0, NUTS.index("nuts") + 4)),  # what is left out has no place
        (EDITED, CharactersNeeded(9, 8)),
        (with_evidence(EDITED, mention("satisfying", 10, "negated")), CharactersNeeded(15, 8)),
        (imported("all but one", "all but two"), CharactersNeeded(9, 9)),
        (imported("all but", "all but two"), CharactersNeeded(7, 8)),
        (imported("same", "same"), CharactersNeeded(4, 4)),
    ],
)
def test_what_decides_must_be_read(example: Example, places: CharactersNeeded) -> None:
    assert deciding_places(example) == places


@pytest.mark.parametrize(
    ("read", "found"),
    [
        (100, ExampleTruncation(cut=False, identical=False)),
        (NUTS.index("nuts") + 4, ExampleTruncation(cut=False, identical=False)),
        (NUTS.index("nuts") + 3, ExampleTruncation(cut=True, identical=False)),
        (NUTS.index("nuts"), ExampleTruncation(cut=True, identical=True)),  # "Bread made of rye, " twice
        (0, ExampleTruncation(cut=True, identical=True)),
    ],
)
def test_an_example_is_cut_where_the_mention_is_not_read(read: int, found: ExampleTruncation) -> None:
    assert find_truncation(NUTLESS, {pair: read for pair in pairs_of([NUTLESS])}) == found


def test_one_query_that_leaves_too_little_room_is_enough() -> None:
    visible = {pair: 1_000 for pair in pairs_of([NUTLESS])}
    assert not find_truncation(NUTLESS, visible).cut
    queries = NUTLESS.queries
    assert find_truncation(NUTLESS, {**visible, (queries["opposite"], NUTS): 5}).cut
    assert not find_truncation(NUTLESS, {**visible, (queries["topic"], NUTS): 5}).cut  # states no preference
    assert not find_truncation(NUTLESS, {**visible, (queries["opposite"], BREAD): 20}).cut


class FirstCharacters:
    """BM25 that reads 18 characters of a text and says so."""

    name, fingerprint, length = "first", "1", 18

    def __init__(self, documents: Sequence[str]) -> None:
        self._bm25 = Bm25Scorer([text[: self.length] for text in documents], TermAnalyser(stop_list="none"))

    def score(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        return self._bm25.score([(query, text[: self.length]) for query, text in pairs])

    def visible(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.int64]:
        return np.array([min(self.length, len(text)) for _, text in pairs])

    def describe(self) -> dict[str, ModelFact]:
        return {"length": self.length}


def make_first(name: ModelName, bench: Workbench) -> Scorer:
    return FirstCharacters(bench.documents)


def test_a_run_holds_the_audit_and_marks_what_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SCORERS.places, "first", f"{__name__}:make_first")
    run = load_run(evaluate_suite(write_suite(tmp_path / "suite"), "first", tmp_path / "run", Silent()).path)
    audit = run.summary.truncation
    assert audit is not None
    # "A soup with leeks ", "A campsite by the ", "Bread made of rye, ": only one text shows its Y.
    assert (audit.examples, audit.cut, audit.identical) == (5, 5, 1)
    assert audit.ids == tuple(example.id for example in EXAMPLES)
    assert (audit.share.value, audit.share.n) == (1.0, 5)
    assert audit.with_cut["accuracy"].value == run.summary.overall.metrics["accuracy"].value
    assert (audit.without_cut["accuracy"].value, audit.without_cut["accuracy"].n) == (None, 0)
    assert all(result.cut for result in run.results)
    assert json.loads((tmp_path / "run" / "model.json").read_text()) == {"length": 18}


def _spelling(text: str) -> int:
    """A number that differs for texts which hold the same letters in another order."""
    return sum(place * ord(letter) for place, letter in enumerate(text))


class Deaf(FirstCharacters):
    """Prefers texts by their letters, whatever the query is."""

    def score(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        return np.array([_spelling(text) for _, text in pairs], dtype=np.float64)


class Hearing(Deaf):
    """Prefers them so the more, the longer the query is."""

    def score(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        return np.array([len(query) * _spelling(text) for query, text in pairs], dtype=np.float64)


def make_deaf(name: ModelName, bench: Workbench) -> Scorer:
    return Deaf(bench.documents)


def make_hearing(name: ModelName, bench: Workbench) -> Scorer:
    return Hearing(bench.documents)


@pytest.mark.parametrize(("make", "unheard"), [("make_deaf", 5), ("make_hearing", 0)])
def test_a_model_that_does_not_hear_its_queries_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: str, unheard: int
) -> None:
    monkeypatch.setitem(SCORERS.places, "first", f"{__name__}:{make}")
    run = load_run(evaluate_suite(write_suite(tmp_path / "suite"), "first", tmp_path / "run", Silent()).path)
    assert run.summary.truncation is not None
    assert run.summary.truncation.unheard == unheard


def test_a_model_that_does_not_say_how_much_it_reads_is_not_audited(tmp_path: Path) -> None:
    run = load_run(evaluate_suite(write_suite(tmp_path / "suite"), "bm25", tmp_path / "run", Silent()).path)
    assert run.summary.truncation is None
    assert {result.cut for result in run.results} == {None}
