"""Scopes of doubt: possible, optional, planned, or true of some only."""

from __future__ import annotations

from collections.abc import Iterator

from constraintsuite.text.cues import Cue
from constraintsuite.text.draw.absence import is_given_up, object_after
from constraintsuite.text.draw.denial import denies_presence
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.scoped_sentence import ScopedSentence, ScopePatch

_BEFORE_FEW = frozenset(("a", "every", "the", "last", "past", "next", "first", "these", "those"))
_NO_VERB = frozenset(("PROPN", "PRON", "DET"))
_BARELY = frozenset(("hardly", "scarcely", "barely"))
_ABSENCES = frozenset(("verb", "preposition", "gerund"))
_NEGATIVE = frozenset(("determiner", "particle", "none", "neither", "preposition", "verb", "predicate"))


def draw_modal(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """May contain Y; Y might be added. "Guests may bring Y" allows it."""
    if cue.first > 0 and sentence.tokens[cue.first].text[0].isupper():  # the month
        return
    reported = sentence.words[cue.last - 1] == "to" and sentence.is_drawn(cue.first)  # is not thought to have Y
    if reported or _is_permission(sentence, cue) or _is_refused(sentence, cue):
        return
    if _is_unreal(sentence, cue):
        cue = cue.as_kind("negated")
    end = cue.last if sentence.is_terminator(cue.last) else sentence.clause_end(cue.last)
    exceptions = (one.first for one in sentence.cues if one.draw == "exception" or one.rule == "anything_but")
    exception = next((first for first in exceptions if first >= cue.last), end)
    yield from sentence.predicate(cue, cue.last, min(end, exception))
    yield from _indefinite_subject(sentence, cue)


def _is_unreal(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether an unmet condition says that it did not happen: it could have had a pool if the council had agreed."""
    if sentence.words[cue.last - 2 : cue.last - 1] != ("have",):
        return False
    condition = sentence.find(frozenset(("if",)), 0, sentence.length)
    had = sentence.find(frozenset(("had",)), max(condition, 0), sentence.length)
    return had >= 0 and (condition >= 0 or sentence.pos(had + 1) in ("DET", "PRON", "PROPN"))


def draw_adverb(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Perhaps, probably, sometimes: the clause around the word."""
    aside = cue.first > 0 and sentence.words[cue.first - 1] == ","
    joined = sentence.word(cue.first - 1) in ("and", "or", "but")  # no cream, and perhaps sugar
    start = cue.first if aside or joined else sentence.clause_start(cue.first)
    if aside and sentence.word(cue.last) == ",":  # muscle or, rarely, bone
        yield ScopePatch(cue.last + 1, sentence.phrase_end(cue.last + 1), cue.kind, cue.rule)
        return
    if _describes_noun(sentence, cue, start):
        start = cue.first
    opening = start == cue.first and sentence.word(cue.last) == ","  # reportedly, they found Y
    if opening:
        yield from sentence.predicate(cue, cue.last + 1, sentence.clause_end(cue.last + 1))
        return
    if sentence.pos(start) == "PROPN" and sentence.is_finite(sentence.skip_adverbs(cue.last)):
        start = _past_name(sentence, cue, start)
    yield from sentence.predicate(cue, start, sentence.clause_end(cue.last))


def _describes_noun(sentence: ScopedSentence, cue: Cue, start: int) -> bool:
    """Whether the adverb belongs to a participle after a noun: brings home a boy supposedly killed by his father."""
    participle = sentence.is_nominal(cue.first - 1) and sentence.tag(cue.last) in ("VBN", "VBD", "JJ")
    return participle and any(sentence.is_finite(at) for at in range(start, cue.first))


def _past_name(sentence: ScopedSentence, cue: Cue, start: int) -> int:
    """The place after a named subject, which is known: Emerson reportedly suffered from Y."""
    verb = sentence.skip_adverbs(cue.last)
    return start if denies_presence(sentence, verb) else cue.first


def draw_optional(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """An optional Y; Y is optional; for phrases such as "on request", all words between the hard marks around it."""
    if sentence.pos(cue.first) == "ADJ" and cue.last == cue.first + 1:
        described = sentence.words[cue.first] != "optional" and sentence.pos(cue.last) in (
            "NOUN",
            "PROPN",
            "ADJ",
            "ADP",
        )
        if described and sentence.word(cue.last) != "in":  # an unknown brother is a brother
            return
        if sentence.pos(cue.last) in ("NOUN", "PROPN", "ADJ"):
            yield ScopePatch(cue.last, sentence.phrase_end(cue.last), cue.kind, cue.rule)
            if sentence.lemma(cue.first - 2) != "be":  # Y is an optional extra
                return
        subject = sentence.subject(cue.first - 2 if sentence.pos(cue.first - 1) == "DET" else cue.first)
        yield from sentence.mark(cue, subject)
        return
    if sentence.words[cue.first] == "to" and not sentence.is_nominal(cue.first - 1):  # easy to taste
        return
    first, last = sentence.segment(cue.first)
    if sentence.words[cue.first] == "depending" and cue.first > first:
        last = sentence.clause_end(cue.last)
    if first < cue.first:
        first = sentence.clause_start(cue.first - (sentence.words[cue.first - 1] == ","))
    yield from sentence.predicate(cue, first, last)


def draw_attribute(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """A possible Y, an alleged Y; they suspected a Y."""
    if sentence.tag(cue.first) == "VBD":
        yield from draw_wanted(sentence, cue)
    elif sentence.pos(cue.last) in ("NOUN", "PROPN", "ADJ"):
        yield ScopePatch(cue.last, sentence.phrase_end(cue.last), cue.kind, cue.rule)


def draw_prospect(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """The risk of Y, plans for Y; "no risk of Y" is a negation."""
    if not sentence.is_drawn(cue.first):
        marked = cue.as_kind("negated") if is_given_up(sentence, cue) else cue
        yield ScopePatch(cue.last, sentence.phrase_end(cue.last), marked.kind, cue.rule)


def draw_whether(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Whether Y: an open question; seems to have Y, plans to build Y: unless that is denied."""
    if cue.rule in ("doubt_seem", "doubt_claim", "doubt_content") and sentence.is_drawn(cue.first):
        return
    if sentence.words[cue.first] in _BARELY and sentence.has_cue(cue.last, cue.last + 1, _ABSENCES):
        yield from sentence.predicate(cue.as_kind("negated"), cue.last, sentence.clause_end(cue.last))
        return  # hardly lacks Y
    if cue.rule == "doubt_seem" and sentence.words[cue.last - 1] == "to" and sentence.pos(cue.last) in _NO_VERB:
        return  # promised to Abraham
    tried = cue.rule == "doubt_seem" and sentence.lemma(cue.first) in ("try", "attempt", "want", "seek", "threaten")
    if tried and sentence.has_cue(cue.last, cue.last + 1, _ABSENCES):  # tried to ban Y
        return
    clause = sentence.pos(cue.last) != "ADP" and sentence.starts_clause(cue.last)
    if cue.rule == "doubt_claim" and cue.last == cue.first + 1 and not clause:  # claimed the title, claimed by Spain
        return
    if cue.rule == "doubt_considered" and sentence.tag(cue.last) != "VBG":
        return
    if cue.rule == "doubt_claim" and sentence.has_cue(cue.last, sentence.clause_end(cue.last), _NEGATIVE):
        return  # claims to have no Y
    false = cue.rule == "doubt_content" and sentence.find(word_list("falsehoods"), cue.last, sentence.length) >= 0
    if false or (cue.rule == "doubt_seem" and is_given_up(sentence, cue)):
        cue = cue.as_kind("negated")
    start = cue.last + 1 if sentence.word(cue.last) == "," else cue.last
    yield from sentence.predicate(cue, start, sentence.clause_end(start))


def draw_wanted(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Wanted a Y, proposed a Y: there may be none; none if the sentence goes on to say so."""
    attribute = sentence.tag(cue.first) in ("VBN", "VBG") and sentence.pos(cue.first - 1) in ("DET", "ADJ")
    found = None if attribute else object_after(sentence, cue)
    if (
        found is None
        or sentence.is_known(found.first)
        or sentence.is_drawn(cue.first)
        or sentence.is_drawn(found.first)
    ):
        return
    inner = (one.first for one in sentence.cues if found.first <= one.first < found.last and one.kind == "negated")
    marked = cue.as_kind("negated") if is_given_up(sentence, cue) else cue
    yield ScopePatch(found.first, next(inner, found.last), marked.kind, cue.rule)


def draw_denied(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Denied that there was Y; "did not deny that there was Y" leaves it open."""
    reported = cue.as_kind("uncertain") if sentence.is_drawn(cue.first) else cue
    yield from sentence.predicate(reported, cue.last, sentence.clause_end(cue.last))


def draw_quantifier(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Some rooms have Y, not all have Y, few have Y: the predicate; there are few Y: the noun."""
    if sentence.words[cue.first] == "little":  # was met with little interest; but not "his little brother"
        mass = sentence.tag(cue.first + 1) == "NN" and sentence.word(cue.first - 1) != "like"
        if mass and (sentence.is_finite(cue.first - 1) or sentence.pos(cue.first - 1) == "ADP"):
            yield ScopePatch(cue.first + 1, sentence.phrase_end(cue.first + 1), cue.kind, cue.rule)
        return
    few = sentence.words[cue.last - 1] == "few" or sentence.words[cue.first] in ("not", "n't")
    a_few = sentence.words[cue.first] == "few" and sentence.word(cue.first - 1) in _BEFORE_FEW
    part = sentence.words[cue.last - 1] != "of" or sentence.word(cue.last) in word_list("definite_determiners")
    if sentence.words[cue.first] == "most" and sentence.pos(cue.first - 1) in (
        "DET",
        "NUM",
    ):  # the two most common types
        return
    if a_few or not part or sentence.pos(cue.last) == "NUM":  # a handful of olives are olives
        return
    end = cue.last if sentence.is_verb(cue.last) else sentence.phrase_end(cue.last)
    verb = sentence.verb_of_subject(cue.first, end)
    if verb is not None and sentence.words[cue.first] in ("most", "many") and cue.last == cue.first + 1:
        verb = verb if sentence.lemma(verb) in word_list("possession_verbs") else None
        few = False
    if verb is not None:
        yield from sentence.predicate(cue, verb, sentence.clause_end(verb))
    part_of_all = sentence.words[cue.last - 1] in ("all", "every")
    if (few and (verb is None or not part_of_all)) or (verb is not None and denies_presence(sentence, verb)):
        yield ScopePatch(cue.last, end, cue.kind, cue.rule)


def draw_either(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Either Y or Z: one of them."""
    joint = sentence.find(frozenset(("or",)), cue.last, sentence.length)
    separated = any(sentence.is_hard(at) for at in range(cue.last, max(joint, cue.last)))
    if joint >= 0 and not separated and not sentence.is_drawn(cue.last):
        yield ScopePatch(cue.last, sentence.phrase_end(joint + 1), cue.kind, cue.rule)


def _indefinite_subject(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    subject = sentence.subject(cue.first)
    if subject is not None and not sentence.is_known(subject.first) and not sentence.follows_relative(cue.first):
        yield ScopePatch(subject.first, subject.last, cue.kind, cue.rule)


def _is_permission(sentence: ScopedSentence, cue: Cue) -> bool:
    if sentence.words[cue.first] != "may" or cue.last > cue.first + 1:
        return False
    subject = sentence.subject(cue.first)
    head = sentence.word(subject.last - 1).removesuffix("s") if subject is not None else ""
    main = sentence.skip_adverbs(cue.last)
    verb = sentence.lemma(main)
    if verb == "be" and sentence.lemma(sentence.skip_adverbs(main + 1)) in word_list("permitted_verbs"):
        return True
    return head in word_list("people") and verb not in word_list("experience_verbs")


def _is_refused(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether the subject is negated: nobody may bring Y."""
    subject = sentence.subject(cue.first)
    return subject is not None and sentence.has_cue(
        subject.first, subject.last, frozenset(("pronoun", "determiner", "none"))
    )
