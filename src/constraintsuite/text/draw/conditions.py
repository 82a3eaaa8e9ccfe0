"""Scopes of conditions and questions, whose content is uncertain."""

from __future__ import annotations

from collections.abc import Iterator

from constraintsuite.text.cues import Cue
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.scoped_sentence import ScopedSentence, ScopePatch

_WH = frozenset(("how", "why", "where", "when", "who", "what", "which", "whose", "whom"))
_OPEN_MODALS = frozenset(("will", "would", "'ll", "'d", "may", "might", "could", "should", "can", "must", "wo"))
_PARTICIPLES = frozenset(("provided", "providing", "assuming", "supposing"))
_PARTIES = frozenset(("you", "guests", "visitors", "they", "he", "she", "it"))
_PAST = frozenset(("had", "'d"))
_UNREAL_MODALS = frozenset(("would", "'d", "could", "might"))
_SAYING = frozenset(("say", "add", "tell", "warn", "explain", "write", "note"))
_BREAKS = frozenset((",", "and", "but", "or"))
_STRICT = _PARTICIPLES | {"unless", "only", "as", "so", "when"}


def draw_condition(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """If, unless, provided and others: the condition, and the main clause if it depends on the condition."""
    if not _is_condition(sentence, cue):
        return
    end = _condition_end(sentence, cue.last)
    if _is_unreal(sentence, cue, end):
        yield from sentence.predicate(cue.as_kind("negated"), cue.last, end)
        return
    yield from sentence.predicate(cue, cue.last, end)
    if sentence.words[cue.first] == "even" or _is_attributed(sentence, end + 1):
        return
    strict = sentence.words[cue.first] in _STRICT
    if sentence.word(end) == ",":
        last = sentence.clause_end(end + 1)
        event = sentence.words[cue.first : cue.first + 3] == ("in", "the", "event")
        acts = sentence.words[cue.first] == "if" and _acts(sentence, end + 1, last)
        if strict or event or acts or _depends_on_condition(sentence, end + 1, last):
            yield from sentence.predicate(cue, end + 1, last)
    first = sentence.clause_start(cue.first - (sentence.word(cue.first - 1) == ","))
    attached = sentence.word(cue.first - 1) not in _BREAKS or sentence.words[cue.first] == "unless"
    tied = strict or sentence.words[cue.first : cue.last] == ("if",)
    if first < cue.first and attached and (tied or _depends_on_condition(sentence, first, cue.first)):
        yield from sentence.predicate(cue, first, cue.first)


def draw_counterfactual(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """It would have had Y (it has not); it would not have had Y (it has)."""
    if sentence.is_drawn(cue.first):  # without the tour that would have begun there
        return
    yield from sentence.predicate(cue, cue.last - 1, sentence.clause_end(cue.last))
    subject = sentence.subject(cue.first)
    if subject is not None and not sentence.is_known(subject.first) and not sentence.follows_relative(cue.first):
        yield from sentence.mark(cue, subject)


def _is_unreal(sentence: ScopedSentence, cue: Cue, end: int) -> bool:
    """Whether a condition was not met: it would have sold if it had had Y."""
    if sentence.words[cue.first] != "if":
        return False
    unreal = any(
        one.draw == "counterfactual" or (one.draw == "modal" and sentence.words[one.last - 2] == "have")
        for one in sentence.cues
    )
    if unreal:
        return sentence.find(_PAST, cue.last, end) >= 0
    main = sentence.find(_UNREAL_MODALS, end, sentence.length) >= 0 or sentence.find(_UNREAL_MODALS, 0, cue.first) >= 0
    return main and sentence.words[cue.last : cue.last + 2] == ("there", "were")  # if there were Y, they would use it


def _is_attributed(sentence: ScopedSentence, start: int) -> bool:
    """Whether the words after a condition only name the speaker: unless it rains, said the keeper."""
    first = sentence.skip_adverbs(start)
    verb = next((at for at in range(first, min(first + 5, sentence.length)) if sentence.is_verb(at)), -1)
    return sentence.lemma(verb) in _SAYING and (sentence.is_hard(verb + 1) or verb == first)


def draw_question(sentence: ScopedSentence) -> Iterator[tuple[Cue, ScopePatch]]:
    """A yes-no question; one with why or how presupposes its content."""
    last = sentence.length - 1
    while last > 0 and sentence.words[last] in ('"', "”", "'", "’", ")"):
        last -= 1
    if sentence.word(last) != "?":
        return
    first = _question_start(sentence, last)
    if sentence.word(first) in _WH or sentence.word(first + 1) in _WH or _is_tag_question(sentence, last):
        return
    asked = any(sentence.words[at] in _WH and (first > 0 or sentence.word(at - 1) == ",") for at in range(first, last))
    if asked and not sentence.is_helper(first):
        return
    cue = Cue(last, last + 1, (last,), "doubt_question", "question", "uncertain")
    yield cue, ScopePatch(first, last, "uncertain", cue.rule)


def draw_inversion(sentence: ScopedSentence) -> Iterator[tuple[Cue, ScopePatch]]:
    """Had it carried Y (it did not); should there be Y, were it to have Y (open)."""
    word = sentence.word(0)
    if word not in ("had", "were", "should") or sentence.words[-1] == "?" or sentence.is_verb(1):
        return
    end = sentence.clause_end(1)
    if sentence.word(end) != ",":
        return
    unreal = word == "had" or (word == "were" and sentence.word(1) == "there")
    cue = Cue(0, 1, (0,), "counterfactual" if unreal else "doubt_condition", "inversion", "negated")
    if not unreal:
        cue = cue.as_kind("uncertain")
        yield from ((cue, patch) for patch in sentence.predicate(cue, end + 1, sentence.clause_end(end + 1)))
    yield from ((cue, patch) for patch in sentence.predicate(cue, 1, end))


def _is_condition(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether provided, assuming and the like open a clause, rather than being verbs."""
    if sentence.words[cue.first : cue.last] in (("as", "long", "as"), ("so", "long", "as")):
        return sentence.word(cue.first - 1) != "for" and sentence.starts_clause(cue.last)
    if sentence.words[cue.first] not in _PARTICIPLES:
        return True
    if sentence.words[cue.last - 1] == "that":  # had provided that the Dutch would keep Y
        return sentence.lemma(sentence.skip_adverbs_back(cue.first - 1)) != "have"
    if cue.first == 0 or sentence.is_hard(cue.first - 1) or sentence.words[cue.first - 1] in (",", "only"):
        return sentence.starts_clause(cue.last)
    person = sentence.tag(cue.last) == "PRP" and sentence.starts_clause(cue.last)  # may stay provided they ask
    return person and not sentence.is_helper(sentence.skip_adverbs_back(cue.first - 1))


def _condition_end(sentence: ScopedSentence, start: int) -> int:
    """The end of a condition; "if A holds and B agrees" is one condition."""
    end = sentence.clause_end(start)
    while sentence.word(end) in ("and", "or"):
        end = sentence.clause_end(end + 1)
    return end


def _depends_on_condition(sentence: ScopedSentence, first: int, last: int) -> bool:
    """Whether a main clause depends on its condition: it has a modal or is a command."""
    start = sentence.skip_adverbs(first)
    if sentence.word(start) in word_list("reporting_commands"):
        return False
    if sentence.find(_OPEN_MODALS, first, last) >= 0:
        return True
    if sentence.tag(start) == "VB" or (sentence.tag(start) == "VBP" and sentence.is_verb(start)):
        return True
    verb = next((at for at in range(first, min(last, sentence.length)) if sentence.is_finite(at)), -1)
    return sentence.tag(verb) in ("VBP", "VBZ") and sentence.word(start) in _PARTIES


def _acts(sentence: ScopedSentence, first: int, last: int) -> bool:
    """Whether a main clause says what is done under a condition: if it rains, the club pays for a taxi."""
    verb = next((at for at in range(first, min(last, sentence.length)) if sentence.is_finite(at)), -1)
    action = sentence.pos(verb) == "VERB" and sentence.lemma(verb) not in word_list("state_verbs")
    if sentence.word(sentence.skip_adverbs(first)) in word_list("reporting_commands"):  # if you come by car, note that
        return False
    return action and sentence.tag(verb) in ("VBP", "VBZ")


def _question_start(sentence: ScopedSentence, last: int) -> int:
    """The start of the question; a statement may come before it: "there is none, and who would want one?"."""
    first = next((at for at in range(last) if sentence.words[at][0].isalnum()), 0)
    if sentence.is_helper(first):
        return first
    for place in range(last - 1, first, -1):
        joint = sentence.words[place] in ("and", "but") and sentence.words[place - 1] == ","
        if joint or sentence.is_hard(place):
            return place + 1
    return first


def _is_tag_question(sentence: ScopedSentence, last: int) -> bool:
    """Whether the question is a statement that ends in a tag such as "isn't it?"."""
    start = last - 3 if sentence.word(last - 2) in ("n't", "not") else last - 2
    return sentence.word(start - 1) == "," and sentence.pos(start) == "AUX" and sentence.pos(last - 1) == "PRON"
