"""A corpus with prices gives tests of limits: natural texts, both sides asked for, no shortcut ahead."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.main import cli
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.suites.constraints.number import Number
from constraintsuite.suites.examples import read_examples
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.stages.pairs import read_drafts

OPENINGS = ("stands by the river", "looks out on the harbour", "is hidden in a wood", "is near the old mill")
ENDINGS = ("Breakfast is served late.", "The garden is large.", "Bring good shoes.", "Ask for a map.")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """90 hotels with prices from 33 to 211 euros, built with the rules."""
    folder = tmp_path_factory.mktemp("prices")
    rows = []
    for n in range(90):
        where, ending = OPENINGS[n % 4], ENDINGS[n // 4 % 4]
        cost = f"A room costs {33 + 2 * (n * 37 % 90)} euros a night."
        rest = f"{cost} {ending}" if n % 3 else f"{ending} {cost}"
        rows.append({"id": f"h{n:02}", "title": f"Hotel {n}", "text": f"Hotel {n} is a hotel that {where}. {rest}"})
    corpus = folder / "hotels.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = folder / "suite"
    command = [
        "build",
        "--corpus",
        str(corpus),
        "--constraints",
        "number,time",
        "--analyser",
        "rules",
        "--out",
        str(out),
    ]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 0, result.output
    assert "No example of the type 'time': this corpus supports none" in result.output
    assert "'number': this corpus" not in result.output
    return out


@pytest.fixture(scope="module")
def examples(suite: Path) -> list[Example]:
    return list(read_examples(suite))


def test_the_card_counts_each_type_that_was_asked_for(suite: Path, examples: list[Example]) -> None:
    lines = (suite / "README.md").read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if line.startswith(("| constraint type |", "| number |", "| time |"))]
    assert table[0] == "| constraint type | n | train | dev | test |"
    assert table[1].startswith(f"| number | {len(examples)} |")
    assert table[2] == "| time | 0 | 0 | 0 | 0 |"


def value(example: Example, role: str) -> float:
    assert example.constraint is not None
    (found,) = {one.value for one in example.constraint.evidence if one.document == role}
    return float(found.removesuffix(" EUR"))


def test_the_values_are_on_the_two_sides_of_the_limit_that_the_query_names(examples: list[Example]) -> None:
    assert len(examples) >= 10
    for example in examples:
        assert isinstance(example.constraint, Number)
        assert f"{example.constraint.limit:g} euros" in example.query
        low, high = sorted(value(example, role) for role in ("satisfying", "violating"))
        assert low < example.constraint.limit < high
        assert (value(example, "satisfying") == low) == (example.constraint.position == "below")


def test_no_text_is_edited_and_the_opposite_asks_for_the_other_side(examples: list[Example]) -> None:
    for example in examples:
        assert not example.is_edited
        assert example.is_paired
        assert example.opposite not in (None, example.query)


def test_both_sides_are_asked_for(examples: list[Example]) -> None:
    sides = Counter(example.tags["position"] for example in examples)
    assert min(sides["below"], sides["above"]) >= 3


def test_each_question_has_at_most_one_more_draft_for_one_side_than_for_the_other(suite: Path) -> None:
    sides: dict[tuple[str, float], Counter[str]] = defaultdict(Counter)
    proposals = {one.id: one.constraint for one in read_jsonl(suite / "stages/queries/proposals.jsonl", Proposal)}
    for draft in read_drafts(suite / "stages/pairs"):
        constraint = proposals[draft.proposal]
        assert isinstance(constraint, Number)
        sides[draft.split, constraint.limit][constraint.position] += 1
    assert sides
    assert all(abs(counts["below"] - counts["above"]) <= 1 for counts in sides.values())


def test_a_document_takes_its_two_roles_in_turn(suite: Path) -> None:
    roles: dict[str, Counter[str]] = defaultdict(Counter)
    for draft in read_drafts(suite / "stages/pairs"):
        for role, document in zip(("satisfying", "violating"), draft.sources, strict=True):
            roles[document][role] += 1
    assert max(counts.total() for counts in roles.values()) > 1
    assert all(abs(counts["satisfying"] - counts["violating"]) <= 1 for counts in roles.values())


def test_verify_reads_the_values_again(suite: Path) -> None:
    result = CliRunner().invoke(cli, ["verify", str(suite)])
    assert result.exit_code == 0, result.output


def test_an_unknown_type_is_refused_with_those_that_can_be_built(tmp_path: Path) -> None:
    command = ["build", "--corpus", "sample", "--constraints", "numbers", "--out", str(tmp_path / "suite")]
    with pytest.raises(UserError, match="Did you mean 'number'"):
        CliRunner().invoke(cli, command, catch_exceptions=False)
    assert not (tmp_path / "suite").exists()
