"""Two attributes, or the first alone: what a text has, what is asked, and what shortcuts pick."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.main import cli
from constraintsuite.core.records.examples import Example
from constraintsuite.suites.constraints.base import load_solver
from constraintsuite.suites.constraints.include import INCLUDE, Include, Wanted, include_data, what_it_has
from constraintsuite.suites.examples import read_examples
from constraintsuite.text.choice import get_analyser
from suites.audit.audit_factory import make_example
from suites.build_factory import knowledge

GARDEN_AND_HOT_TUB = Include(
    value="garden and hot tub",
    cue="and",
    forms=("garden", "hot tub"),
    kinds=("jacuzzi",),
    first_forms=("garden",),
    second_forms=("hot tub",),
    wanted="both",
)
COMEDY_AND_WESTERN = Include(
    value="comedy and western",
    cue="and",
    forms=("comedy", "western"),
    kinds=("cowboy",),
    first_forms=("comedy",),
    second_forms=("western",),
    wanted="both",
    relation="genre",
    values=("comedy", "western"),
)


def has(constraint: Include, text: str) -> Wanted | None:
    (analysis,) = get_analyser("rules").analyse([text])
    return what_it_has(constraint, "", analysis, knowledge())


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The cottage has a garden and a hot tub.", "both"),
        ("The cottage has a garden but no hot tub.", "first"),
        ("The cottage has a garden.", None),  # silence is not absence
        ("The cottage has no garden. There is a hot tub.", None),
        ("The cottage has a garden but no hot tub. A jacuzzi was added.", None),  # a narrower word shows it
        ("The cottage has a garden. A hot tub can be hired on request.", None),
    ],
)
def test_a_text_has_both_attributes_for_sure_or_denies_the_second(text: str, wanted: Wanted | None) -> None:
    assert has(GARDEN_AND_HOT_TUB, text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Dust is a 1950 American comedy western film.", "both"),
        ("Dust is a 1950 American comedy film.", "first"),
        ("Dust is a 1950 American comedy film. It mocks the western.", None),
        ("Dust is a 1950 American comedy film about a cowboy.", None),
        ("Dust is a 1950 American western film.", None),
    ],
)
def test_in_a_closed_list_what_is_not_named_is_missing_unless_another_word_shows_it(
    text: str, wanted: Wanted | None
) -> None:
    assert has(COMEDY_AND_WESTERN, text) == wanted


def test_what_nobody_looks_for_is_named_in_the_singular() -> None:
    assert {"stile", "cattle"} <= include_data().unwanted


def example(good: str, bad: str, constraint: Include = GARDEN_AND_HOT_TUB) -> Example:
    return replace(make_example(0, good, bad), constraint=constraint)


@pytest.mark.parametrize(
    ("solver", "good", "bad", "pick"),
    [
        ("more_named", "a garden and a hot tub", "a garden", +1),
        ("more_named", "a garden, a garden", "a garden", 0),
        ("fewer_second", "no hot tub", "a hot tub, the hot tub", +1),
        ("earlier_second", "a hot tub and five other fine things", "five other fine things and a hot tub", +1),
        ("earlier_second", "a hot tub", "with a hot tub", 0),
        ("earlier_second", "a hot tub", "a garden with many other things", 0),  # that is what `fewer_second` picks
    ],
)
def test_solvers_look_at_the_second_attribute(solver: str, good: str, bad: str, pick: int) -> None:
    assert load_solver(solver).picks([example(good, bad)]).tolist() == [pick]


def test_only_closed_lists_decide_what_word_matching_picks() -> None:
    assert INCLUDE.by_construction(example("a", "b", COMEDY_AND_WESTERN), "fewer_second")
    assert not INCLUDE.by_construction(example("a", "b"), "fewer_second")
    assert not INCLUDE.by_construction(example("a", "b", COMEDY_AND_WESTERN), "shorter")


HAVING = ("It has a television and a hot tub.", "There is a television. It has a hot tub.")
LACKING = ("It has a television but no hot tub.", "It has no hot tub. There is a television.")
NOUNS = ("river", "harbour", "wood", "mill", "chapel", "quarry", "meadow", "lighthouse", "orchard", "bridge", "school")
VERBS = ("stands by", "looks out on", "hides behind", "belongs to", "was built from", "faces", "adjoins")
REMARKS = ("Breakfast is late.", "Bring good shoes.", "Ask for a map.", "The view is wide.", "Peacocks shout at dawn.")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """120 cottages with a television, every second of them with a hot tub, built with the rules."""
    folder = tmp_path_factory.mktemp("cottages")
    rows = []
    for n in range(120):
        what = (HAVING if n % 2 else LACKING)[n // 2 % 2]
        where = (
            f"{VERBS[n % 7]} the {NOUNS[n % 11]} of {NOUNS[(n * 3 + 1) % 11].capitalize()}{VERBS[n * 5 % 7].split()[0]}"
        )
        other = ("There is a garden.", "There is no garden.")[n // 4 % 2]
        end = "Nobody never knocks." if n % 2 and n // 8 % 2 else "The owner paints."  # as many denials on both sides
        text = f"Number {n} is a holiday cottage that {where}. {REMARKS[n % 5]} {what} {other} {end}"
        rows.append({"id": f"c{n:03}", "title": f"Cottage {n}", "text": text})
    corpus = folder / "cottages.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = folder / "suite"
    command = ["build", "--corpus", str(corpus), "--constraints", "include", "--analyser", "rules", "--out", str(out)]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 0, result.output
    return out


def test_both_sides_are_asked_for_with_natural_texts(suite: Path) -> None:
    examples = read_examples(suite)
    assert min(Counter(one.tags["wanted"] for one in examples).values()) >= 3
    for one in examples:
        assert isinstance(one.constraint, Include)
        assert not one.is_edited
        denied = "violating" if one.constraint.wanted == "both" else "satisfying"
        assert "no hot tub" in one.document(denied).text or "no garden" in one.document(denied).text


def test_verify_reads_the_texts_again(suite: Path) -> None:
    result = CliRunner().invoke(cli, ["verify", str(suite)])
    assert result.exit_code == 0, result.output


def test_a_pair_that_nobody_leaves_out_waits_for_a_person(suite: Path) -> None:
    considered = [json.loads(line) for line in (suite / "considered.jsonl").read_text().splitlines()]
    outcomes = {one["y"]: (one["outcome"], one["reason"]) for one in considered}
    assert outcomes["garden and hot tub"][0] == "proposed"
    assert outcomes["hot tub and garden"] == ("doubtful", "not_listed")


def test_a_label_that_no_longer_holds_is_a_fault(suite: Path) -> None:
    first = read_examples(suite)[0]
    assert list(INCLUDE.faults([first])) == []
    changed = replace(
        first, documents=tuple(replace(one, text="A cottage.".ljust(len(one.text))) for one in first.documents)
    )
    assert len(list(INCLUDE.faults([changed]))) == 2
