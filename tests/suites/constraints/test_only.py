"""One value alone, or several: what a text says, and what decides."""

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
from constraintsuite.suites.constraints.only import ONLY, Only, only_measures, page_of
from constraintsuite.suites.constraints.only_reading import Extents, read_extents
from constraintsuite.suites.examples import read_examples
from constraintsuite.text.choice import get_analyser
from suites.audit.audit_factory import make_example
from suites.build_factory import knowledge


def extents(measure: str, text: str) -> Extents:
    (analysis,) = get_analyser("rules").analyse([text])
    return read_extents(only_measures()[measure], page_of("Dusk", analysis, knowledge()), knowledge())


@pytest.mark.parametrize(
    ("measure", "text", "expected"),
    [
        ("genre_only", "Dusk is a 1954 Italian western film.", {("western", ""): "only"}),
        ("genre_only", "Dusk is a 1954 Italian silent western film.", {("western", ""): "only"}),
        ("genre_only", "Dusk is a 1954 erotic western film.", {}),  # perhaps a genre that no list has
        ("genre_only", "Dusk is a 1954 western film. It is full of songs.", {}),  # perhaps a musical too
        (
            "genre_only",
            "Dusk is a 1954 Italian horror western film.",
            {("horror", ""): "several", ("western", ""): "several"},
        ),
        ("genre_only", "Dusk is a 1954 romantic comedy film.", {}),  # one genre or two?
        ("nationality_only", "Dusk is a 1954 Italian drama film.", {("Italian", ""): "only"}),
        ("nationality_only", "Dusk is a 1954 Italian drama film that was shot in Paris.", {}),
        ("nationality_only", "Dusk is a 1954 Italian drama film, an international co-production.", {}),
        (
            "nationality_only",
            "Dusk is a 1954 French-Italian drama film.",
            {("French", ""): "several", ("Italian", ""): "several"},
        ),
        ("nationality_only", "Dusk is a 1954 Soviet Russian drama film.", {}),
        ("screenplay_only", "Dusk is a 1954 film written by Ida Moss.", {("one screenwriter", ""): "only"}),
        (
            "screenplay_only",
            "Dusk is a 1954 film written by Ida Moss and Carl Reed.",
            {("one screenwriter", ""): "several"},
        ),
        ("screenplay_only", "Dusk is a 1954 film written by Ida Moss. She co-wrote the songs.", {}),
        ("screenplay_only", "Dusk is a 1954 film written by Ida Moss, with an adaptation by Carl Reed.", {}),
    ],
)
def test_a_defining_sentence_names_one_value_or_several(measure: str, text: str, expected: Extents) -> None:
    assert extents(measure, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The festival takes cash only.", "only"),
        ("Payment is exclusively in cash.", "only"),
        ("Nothing but cash is taken.", "only"),
        ("Bring cash, since cards are not accepted.", "only"),
        ("The festival takes cash and cards.", "several"),
        ("The festival takes not only cash.", None),
        ("The festival takes cash.", None),  # silence is not absence
        ("The bar takes cash only. The festival has a field.", None),  # a part
        ("Does the festival take cash only?", None),
    ],
)
def test_what_a_text_says_of_one_value_alone(text: str, expected: str | None) -> None:
    assert extents("payment_only", text).get(("cash", "cards")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The festival is for adults only.", "only"),
        ("Children are not admitted.", "only"),
        ("Children are welcome.", "several"),
        ("Small children are not admitted.", None),
        ("Adults only pay half the price.", None),
    ],
)
def test_adults_need_not_be_named_where_children_are_admitted(text: str, expected: str | None) -> None:
    assert extents("guests_only", text).get(("adults", "children")) == expected


CASH = Only(
    value="cash alone", cue="only", forms=("cash",), measure="payment_only", one="cash", other="cards", extent="only"
)
WESTERN = replace(CASH, measure="genre_only", one="western", other="", forms=("western",))


@pytest.mark.parametrize(
    ("solver", "good", "bad", "pick"),
    [
        ("fewer_of_the_value", "cash", "cash and cash", +1),
        ("more_only", "cash only, nothing but cash", "cash only", +1),
        ("more_only", "cash", "only the lonely, alone", -1),
    ],
)
def test_solvers_look_at_the_value_and_at_words_like_only(solver: str, good: str, bad: str, pick: int) -> None:
    assert load_solver(solver).picks([replace(make_example(0, good, bad), constraint=CASH)]).tolist() == [pick]


def test_what_is_said_decides_its_own_words_and_a_definition_only_the_number_of_values() -> None:
    said, defined = (replace(make_example(0, "a", "b"), constraint=one) for one in (CASH, WESTERN))
    assert ONLY.by_construction(said, "fewer_values")
    assert ONLY.by_construction(said, "more_only")
    assert ONLY.by_construction(defined, "fewer_values")
    assert not ONLY.by_construction(defined, "more_only")
    assert not ONLY.by_construction(said, "bm25_query")


NATIONS = ("Italian", "Spanish", "French")
WORDS = ("lake", "clerk", "widow", "storm", "border", "train", "ferry", "judge", "garden", "letter", "bell")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """120 westerns, dramas and mixtures of both, built with the rules."""
    folder = tmp_path_factory.mktemp("films")
    rows = []
    for n in range(120):
        genre = ("western", "drama", "horror drama", "western drama")[n % 4]
        name = f"{WORDS[n % 11].capitalize()} {WORDS[n * 7 % 11]} {n}"
        plot = f"It tells of a {WORDS[n * 3 % 11]}, a {WORDS[(n * 5 + 2) % 11]} and a {WORDS[(n // 11 + n) % 11]} in {1900 + n}."
        text = f"{name} is a {1930 + n % 30} {NATIONS[n % 3]} {genre} film. {plot}{' It rains.' * (n % 4 < 2 and n // 4 % 2)}"
        rows.append({"id": f"f{n:03}", "title": name, "text": text})
    corpus = folder / "films.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = folder / "suite"
    command = ["build", "--corpus", str(corpus), "--constraints", "only", "--analyser", "rules", "--out", str(out)]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 0, result.output
    return out


def test_one_text_has_the_value_alone_and_the_other_has_two(suite: Path) -> None:
    examples = read_examples(suite)
    assert min(Counter(one.tags["extent"] for one in examples).values()) >= 3
    for one in examples:
        counts = {role: values(one, role) for role in ("satisfying", "violating")}
        assert isinstance(one.constraint, Only)
        alone, several = counts.values() if one.constraint.extent == "only" else reversed(counts.values())
        assert alone == {one.constraint.one}
        assert len(several) == 2 and one.constraint.one in several


def values(example: Example, role: str) -> set[str]:
    assert example.constraint is not None
    return {one.value for one in example.constraint.evidence if one.document == role}


def test_verify_reads_the_texts_again(suite: Path) -> None:
    result = CliRunner().invoke(cli, ["verify", str(suite)])
    assert result.exit_code == 0, result.output


def test_a_label_that_no_longer_holds_is_a_fault(suite: Path) -> None:
    first = read_examples(suite)[0]
    assert list(ONLY.faults([first])) == []
    changed = replace(
        first, documents=tuple(replace(one, text="A film.".ljust(len(one.text))) for one in first.documents)
    )
    assert len(list(ONLY.faults([changed]))) == 2
