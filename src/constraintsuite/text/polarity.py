"""The verdict on each mention of Y, from the scopes that cover it, and on the document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from constraintsuite.core.records.text import Span
from constraintsuite.text.base import DocumentVerdict, Polarity, Scope

_ABSENCES = frozenset(("passive_absence", "verb_of_absence", "verb_of_ending", "verb_of_missing"))
"""The rules that can mark a thing named before its cue: the subject, or the antecedent of a relative clause."""


@dataclass(frozen=True, slots=True)
class JudgedMention:
    """A mention with its verdict, the deciding cue (if any) and the name of the rule."""

    span: Span
    verdict: Polarity
    cue: Span | None
    rule: str


def judge_mention(mention: Span, scopes: Sequence[Scope]) -> JudgedMention:
    """The verdict on one mention: `affirmed` scopes win over doubt, doubt over negation, and nested negations cancel.

    Two negations cancel if one covers the other's cue ("not without Y"). If neither does, they agree ("sold without Y, which was
    dropped").
    """
    covering = [scope for scope in scopes if _covers(scope, mention)]
    protected = [scope for scope in covering if scope.kind == "affirmed"]
    if protected:
        return _judged(mention, "affirmed", protected[-1])
    doubtful = [scope for scope in covering if scope.kind == "uncertain"]
    if doubtful:
        return _judged(mention, "uncertain", doubtful[-1])
    negating = [scope for scope in covering if scope.kind == "negated"]
    if not negating:
        return JudgedMention(mention, "affirmed", None, "no_cue")
    governors = [] if len(negating) > 1 else _governors(negating[0], scopes, mention)
    doubtful = [scope for scope in governors if scope.kind == "uncertain"]
    if doubtful:
        return _judged(mention, "uncertain", doubtful[-1])
    if len(governors) % 2:
        return JudgedMention(mention, "affirmed", Span(negating[0].cue_start, negating[0].cue_end), "double_negation")
    if _nesting(negating, scopes) % 2 == 0:
        return JudgedMention(mention, "affirmed", Span(negating[-1].cue_start, negating[-1].cue_end), "double_negation")
    return _judged(mention, "negated", negating[-1])


def judge_mentions(mentions: Iterable[Span], scopes: Sequence[Scope]) -> tuple[JudgedMention, ...]:
    """The verdict on each mention, in order."""
    return tuple(judge_mention(mention, scopes) for mention in mentions)


def judge_document(judged: Sequence[JudgedMention]) -> DocumentVerdict:
    """The verdict on the text: `affirms` and `negates` only if every mention agrees."""
    return join_verdicts(one.verdict for one in judged)


def join_verdicts(mentions: Iterable[str]) -> DocumentVerdict:
    """The verdict on a text from the verdicts on its mentions."""
    verdicts = set(mentions)
    if not verdicts:
        return "omits"
    if verdicts == {"affirmed"}:
        return "affirms"
    if verdicts == {"negated"}:
        return "negates"
    return "uncertain" if verdicts == {"uncertain"} else "mixed"


def list_cues(scopes: Iterable[Scope]) -> list[tuple[int, int]]:
    """The places of all cues of negation, in order, whatever they negate."""
    return sorted({(scope.cue_start, scope.cue_end) for scope in scopes if scope.kind == "negated"})


def _governors(scope: Scope, scopes: Sequence[Scope], mention: Span) -> list[Scope]:
    """What governs a predicate of absence without covering its subject: "the hall would have been pulled down".

    A denied or doubtful absence does not negate the subject before it; an infinitive or a relative clause is not counted.
    """
    if scope.rule not in _ABSENCES or mention.end > scope.cue_start:
        return []
    over = {
        (one.cue_start, one.cue_end): one
        for one in scopes
        if one.start <= scope.cue_start
        and scope.cue_end <= one.end
        and mention.end <= one.start
        and (one.kind == "uncertain" or (one.kind == "negated" and one.cue_end <= scope.cue_start))
    }
    over.pop((scope.cue_start, scope.cue_end), None)
    return list(over.values())


def _nesting(negating: Sequence[Scope], scopes: Sequence[Scope]) -> int:
    """The depth of nested negations over a mention: 1 for one cue, or for cues that do not cover each other."""
    cues = {(scope.cue_start, scope.cue_end) for scope in negating}
    if len(cues) < 2:
        return len(cues)
    reach = [scope for scope in scopes if scope.kind == "negated" and (scope.cue_start, scope.cue_end) in cues]
    outer = {
        cue: {(s.cue_start, s.cue_end) for s in reach if s.start <= cue[0] and cue[1] <= s.end} - {cue} for cue in cues
    }
    return 1 + max(len(governors) for governors in outer.values())


def _covers(scope: Scope, mention: Span) -> bool:
    """Whether a scope holds the mention; a negated prefix negates a name that begins with it: a non-linear plot."""
    prefixed = scope.rule == "prefix_non" and scope.start == mention.start
    return prefixed or (scope.start <= mention.start and mention.end <= scope.end)


def _judged(mention: Span, verdict: Polarity, scope: Scope) -> JudgedMention:
    return JudgedMention(mention, verdict, Span(scope.cue_start, scope.cue_end), scope.rule)
