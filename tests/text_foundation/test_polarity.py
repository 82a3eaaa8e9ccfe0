"""What scopes say of a mention, and what mentions say of a document."""

from __future__ import annotations

import pytest

from constraintsuite.core.records.text import Span
from constraintsuite.text.base import DocumentVerdict, Polarity, Scope, ScopeKind
from constraintsuite.text.polarity import JudgedMention, judge_document, judge_mention, judge_mentions

NUTS = Span(10, 14)


def scope(kind: ScopeKind, start: int = 0, end: int = 20, cue: int = 0) -> Scope:
    return Scope(start, end, kind, cue, cue + 2, f"rule_{kind}")


def judged(verdict: Polarity) -> JudgedMention:
    return JudgedMention(NUTS, verdict, None, "")


@pytest.mark.parametrize(
    ("scopes", "verdict", "rule"),
    [
        ([], "affirmed", "no_cue"),
        ([scope("negated")], "negated", "rule_negated"),
        ([scope("uncertain")], "uncertain", "rule_uncertain"),
        ([scope("uncertain"), scope("negated", cue=4)], "uncertain", "rule_uncertain"),
        ([scope("negated"), scope("affirmed", cue=4)], "affirmed", "rule_affirmed"),
        ([scope("uncertain"), scope("affirmed", cue=4)], "affirmed", "rule_affirmed"),
        ([scope("negated"), scope("negated", cue=4)], "affirmed", "double_negation"),
        ([scope("negated"), scope("negated", cue=4), scope("negated", cue=8)], "negated", "rule_negated"),
        ([scope("negated", 0, 20), scope("negated", 5, 20)], "negated", "rule_negated"),  # one cue, drawn twice
    ],
)
def test_a_mention_is_judged_by_the_scopes_that_cover_it(scopes: list[Scope], verdict: Polarity, rule: str) -> None:
    found = judge_mention(NUTS, scopes)
    assert (found.verdict, found.rule) == (verdict, rule)


@pytest.mark.parametrize(("start", "end"), [(0, 10), (14, 20), (0, 13), (11, 20)])
def test_a_scope_that_does_not_cover_the_whole_mention_says_nothing(start: int, end: int) -> None:
    assert judge_mention(NUTS, [scope("negated", start, end)]).verdict == "affirmed"


def test_the_cue_that_decided_is_named() -> None:
    assert judge_mention(NUTS, [scope("negated", cue=4)]).cue == Span(4, 6)
    assert judge_mention(NUTS, []).cue is None


def test_mentions_are_judged_one_by_one() -> None:
    found = judge_mentions([Span(1, 3), NUTS], [scope("negated", 0, 5)])
    assert [(one.span, one.verdict) for one in found] == [(Span(1, 3), "negated"), (NUTS, "affirmed")]


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([], "omits"),
        (["affirmed", "affirmed"], "affirms"),
        (["negated"], "negates"),
        (["uncertain", "uncertain"], "uncertain"),
        (["affirmed", "negated"], "mixed"),
        (["affirmed", "uncertain"], "mixed"),
        (["negated", "uncertain"], "mixed"),
    ],
)
def test_a_document_affirms_or_negates_only_if_every_mention_does(
    verdicts: list[Polarity], expected: DocumentVerdict
) -> None:
    assert judge_document([judged(verdict) for verdict in verdicts]) == expected
