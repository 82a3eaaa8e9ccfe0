"""Draw the scopes of cues: which function draws which cue, and in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import zip_longest

from constraintsuite.text.base import Scope
from constraintsuite.text.draw import (
    absence,
    conditions,
    contrast,
    denial,
    doubt,
    exceptions,
    past,
    quantities,
    removal,
    structures,
)
from constraintsuite.text.lexicon import FILE, lexicon
from constraintsuite.text.scoped_sentence import Draw, ScopedSentence

RULES_VERSION = 5
"""Raised when verdicts may change; changes of the lexicon change its digest."""

# Inner cues first: the scope of a negated verb depends on the scopes inside it.
PASSES: tuple[Mapping[str, Draw], ...] = (
    {
        "pseudo": absence.draw_pseudo,
        "preposition": absence.draw_phrase,
        "noun": absence.draw_phrase,
        "verb": removal.draw_verb,
        "gerund": removal.draw_gerund,
        "predicate": absence.draw_predicate,
        "phrase_kept": absence.draw_kept,
        "last_word": absence.draw_last_word,
        "vain": absence.draw_vain,
        "source": contrast.draw_source,
        "replace": contrast.draw_replace,
        "swap": contrast.draw_swap,
        "substitute": contrast.draw_substitute,
        "possessor": contrast.draw_possessor,
        "where": contrast.draw_where,
        "comparison": contrast.draw_comparison,
    },
    {
        "determiner": quantities.draw_determiner,
        "pronoun": quantities.draw_pronoun,
        "none": quantities.draw_none,
        "anaphor": quantities.draw_anaphor,
        "partitive": quantities.draw_partitive,
        "nowhere": quantities.draw_nowhere,
        "neither": quantities.draw_neither,
        "particle": denial.draw_particle,
        "may_not": denial.draw_may_not,
        "purpose": denial.draw_purpose,
        "nor": denial.draw_nor,
        "former": past.draw_former,
        "until": past.draw_until,
        "used_to": past.draw_used_to,
        "wish": denial.draw_wish,
    },
    {
        "exception": exceptions.draw_exception,
        "modal": doubt.draw_modal,
        "adverb": doubt.draw_adverb,
        "optional": doubt.draw_optional,
        "attribute": doubt.draw_attribute,
        "prospect": doubt.draw_prospect,
        "condition": conditions.draw_condition,
        "counterfactual": conditions.draw_counterfactual,
        "whether": doubt.draw_whether,
        "wanted": doubt.draw_wanted,
        "denied": doubt.draw_denied,
        "quantifier": doubt.draw_quantifier,
        "either": doubt.draw_either,
    },
)
STRUCTURES = (
    structures.draw_affixes,
    structures.draw_ban,
    structures.draw_label,
    structures.draw_cleft,
    structures.draw_placeholder,
    conditions.draw_inversion,
    conditions.draw_question,
)


def draw_text(sentences: Sequence[ScopedSentence]) -> tuple[Scope, ...]:
    """All scopes of a text, sentence by sentence; the scope of a question depends on the answer after it."""
    scopes: list[Scope] = []
    for sentence, following in zip_longest(sentences, sentences[1:]):
        answer = structures.answer_scope(sentence, following)
        drawn = _draw_scopes(sentence)
        if answer is not None:
            drawn = [scope for scope in drawn if scope.rule != "doubt_question"] + [answer]
        scopes += drawn
    return tuple(scopes)


def _draw_scopes(sentence: ScopedSentence) -> list[Scope]:
    """All scopes of one sentence, in the order of their cues."""
    for table in PASSES:
        for cue in sentence.cues:
            draw = table.get(cue.draw)
            if draw is not None:
                sentence.add(cue, draw(sentence, cue))
    for structure in STRUCTURES:
        for cue, patch in structure(sentence):
            sentence.add(cue, (patch,))
    tokens = sentence.tokens
    found = [
        Scope(
            tokens[patch.first].start,
            tokens[patch.last - 1].end,
            patch.kind,
            tokens[cue.first].start,
            tokens[cue.last - 1].end,
            patch.rule,
        )
        for cue, patch in sentence.drawn
    ]
    return sorted(dict.fromkeys(found), key=lambda scope: (scope.cue_start, scope.start, scope.end, scope.rule))


@cache
def check_lexicon() -> None:
    """Raise an error if a group of the lexicon names an unknown drawing function."""
    unknown = {group.draw for group in lexicon().groups} - {name for table in PASSES for name in table}
    if unknown:
        raise ValueError(f"{FILE}: there is no drawing function named {', '.join(sorted(unknown))}.")
