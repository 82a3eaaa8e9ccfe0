"""What is possible, conditional, asked, or true of some only."""

from __future__ import annotations

from collections.abc import Iterator

from constraintsuite.text.canvas import Canvas, Patch
from constraintsuite.text.cues import Cue
from constraintsuite.text.draw.particles import denies_presence
from constraintsuite.text.lexicon import word_list

_WH = frozenset(("how", "why", "where", "when", "who", "what", "which", "whose", "whom"))
_OPEN_MODALS = frozenset(("will", "would", "'ll", "'d", "may", "might", "could", "should", "can", "must", "wo"))
_PARTICIPLES = frozenset(("provided", "providing", "assuming", "supposing"))
_BREAKS = frozenset((",", "and", "but", "or"))
_STRICT = frozenset(("unless", "only", "as", "so", "when", "provided", "providing", "assuming", "supposing"))


def draw_modal(canvas: Canvas, cue: Cue) -> Iterator[Patch]:
    """May contain Y; Y might be added. "Guests may bring Y" allows it."""
    sentence = canvas.sentence
    if cue.first > 0 and sentence.tokens[cue.first].text[0].isupper():  # the month
        return
    reported = sentence.words[cue.last - 1] == "to" and canvas.is_drawn(cue.first)  # is not thought to have Y
    if reported or _is_permission(canvas, cue) or _is_refused(canvas, cue):
        return
    end = canvas.reach.clause_end(cue.last)
    exception = next(
        (other.first for other in canvas.cues if other.draw == "exception" and other.first >= cue.last), end
    )
    yield from canvas.predicate(cue, cue.last, min(end, exception))
    yield from _indefinite_subject(canvas, cue)


def draw_adverb(canvas: Canvas, cue: Cue) -> Iterator[Patch]:
    """Perhaps, probably, sometimes: the clause around."""
    aside = cue.first > 0 and canvas.sentence.words[cue.first - 1] == ","
    start = cue.first if aside else canvas.reach.clause_start(cue.first)
    yield from canvas.predicate(cue, start, canvas.reach.clause_end(cue.last))


def draw_optional(canvas: Canvas, cue: Cue) -> Iterator[Patch]:
    """An optional Y; Y is optional; and, for "on request" and the like, all around up to the next strong mark."""
    sentence = canvas.sentence
    if sentence.pos(cue.first) == "ADJ" and cue.last == cue.first + 1:
        if sentence.pos(cue.last) in ("NOUN", "PROPN", "ADJ"):
            yield Patch(cue.last, canvas.reach.phrase_end(cue.last), cue.kind, cue.rule)
            if sentence.lemma(cue.first - 2) != "be":  # Y is an optional extra
                return
        subject = canvas.reach.subject(cue.first - 2 if sentence.pos(cue.first - 1) == "DET" else cue.first)
        if subject is not None:
            yield Patch(subject.first, subject.last, cue.kind, cue.rule)
        return
    if sentence.words[cue.first] == "to" and not sentence.is_nominal(cue.first - 1):  # easy to taste
        return
    first, last = _segment(canvas, cue.first)
    yield from canvas.predicate(cue, first, last)


def draw_attribute(canvas: Canvas, cue: Cue) -> Iterator[Patch]:
    """A possible Y, an alleged Y."""
    if canvas.sentence.pos(cue.last) in ("NOUN", "PROPN", "ADJ"):
        yield Patch(cue.last, canvas.reach.phrase_end(cue.last), cue.kind, cue.rule)


def draw_prospect(canvas: Canvas, cue: Cue) -> Iterator[Patch]:
    """The risk of Y, plans for Y; "no risk of Y" is a negation."""
    if not canvas.is_drawn(cue.first):
        yield Patch(cue.last, canvas.reach.phrase_end(cue.last), cue.kind, cue.rule)


