from __future__ import annotations

from dataclasses import replace

import pytest

from constraintsuite.core.errors import MissingExtraError
from constraintsuite.core.records.constraints import Constraint, Evidence
from constraintsuite.core.records.examples import SATISFYING, VIOLATING, Example
from constraintsuite.core.records.text import Span
from constraintsuite.mechanism.contrasts import role_marks
from constraintsuite.mechanism.contrasts.records import RoleSpans
from constraintsuite.mechanism.contrasts.role_marks import AnalysisReader, are_near, mirror, paint_text
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.constraints.number import Number
from constraintsuite.suites.constraints.one_of import OneOf
from constraintsuite.text.base import Analyser
from constraintsuite.text.choice import get_analyser
from mechanism.contrasts.contrast_factory import shown
from mechanism.contrasts.suite_factory import make_example


def _example(text: str, y: str, cue: str | None, verdict: str = "negated") -> Example:
    example = make_example(y=y, docs=(text, "Nothing at all."))
    start = text.lower().index(y)
    evidence = (Evidence(SATISFYING, start, start + len(y), verdict, "test", cue),)
    return replace(example, constraint=Exclude(value=y, cue="without", forms=(y,), evidence=evidence))


@pytest.mark.parametrize(
    ("text", "y", "cue", "expected"),
    [
        ("It is made without cream.", "cream", "without", [("without", "d_cue"), ("cream", "d_y")]),
        ("It is made without fresh cream.", "cream", "without", [("without", "d_cue"), ("fresh", "d_scope"), ("cream", "d_y")]),
        ("Dogs are not allowed.", "dogs", "not", [("Dogs", "d_y"), ("are", "d_scope"), ("not", "d_cue")]),
        ("It is a peanut-free kitchen.", "peanut", "free", [("peanut", "d_y"), ("free", "d_cue")]),
        ("You won't find a kiosk.", "kiosk", "n't", [("n't", "d_cue"), ("find a", "d_scope"), ("kiosk", "d_y")]),
    ],
)  # fmt: skip
def test_mention_cue_and_scope_are_marked(text: str, y: str, cue: str, expected: list[tuple[str, str]]) -> None:
    spans = paint_text(_example(text, y, cue), SATISFYING, AnalysisReader("rules"))
    assert spans is not None
    found = [(words, role) for words, role in shown(spans.marked()) if "allowed" not in words]
    assert found == expected


SERVES = Number(
    value="6", cue="fewer than", forms=(), measure="servings", position="below", limit=6, unit="person"
)  # fmt: skip
LANDS = OneOf(
    value="Thai or Welsh",
    cue="neither",
    forms=("Thai", "Welsh"),
    relation="work_nationality",
    values=("Thai", "Welsh"),
    listing="others",
)


@pytest.mark.parametrize(
    ("constraint", "text", "value", "expected"),
    [
        (SERVES, "Cut 6 leeks. It serves 4.", "4", ["4"]),  # the number of the query is of something else here
        (LANDS, "It is a Danish film.", "Danish", ["Danish"]),
    ],
)
def test_of_a_value_that_is_compared_only_the_evidence_is_marked(
    constraint: Constraint, text: str, value: str, expected: list[str]
) -> None:
    example = make_example(docs=(text, "Nothing at all."))
    evidence = Evidence(SATISFYING, text.index(value), text.index(value) + len(value), value, "test")
    example = replace(example, constraint=replace(constraint, evidence=(evidence,)))
    spans = paint_text(example, SATISFYING, AnalysisReader("rules"))
    assert spans is not None
    assert [words for words, role in shown(spans.marked()) if role == "d_y"] == expected


def test_where_the_analysis_disagrees_the_suites_evidence_counts() -> None:
    text = "A dish of cream. It skips on purpose whatever has cream."
    example = _example("A soup of note. Alas the cream here.", "cream", "alas")
    spans = paint_text(example, SATISFYING, AnalysisReader("rules"))
    assert spans is not None
    assert shown(spans.marked()) == [("Alas", "d_cue"), ("the", "d_scope"), ("cream", "d_y")]
    assert paint_text(_example(text, "cream", "banned"), SATISFYING, AnalysisReader("rules")) is None


def test_a_mention_that_is_affirmed_has_no_cue() -> None:
    spans = paint_text(
        _example("Not cheap, but full of cream.", "cream", None, "affirmed"), SATISFYING, AnalysisReader("rules")
    )
    assert spans is not None
    assert shown(spans.marked()) == [("cream", "d_y")]


@pytest.mark.parametrize(
    ("one", "cue", "scope", "other", "expected"),
    [
        ("garlic but not with cream", "not", "with", "cream but not with garlic", [("not", "d_cue"), ("with", "d_scope")]),
        ("made without cream", "without", "", "made with cream", [("with", "d_cue")]),
        ("it has no cream", "no", "", "it has cream", []),
        ("it cannot offer cream", "not", "offer", "it cannot offer garlic", [("not", "d_cue"), ("offer", "d_scope")]),
    ],
)  # fmt: skip
def test_the_twin_of_a_text_has_the_cue_too(
    one: str, cue: str, scope: str, other: str, expected: list[tuple[str, str]]
) -> None:
    mine, theirs = RoleSpans(one, "d_other"), RoleSpans(other, "d_other")
    mine.paint([Span(one.index(cue), one.index(cue) + len(cue))], "d_cue")
    mine.paint([Span(one.index(scope), one.index(scope) + len(scope))] if scope else [], "d_scope")
    mirror(mine, theirs)
    assert shown(theirs.marked()) == expected


def test_a_mark_of_its_own_is_kept() -> None:
    mine, theirs = RoleSpans("no cream", "d_other"), RoleSpans("no cream", "d_other")
    mine.paint([Span(0, 8)], "d_scope")
    theirs.paint([Span(3, 8)], "d_y")
    mirror(mine, theirs)
    assert shown(theirs.marked()) == [("no", "d_scope"), ("cream", "d_y")]


def test_without_a_y_what_was_edited_is_marked() -> None:
    example = make_example(docs=("It was never painted red.", "It was often painted red."))
    documents = (
        replace(example.satisfying, changed=((7, 12),)),
        replace(example.violating, changed=((7, 12),), edit="scope"),
    )
    example = replace(example, constraint=None, documents=documents)
    satisfying, violating = (paint_text(example, role, AnalysisReader("none")) for role in (SATISFYING, VIOLATING))
    assert satisfying is not None
    assert violating is not None
    assert shown(satisfying.marked()) == [("never", "d_cue")]
    assert shown(violating.marked()) == [("often", "d_scope")]


def test_an_analyser_that_is_not_at_hand_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def get(name: str) -> Analyser:
        if name == "parser":
            raise MissingExtraError("parser", "The analyser 'parser'")
        return get_analyser(name)

    monkeypatch.setattr(role_marks, "get_analyser", get)
    assert AnalysisReader("parser").name == "rules"


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("a soup with garlic and not with cream", "a soup with cream and not with garlic", True),
        ("a soup with garlic", "the bread is made of rye", False),
        ("one two three four five six", "six five four three two one", False),
    ],
)
def test_an_edit_keeps_most_words_in_place(one: str, other: str, near: bool) -> None:
    assert are_near(one, other) == near
