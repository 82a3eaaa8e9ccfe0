"""Comparisons with a named thing: what is a name, what may be compared with, and whether an example holds."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.main import cli
from constraintsuite.core.records.examples import SATISFYING, Example
from constraintsuite.core.records.text import Document
from constraintsuite.suites.constraints.compare import BUILDER, COMPARE, Compared
from constraintsuite.suites.examples import read_examples
from constraintsuite.suites.sides.measures import ValueRange
from constraintsuite.suites.sides.references import Reference, choose_references, find_name, find_references


@pytest.mark.parametrize(
    ("title", "text", "name"),
    [
        ("Casablanca", "Casablanca is a 1942 film.", "Casablanca"),
        ("The Wolf Man", "The Wolf Man is a 1941 film.", "The Wolf Man"),
        ("The Winter Harbour", "Ice is the theme of the Winter Harbour.", "the Winter Harbour"),
        ("Avon Museum", "The Avon Museum is in Bristol.", "the Avon Museum"),
        ("Seal Haven", "A week at Seal Haven costs £900.", "Seal Haven"),
        ("Roger Miller", "Roger Dean Miller was a singer. The Roger Miller Museum is in Erick.", ""),
        ("Seal Haven", "This cottage costs £900 a week.", ""),
        ("Seal Haven", "There is a seal haven below the house.", ""),
        ("The Wolf Man (1941 film)", "The Wolf Man (1941 film) is a film.", ""),
        ("What does Seal Haven cost?", "What does Seal Haven cost? £900.", ""),
        ("two-room flat", "This two-room flat costs £900.", ""),
        ("2012", "2012 is a 2009 film.", ""),
    ],
)
def test_a_name_is_a_title_that_its_own_text_uses(title: str, text: str, name: str) -> None:
    assert find_name(title, text) == name


def references(*documents: tuple[str, str]) -> dict[str, int]:
    """How many other documents name each thing that may be compared with."""
    passages = [(number, Document(str(number), text, title)) for number, (title, text) in enumerate(documents)]
    found = find_references(lambda: passages, range(len(passages)), {"soup"})
    return {one.name: one.mentions for one in found.values()}


def test_a_name_belongs_to_one_document() -> None:
    film, remake = ("Casablanca", "Casablanca is a film."), ("Casablanca (TV series)", "It is a series.")
    assert references(film, ("Gilda", "Gilda is a film.")) == {"Casablanca": 0, "Gilda": 0}
    assert references(film, remake) == {}


def test_a_class_noun_is_no_name() -> None:
    assert references(("Soup", "Soup is served hot.")) == {}


def test_only_whole_names_with_their_capitals_make_a_thing_known() -> None:
    assert references(
        ("Love You", "Love You is a film."),
        ("", "She starred in Love You, a film."),
        ("", "He sang Love You Too."),
        ("", "I Love You is a song."),
        ("", "They love you."),
    ) == {"Love You": 1}


def test_an_article_that_belongs_to_the_title_belongs_to_its_mentions() -> None:
    film = ("The Lone Prairie", "The Lone Prairie is a film.")
    assert references(film, ("", "A song of the Lone Prairie.")) == {"The Lone Prairie": 0}
    assert references(film, ("", "He wrote The Lone Prairie.")) == {"The Lone Prairie": 1}


def chosen(references: Sequence[Reference], stated: Sequence[ValueRange], *, known_only: bool) -> list[str]:
    """What the documents are compared with; the first ones are the references."""
    found = choose_references({one.number: one for one in references}, dict(enumerate(stated)), known_only=known_only)
    return [one.name for one, _ in found]


def test_a_thing_to_compare_with_has_an_exact_whole_value_with_texts_on_both_sides() -> None:
    names = [Reference(number, name, 0) for number, name in enumerate(["Middle", "Lowest", "About", "Half", "Open"])]
    stated = [
        ValueRange(40, 40),
        ValueRange(10, 10),
        ValueRange(40, 40, approximate=True),
        ValueRange(40.5, 40.5),
        ValueRange(low=40),
    ]
    others = [ValueRange(value, value) for value in (20.0, 25.0, 30.0, 50.0, 55.0, 60.0)]
    assert chosen(names, [*stated, *others], known_only=False) == ["Middle"]


def test_known_things_come_first_and_each_value_is_asked_once() -> None:
    names = [Reference(0, "Even", 0), Reference(1, "Known", 3), Reference(2, "Same", 0)]
    values = [40.0, 50.0, 40.0, 10.0, 20.0, 30.0, 60.0, 70.0, 80.0]
    stated = [ValueRange(value, value) for value in values]
    assert chosen(names, stated, known_only=False) == ["Known", "Even"]
    assert chosen(names, stated, known_only=True) == ["Known"]


def test_every_measure_is_compared_in_at_least_three_wordings_with_a_full_question() -> None:
    for measure in BUILDER.measures():
        assert len({one.name for one in measure.comparing}) == len(measure.comparing) >= 3, measure.key
        assert any(one.below.startswith("Which ") for one in measure.comparing), measure.key
        for wording in measure.comparing:
            for text, cue in zip((wording.below, wording.above), wording.cues, strict=True):
                assert text.rstrip("?").endswith("{n}"), (measure.key, wording.name)
                assert cue in text, (measure.key, wording.name)
                assert "{topic}" in text, (measure.key, wording.name)


PLACES = ("Alder", "Birch", "Cedar", "Dove", "Elm", "Finch", "Grove", "Heron", "Ivy", "Juniper", "Kite", "Larch")
KINDS = ("House", "Court", "Lodge", "Manor", "Hall", "Corner", "Gate", "View")
WAYS = ("through the oak wood", "along the shore", "past two farms and a mill", "for a quiet morning")
OPENINGS = ("stands by the river", "looks out on the harbour", "is hidden in a wood", "is near the old mill")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """96 hotels with names and prices, and walks, three of which name one of them; built with the rules."""
    folder = tmp_path_factory.mktemp("names")
    rows = []
    for n in range(96):
        name = f"{PLACES[n % 12]} {KINDS[n // 12]}"
        cost = f"A room costs {33 + 2 * (n * 37 % 96)} euros a night."
        rest = f"{cost} Bring good shoes." if n % 3 else f"Ask for a map. {cost}"
        rows.append({"id": f"h{n:02}", "title": name, "text": f"{name} is a hotel that {OPENINGS[n % 4]}. {rest}"})
    for n, start in enumerate(("Heron Hall", "Heron Hall", "Heron Hall", "Cedar Gate")):
        rows.append(
            {
                "id": f"w{n}",
                "title": f"Path {n}",
                "text": f"The walk {WAYS[n]} begins at {start} and goes uphill to the chapel.",
            }
        )
    corpus = folder / "hotels.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = folder / "suite"
    command = ["build", "--corpus", str(corpus), "--constraints", "compare", "--analyser", "rules", "--out", str(out)]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 0, result.output
    return out


@pytest.fixture(scope="module")
def examples(suite: Path) -> list[Example]:
    return list(read_examples(suite))


def compared(example: Example) -> Compared:
    assert isinstance(example.constraint, Compared)
    return example.constraint


def test_the_reference_has_the_value_between_the_two_texts_and_neither_role(examples: list[Example]) -> None:
    assert len(examples) >= 10
    for example in examples:
        constraint = compared(example)
        assert f"{constraint.limit:g} euros a night" == constraint.reference.stated
        assert f"costs {constraint.limit:g} euros" in constraint.reference.text
        values = {one.document: float(one.value.removesuffix(" EUR")) for one in constraint.evidence}
        low, high = sorted(values.values())
        assert low < constraint.limit < high
        assert (values[SATISFYING] == low) == (constraint.position == "below")
        for document in example.documents:
            assert document.id != constraint.reference.document
            assert constraint.reference.name not in document.text


def test_only_a_thing_that_others_name_is_asked_for_by_name_alone(examples: list[Example]) -> None:
    given = defaultdict(set)
    for example in examples:
        reference = compared(example).reference
        given[reference.name].add(example.tags["given"])
        words = reference.name if example.tags["given"] == "name" else f"{reference.name} ({reference.stated})"
        assert example.query.removesuffix("?").endswith(words)
        assert example.opposite is not None
        assert example.opposite.removesuffix("?").endswith(words)
    assert {name for name, ways in given.items() if "name" in ways} == {"Heron Hall"}


def test_a_name_is_asked_for_in_one_split(examples: list[Example]) -> None:
    splits = defaultdict(set)
    for example in examples:
        splits[compared(example).reference.name].add(example.split)
    assert all(len(found) == 1 for found in splits.values())
    assert len(set.union(*splits.values())) == 3


def test_a_text_that_names_the_thing_is_a_fault(examples: list[Example]) -> None:
    first, *_ = examples
    name = compared(first).reference.name
    renamed = replace(first.satisfying, text=f"{first.satisfying.text} It belongs to {name}.")
    assert list(COMPARE.faults([first])) == []
    (fault,) = COMPARE.faults([replace(first, documents=(renamed, first.violating))])
    assert "names what it is compared with" in fault


def test_a_text_on_the_other_side_is_a_fault(examples: list[Example]) -> None:
    first, *_ = examples
    constraint = replace(compared(first), limit=1000.0)
    assert any("is not above the limit" in fault for fault in COMPARE.faults([replace(first, constraint=constraint)]))


def test_verify_reads_the_values_again(suite: Path) -> None:
    result = CliRunner().invoke(cli, ["verify", str(suite)])
    assert result.exit_code == 0, result.output