def draw_condition(canvas: Canvas, cue: Cue) -> Iterator[Patch]:
    """If and its kin: the condition, and the main clause where it waits for the condition."""
    sentence = canvas.sentence
    if not _is_condition(canvas, cue):
        return
    end = _condition_end(canvas, cue.last)
    yield from canvas.predicate(cue, cue.last, end)
    if sentence.words[cue.first] == "even":
        return
    strict = sentence.words[cue.first] in _STRICT
    if sentence.word(end) == ",":
        last = canvas.reach.clause_end(end + 1)
        if strict or _waits(canvas, end + 1, last):
            yield from canvas.predicate(cue, end + 1, last)
    first, _ = _segment(canvas, cue.first)
    attached = sentence.word(cue.first - 1) not in _BREAKS or sentence.words[cue.first] == "unless"
    if first < cue.first and attached and (strict or _waits(canvas, first, cue.first)):
        yield from canvas.predicate(cue, first, cue.first)


def _is_condition(canvas: Canvas, cue: Cue) -> bool:
    """Whether provided, assuming and the like open a clause, rather than being verbs."""
    sentence = canvas.sentence
    if sentence.words[cue.first : cue.last] in (("as", "long", "as"), ("so", "long", "as")):
        return canvas.reach.starts_clause(cue.last)
    if sentence.words[cue.first] not in _PARTICIPLES or sentence.words[cue.last - 1] == "that":
        return True
    return cue.first == 0 or sentence.is_hard(cue.first - 1) or sentence.words[cue.first - 1] in (",", "only")


def _condition_end(canvas: Canvas, start: int) -> int:
    """Where a condition ends, "if A holds and B agrees" taken as one."""
    end = canvas.reach.clause_end(start)
    while canvas.sentence.word(end) in ("and", "or"):
        end = canvas.reach.clause_end(end + 1)
    return end


def draw_whether(canvas: Canvas, cue: Cue) -> Iterator[Patch]:
    """Whether Y: an open question; seems to have Y, plans to build Y: unless that is denied."""
    if cue.rule == "doubt_seem" and canvas.is_drawn(cue.first):
        return
    yield from canvas.predicate(cue, cue.last, canvas.reach.clause_end(cue.last))


def draw_quantifier(canvas: Canvas, cue: Cue) -> Iterator[Patch]:
    """Some rooms have Y, not all have Y, few have Y: the predicate; there are few Y: the noun."""
    sentence = canvas.sentence
    few = sentence.words[cue.last - 1] == "few" or sentence.words[cue.first] in ("not", "n't")
    if (
        few and sentence.words[cue.first] == "few" and sentence.word(cue.first - 1) in ("a", "every", "the")
    ) or sentence.pos(cue.last) == "NUM":
        return
    end = cue.last if sentence.is_verb(cue.last) else canvas.reach.phrase_end(cue.last)
    verb = canvas.reach.verb_of_subject(cue.first, end)
    if verb is not None and sentence.words[cue.first] in ("most", "many") and cue.last == cue.first + 1:
        verb = verb if sentence.lemma(verb) in word_list("possession_verbs") else None
        few = False
    if verb is not None:
        yield from canvas.predicate(cue, verb, canvas.reach.clause_end(verb))
    if few or (verb is not None and denies_presence(canvas, verb)):
        yield Patch(cue.last, end, cue.kind, cue.rule)


def draw_either(canvas: Canvas, cue: Cue) -> Iterator[Patch]:
    """Either Y or Z: one of them."""
    sentence = canvas.sentence
    joint = sentence.find(frozenset(("or",)), cue.last, sentence.length)
    apart = any(sentence.is_hard(at) for at in range(cue.last, max(joint, cue.last)))
    if joint >= 0 and not apart and not canvas.is_drawn(cue.last):
        yield Patch(cue.last, canvas.reach.phrase_end(joint + 1), cue.kind, cue.rule)


def draw_question(canvas: Canvas) -> Iterator[tuple[Cue, Patch]]:
    """A question that can be answered with no; one with why or how takes its content for granted."""
    sentence = canvas.sentence
    last = sentence.length - 1
    while last > 0 and sentence.words[last] in ('"', "”", "'", "’", ")"):
        last -= 1
    if sentence.word(last) != "?":
        return
    first = _question_start(canvas, last)
    if sentence.word(first) in _WH or sentence.word(first + 1) in _WH or _is_tag_question(canvas, last):
        return
    asked = any(sentence.words[at] in _WH and (first > 0 or sentence.word(at - 1) == ",") for at in range(first, last))
    if asked and not sentence.is_helper(first):
        return
    cue = Cue(last, last + 1, (last,), "doubt_question", "question", "uncertain")
    yield cue, Patch(first, last, "uncertain", cue.rule)


