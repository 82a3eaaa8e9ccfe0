"""Kinds of denial."""

from __future__ import annotations

import pytest

from constraintsuite.text.denials import OTHER, denial_kind, denial_kinds
from constraintsuite.text.lexicon import lexicon
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.polarity import judge_mentions
from constraintsuite.text.rules import RulesAnalyser


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The hotel has no pool.", "determiner"),
        ("Neither a bar nor a pool was built.", "determiner"),
        ("The hotel does not have a pool.", "verb"),
        ("The hotel lacks a pool.", "verb"),
        ("The pool was removed last year.", "verb"),
        ("It is not a pool.", "verb"),
        ("The garden is pool-free.", "affix"),
        ("A hotel without a pool.", "preposition"),
        ("The hotel has a sauna rather than a pool.", "contrast"),
        ("The hotel has a sauna, not a pool.", "contrast"),
        ("The hotel has a sauna but not a pool.", "contrast"),
        ("The hotel has everything except a pool.", "exception"),
        ("A pool is missing.", "adjective"),
        ("The garden is free of any pool.", "adjective"),
        ("The lack of a pool is a pity.", "noun"),
        ("Pool: no.", "answer"),
    ],
)
def test_a_denial_has_the_kind_of_its_cue(text: str, kind: str) -> None:
    (analysis,) = RulesAnalyser().analyse([text])
    (mention,) = judge_mentions(find_forms(text, ("pool",)), analysis.scopes)
    assert mention.verdict == "negated"
    assert mention.cue is not None
    assert denial_kind(mention.rule, mention.cue.of(text), text[: mention.cue.start]) == kind


def test_every_negating_rule_of_the_lexicon_has_one_kind() -> None:
    listed = [rule for rules in denial_kinds().rules.values() for rule in rules]
    negating = {group.rule for group in lexicon().groups if group.kind == "negated"}
    assert negating <= set(listed)
    assert len(listed) == len(set(listed))


def test_an_unknown_rule_is_of_another_kind() -> None:
    assert denial_kind("a person", "no", "") == OTHER
