"""A corpus with prices, rooms and years gives tests of several constraints at once, and nothing else need be built."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.main import cli
from constraintsuite.core.records.examples import QUERY_PREFERENCE, Example, ExampleDocument
from constraintsuite.suites.combined.record import AllOf
from constraintsuite.suites.constraints.all_of import ALL_OF
from constraintsuite.suites.constraints.number import Number
from constraintsuite.suites.constraints.time import Time
from constraintsuite.suites.examples import read_examples

OPENINGS = ("stands by the river", "looks out on the harbour", "is hidden in a wood", "is near the old mill")
ENDINGS = ("Breakfast is served late.", "The garden is large.", "Bring good shoes.", "Ask for a map.")


def invoke(*command: object) -> str:
    result = CliRunner().invoke(cli, [str(word) for word in command])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """96 hotels, each with a price, a number of rooms and a year, built with the rules."""
    folder = tmp_path_factory.mktemp("hotels")
    rows = []
    for n in range(96):
        where, ending = OPENINGS[n % 4], ENDINGS[n // 4 % 4]
        facts = [
            f"A room costs {(40, 180)[n % 2]} euros a night.",
            f"It has {(7, 33)[n // 2 % 2]} rooms.",
            f"It was built in {(1874, 1987)[n // 4 % 2]}.",
        ]
        text = " ".join([f"Hotel Q{n} is a hotel that {where}.", *facts[n % 3 :], *facts[: n % 3], ending])
        rows.append({"id": f"h{n:02}", "title": f"Hotel Q{n}", "text": text})
    corpus = folder / "hotels.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = folder / "suite"
    invoke("build", "--corpus", corpus, "--constraints", "all_of", "--analyser", "rules", "--size", 60, "--out", out)
    return out


@pytest.fixture(scope="module")
def examples(suite: Path) -> list[Example]:
    return list(read_examples(suite))


def all_of(example: Example) -> AllOf:
    assert isinstance(example.constraint, AllOf)
    return example.constraint


def obeyed(constraint: AllOf, document: ExampleDocument) -> int:
    """How many parts a text obeys, by the numbers that it was made from."""
    count = 0
    for part in constraint.parts:
        assert isinstance(part, (Number, Time))
        values = {"price_EUR_night": (40, 180), "price_EUR": (40, 180), "rooms": (7, 33), "opened": (1874, 1987)}
        (value,) = [one for one in values[part.measure] if f" {one} " in document.text.replace(".", " ")]
        count += (value < part.limit) == (part.position == "below")
    return count


def test_the_documents_obey_as_many_parts_as_their_roles_say(examples: list[Example]) -> None:
    assert Counter(len(all_of(one).parts) for one in examples).keys() == {2, 3}
    for example in examples:
        constraint = all_of(example)
        count = len(constraint.parts)
        wanted = {"satisfying": count, "violating": count - 1} | {f"obeys_{n}": n for n in range(count - 1)}
        assert all(obeyed(constraint, one) == wanted[one.role] for one in example.documents)


def test_what_obeys_more_is_preferred_under_the_query_and_only_the_pair_under_the_opposite(
    examples: list[Example],
) -> None:
    example = next(one for one in examples if len(one.documents) == 4)
    roles = [document.role for document in example.documents]
    assert roles == ["satisfying", "violating", "obeys_1", "obeys_0"]
    under_query = {(one.better, one.worse) for one in example.preferences if one.query == "query"}
    assert {*pairwise(roles)} < under_query
    assert len(under_query) == 6
    assert [one.worse for one in example.preferences if one.query == "opposite"] == ["satisfying"]
    assert [one for one in example.preferences if one.query == "query" and not one.is_graded] == [QUERY_PREFERENCE]


def test_every_example_asks_in_two_wordings_and_says_how_many_parts_it_has(examples: list[Example]) -> None:
    for example in examples:
        constraint = all_of(example)
        assert example.restated not in (None, example.query)
        assert example.tags["constraints"] == str(len(constraint.parts))
        assert example.tags["broken"] == constraint.parts[constraint.broken].type
        values = [part.value.removesuffix(" a night") for part in constraint.parts]
        assert all(value in text for value in values for text in (example.query, example.opposite or ""))


def test_the_evidence_is_that_of_the_broken_part(examples: list[Example]) -> None:
    for example in examples:
        constraint = all_of(example)
        assert constraint.evidence == constraint.parts[constraint.broken].evidence
        assert all({one.document for one in part.evidence} == {d.role for d in example.documents} for part in constraint.parts)  # fmt: skip


def test_verify_reads_every_text_again(suite: Path, examples: list[Example]) -> None:
    assert "all checks passed" in invoke("verify", suite)
    example = next(one for one in examples if len(one.documents) > 2)
    first, second, third, *rest = example.documents
    exchanged = (first, replace(second, text=third.text), replace(third, text=second.text), *rest)
    faults = list(ALL_OF.faults([replace(example, documents=exchanged, constraint=without_evidence(all_of(example)))]))
    assert [fault.rpartition(" document")[0].rpartition(" ")[2] for fault in faults] == ["violating", third.role]


def without_evidence(constraint: AllOf) -> AllOf:
    return constraint.with_evidence(lambda _: ())


def test_eval_prints_the_figures_by_number_of_constraints(suite: Path, tmp_path: Path) -> None:
    printed = invoke("eval", suite, "--model", "bm25", "--out", tmp_path / "runs", "--allow-small-split")
    assert "bm25: Paired accuracy, Same when restated, Monotonicity by number of constraints" in printed
    (run,) = (tmp_path / "runs").glob("*/*/summary.json")
    by_count = json.loads(run.read_text())["by"]["constraints"]
    assert by_count["3"]["metrics"]["monotonicity"]["n"] > 0
    invoke("report", run.parent, "--out", tmp_path / "report")
    assert "Several constraints at once" in (tmp_path / "report" / "index.html").read_text()


def test_with_other_types_only_those_are_combined(tmp_path: Path, suite: Path) -> None:
    corpus, out = suite.parent / "hotels.jsonl", tmp_path / "suite"
    invoke("build", "--corpus", corpus, "--constraints", "all_of,number", "--analyser", "rules", "--size", 40, "--out", out)  # fmt: skip
    types = {part.type for one in read_examples(out) if isinstance(one.constraint, AllOf) for part in one.constraint.parts}  # fmt: skip
    assert types == {"number"}


@pytest.mark.parametrize(
    ("parts", "broken", "message"), [(1, 0, "needs 2 to 5 parts"), (6, 0, "needs 2 to 5 parts"), (2, 2, "broken is 2")]
)
def test_a_record_has_two_to_five_parts_of_which_one_is_broken(
    examples: list[Example], parts: int, broken: int, message: str
) -> None:
    part = all_of(examples[0]).parts[0]
    with pytest.raises(ValueError, match=message):
        AllOf(value="", cue="", forms=(), parts=(part,) * parts, broken=broken)