def _question_start(canvas: Canvas, last: int) -> int:
    """Where the question begins: a statement may stand before it, "there is none, and who would want one?"."""
    sentence = canvas.sentence
    first = next((at for at in range(last) if sentence.words[at][0].isalnum()), 0)
    if sentence.is_helper(first):
        return first
    for place in range(last - 1, first, -1):
        joint = sentence.words[place] in ("and", "but") and sentence.words[place - 1] == ","
        if joint or sentence.is_hard(place):
            return place + 1
    return first


def draw_inversion(canvas: Canvas) -> Iterator[tuple[Cue, Patch]]:
    """Had it carried Y (it did not); should there be Y, were it to have Y (open)."""
    sentence = canvas.sentence
    word = sentence.word(0)
    if word not in ("had", "were", "should") or sentence.words[-1] == "?" or sentence.is_verb(1):
        return
    end = canvas.reach.clause_end(1)
    if sentence.word(end) != ",":
        return
    unreal = word == "had" or (word == "were" and sentence.word(1) == "there")
    cue = Cue(0, 1, (0,), "counterfactual" if unreal else "doubt_condition", "inversion", "negated")
    if not unreal:
        cue = cue.as_kind("uncertain")
        yield from ((cue, patch) for patch in canvas.predicate(cue, end + 1, canvas.reach.clause_end(end + 1)))
    yield from ((cue, patch) for patch in canvas.predicate(cue, 1, end))


def _indefinite_subject(canvas: Canvas, cue: Cue) -> Iterator[Patch]:
    subject = canvas.reach.subject(cue.first)
    if subject is None:
        return
    opening = canvas.sentence.word(subject.first)
    known = opening in word_list("definite_determiners") or canvas.sentence.pos(subject.first) in ("PRON", "PROPN")
    if not known:
        yield Patch(subject.first, subject.last, cue.kind, cue.rule)


def _is_permission(canvas: Canvas, cue: Cue) -> bool:
    sentence = canvas.sentence
    if sentence.words[cue.first] != "may" or cue.last > cue.first + 1:
        return False
    subject = canvas.reach.subject(cue.first)
    head = sentence.word(subject.last - 1).removesuffix("s") if subject is not None else ""
    main = sentence.skip_adverbs(cue.last)
    verb = sentence.lemma(main)
    if verb == "be" and sentence.lemma(sentence.skip_adverbs(main + 1)) in word_list("permitted_verbs"):
        return True
    return head in word_list("people") and verb not in word_list("experience_verbs")


def _is_refused(canvas: Canvas, cue: Cue) -> bool:
    """Nobody may bring Y: the negation decides."""
    subject = canvas.reach.subject(cue.first)
    return subject is not None and canvas.has_cue(
        subject.first, subject.last, frozenset(("pronoun", "determiner", "none"))
    )


def _waits(canvas: Canvas, first: int, last: int) -> bool:
    """Whether a main clause depends on its condition: it has a modal or is a command."""
    sentence = canvas.sentence
    start = sentence.skip_adverbs(first)
    if sentence.word(start) in word_list("reporting_commands"):
        return False
    if sentence.find(_OPEN_MODALS, first, last) >= 0:
        return True
    return sentence.tag(start) == "VB" or (sentence.tag(start) == "VBP" and sentence.is_verb(start))


def _segment(canvas: Canvas, at: int) -> tuple[int, int]:
    """The words between the strong marks around a place."""
    first, last = at, at
    while first > 0 and not canvas.sentence.is_hard(first - 1):
        first -= 1
    while not canvas.sentence.is_hard(last):
        last += 1
    return first, last


def _is_tag_question(canvas: Canvas, last: int) -> bool:
    """A statement with "isn't it?" behind."""
    sentence = canvas.sentence
    start = last - 3 if sentence.word(last - 2) in ("n't", "not") else last - 2
    return sentence.word(start - 1) == "," and sentence.pos(start) == "AUX" and sentence.pos(last - 1) == "PRON"
