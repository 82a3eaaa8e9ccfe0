"""Negation by the structure of a word or sentence: affixes, labels, answers, clefts and placeholders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from constraintsuite.text.base import Scope, ScopeKind
from constraintsuite.text.cues import Cue
from constraintsuite.text.draw.absence import is_lifted
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.names import is_in_name
from constraintsuite.text.readings import in_dictionary, readings
from constraintsuite.text.scoped_sentence import ScopedSentence, ScopePatch
from constraintsuite.text.sentence import VERB_GROUP, Sentence, TokenRange

_PREFIXES = frozenset(("non", "un", "no"))
_FREE = frozenset(("free", "less"))
_SHORT_LESS = 6
_LABEL_MARKS = frozenset((":", "–", "—", "=", "-", "--"))
_ANSWERS = frozenset(("no", "none", "nope", "nil", "never", "zero"))
_REGRETS = frozenset(("sorry", "alas", "unfortunately", "sadly"))
_CONSENTS = frozenset(("yes", "yep", "sure", "certainly", "absolutely"))
_OPEN_QUESTIONS = frozenset(("how", "why", "where", "when", "who", "what", "which", "whose", "whom"))
_CLEFT_CUES = frozenset(("particle", "verb", "may_not"))
_DENYING = frozenset(("particle", "verb", "may_not", "gerund"))
_LEADING = frozenset(("DET", "ADJ", "NUM", "ADV", "ADP", "PART"))


def draw_affixes(sentence: ScopedSentence) -> Iterator[tuple[Cue, ScopePatch]]:
    """The word parts that affixes negate: nut-free, non-dairy, sugarless."""
    for place, word in enumerate(sentence.words):
        if word == "-":
            yield from _hyphenated(sentence, place)
        elif word == "free":
            if _is_free_of(sentence, place):
                yield _found(place, place - 1, place, "suffix_free")
        elif word.endswith("less") and len(word) > _SHORT_LESS and _denies_stem(sentence, place, word):
            yield _found(place, place, place + 1, "suffix_less")


def _is_free_of(sentence: ScopedSentence, place: int) -> bool:
    """Whether a noun before "free" is what is missing: gluten free bread, the jam is sugar free; but not admission free."""
    noun = place - 1
    tags = {one.tag for one in readings(sentence.word(noun))}
    if noun < 0 or "NN" not in tags or (sentence.is_verb(noun) and "VB" in tags):
        return False
    if sentence.pos(place + 1) == "NOUN":
        return sentence.pos(noun) != "ADV"
    before = sentence.skip_adverbs_back(noun - 1)
    chained = sentence.word(before) in ("and", ",") and sentence.word(before - 1) == "free"
    return chained or (sentence.lemma(before) == "be" and sentence.pos(noun) != "ADV")


def _denies_stem(sentence: ScopedSentence, place: int, word: str) -> bool:
    """Whether -less denies its stem: seedless, but not priceless, McCandless or the film Lawless."""
    if word in word_list("fixed_less") or not in_dictionary(word[:-4]) or is_in_name(sentence, place, place + 1):
        return False
    return any(one.tag == "NN" for one in readings(word[:-4]))


def _hyphenated(sentence: ScopedSentence, hyphen: int) -> Iterator[tuple[Cue, ScopePatch]]:
    before, after = sentence.word(hyphen - 1), sentence.word(hyphen + 1)
    if after in _FREE and hyphen > 0:
        for first, last in _stems(sentence, hyphen):
            yield _found(hyphen + 1, first, last, f"suffix_{after}")
    elif before in _PREFIXES and after and not sentence.has_cue(hyphen - 1, hyphen, frozenset(("pseudo",))):
        last = hyphen + 2
        while before == "no" and sentence.word(last) == "-":  # a no-selfie-stick rule
            last += 2
        if not sentence.is_drawn(hyphen + 1):
            yield _found(hyphen - 1, hyphen + 1, last, f"prefix_{before}")


def _stems(sentence: ScopedSentence, hyphen: int) -> Iterator[tuple[int, int]]:
    """The stems before -free: a noun or a compound, and coordinated stems ("sugar- and nut-free")."""
    first = hyphen - 1
    attribute = sentence.pos(hyphen + 2) in ("NOUN", "PROPN", "ADJ")
    while (
        first > 0
        and sentence.tag(first - 1) in ("NN", "NNP")
        and (attribute or sentence.lemma(sentence.skip_adverbs_back(first - 2)) == "be")
    ):
        first -= 1
    yield first, hyphen
    join = first - 1
    while sentence.word(join) in ("and", "or", ",") and sentence.word(join - 1).endswith("-"):
        stem = join - 2 if sentence.word(join - 1) == "-" else join - 1
        yield stem, stem + 1
        join = stem - 1


def _found(cue: int, first: int, last: int, rule: str) -> tuple[Cue, ScopePatch]:
    return Cue(cue, cue + 1, (cue,), rule, "affix", "negated"), ScopePatch(first, last, "negated", rule)


def draw_ban(sentence: ScopedSentence) -> Iterator[tuple[Cue, ScopePatch]]:
    """The nouns before a ban: the city's smoking ban."""
    for place, word in enumerate(sentence.words):
        if word not in word_list("ban_nouns") or sentence.pos(place) != "NOUN":
            continue
        first = place
        while first > 0 and sentence.tag(first - 1) in ("NN", "NNS", "VBG"):
            first -= 1
        if first < place and not is_lifted(sentence, place + 1):
            yield _found(place, first, place, "compound_ban")


def draw_label(sentence: ScopedSentence) -> Iterator[tuple[Cue, ScopePatch]]:
    """Campfires: no. Wi-Fi – none. Dogs: not allowed."""
    if "(" in sentence.words:
        yield from _bracketed(sentence)
    if "yes" in sentence.words:
        yield from _verdicts(sentence)
    if _LABEL_MARKS.isdisjoint(sentence.words):
        return
    for mark in range(1, sentence.length - 1):
        if sentence.words[mark] not in _LABEL_MARKS:
            continue
        answer = mark + 1
        bare = sentence.word(answer) in _ANSWERS and (
            sentence.is_hard(answer + 1) or sentence.word(answer + 1) in (",", "at", "whatsoever")
        )
        denied = sentence.word(answer) == "not" and sentence.word(answer + 1) in word_list("presence_words")
        if bare or denied:
            first = mark
            while first > 0 and not sentence.is_hard(first - 1) and sentence.words[first - 1] != ",":
                first -= 1
            cue = Cue(answer, answer + 1, (answer,), "label", "label", "negated")
            yield cue, ScopePatch(first, mark, "negated", "label")


def _verdicts(sentence: ScopedSentence) -> Iterator[tuple[Cue, ScopePatch]]:
    """Water yes, shade no; subtitles, yes; reenactments, no."""
    for place in range(1, sentence.length):
        if sentence.words[place] != "no" or not (sentence.is_hard(place + 1) or sentence.word(place + 1) == ","):
            continue
        last = place - 1 if sentence.words[place - 1] == "," else place
        cue = Cue(place, place + 1, (place,), "label", "label", "negated")
        noun = sentence.noun_before(last - 1) if sentence.pos(last - 1) in ("NOUN", "PROPN") else None
        if noun is not None:
            yield cue, ScopePatch(noun.first, noun.last, "negated", "label")
        elif sentence.is_verb(last - 1) and (sentence.is_hard(last - 2) or sentence.words[last - 2] == ","):
            yield cue, ScopePatch(last - 1, last, "negated", "label")  # a lone word is a noun, however it was tagged


def _bracketed(sentence: ScopedSentence) -> Iterator[tuple[Cue, ScopePatch]]:
    """Parking (not available); extras (sauna, massage) not included."""
    for place in range(2, sentence.length - 1):
        if sentence.words[place] != "not" or sentence.words[place + 1] not in word_list("presence_words"):
            continue
        cue = Cue(place, place + 1, (place,), "label", "label", "negated")
        opening = place - 1
        while opening > 0 and sentence.words[opening] != "(":
            opening -= 1
        noun = sentence.noun_before(opening - 1) if opening > 0 else None
        if noun is not None and sentence.words[place - 1] == "(":
            yield cue, ScopePatch(noun.first, noun.last, "negated", "label")
        elif noun is not None and sentence.words[place - 1] == ")":
            yield cue, ScopePatch(noun.first, place - 1, "negated", "label")


def answer_scope(question: Sentence, answer: Sentence | None) -> Scope | None:
    """The scope of a question that the next sentence answers: Pool? No. Is there a bar? Yes."""
    if answer is None or not question.length or not answer.length or question.words[-1] != "?":
        return None
    if answer.length > 2 and answer.words[0] in _REGRETS and answer.words[1] == ",":
        answer = Sentence(answer.tokens[2:])
    word = answer.words[0]
    if word == "not":
        word = "no" if answer.pos(1) in ("ADP", "ADV", "DET") or answer.word(1) == "that" else word
    closed = (
        word != answer.words[0]
        or (answer.length < 5 and word in _ANSWERS)
        or answer.is_hard(1)
        or answer.word(1) in (",", "at", "whatsoever")
    )
    if not closed or word not in _ANSWERS | _CONSENTS or question.words[0] in _OPEN_QUESTIONS:
        return None
    tokens, cue = question.tokens, answer.tokens[0]
    kind: ScopeKind = "negated" if word in _ANSWERS else "affirmed"
    return Scope(tokens[0].start, tokens[-1].end, kind, cue.start, cue.end, "answer")


def draw_cleft(sentence: ScopedSentence) -> Iterator[tuple[Cue, ScopePatch]]:
    """What the scarf does not contain is Y; what we don't give you: Y."""
    if sentence.word(0) not in ("what", "all"):
        return
    cue = next((one for one in sentence.cues if one.draw in _CLEFT_CUES or _is_stranded(sentence, one)), None)
    if cue is None:
        return
    colon = sentence.find(frozenset(":"), cue.last, sentence.length)
    copula = sentence.find(frozenset(("is", "are", "was", "were")), cue.last, sentence.length)
    for place in (colon, copula):
        if place >= 0 and sentence.word(place + 1) not in ("that", "not"):
            yield cue, ScopePatch(place + 1, sentence.phrase_end(place + 1), "negated", "cleft")
            return


def _is_stranded(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether a preposition-like cue comes right before the verb: what the flat is lacking is Y."""
    return cue.draw == "preposition" and sentence.is_finite(cue.last)


class Clause(NamedTuple):
    """The clause that describes the placeholder."""

    cues: tuple[Cue, ...]
    """The negations before and in the clause."""
    verb: int
    """Its main verb; -1 if it has none."""


def draw_placeholder(sentence: ScopedSentence) -> Iterator[tuple[Cue, ScopePatch]]:
    """The subject of "is something ...": negated by an odd number of negations, if the verb means using or having."""
    for copula in range(1, sentence.length - 2):
        if sentence.lemma(copula) != "be" or sentence.word(copula - 1) == "there":
            continue
        named = _placeholder(sentence, copula + 1)
        subject = sentence.subject(copula) if named >= 0 else None
        if subject is None or subject.last > copula:
            continue
        clause = _clause(sentence, copula, named)
        if len(clause.cues) % 2:
            kind = _kind(sentence, clause, subject)
            yield clause.cues[-1], ScopePatch(subject.first, subject.last, kind, "placeholder")


def _placeholder(sentence: ScopedSentence, start: int) -> int:
    """The place of a placeholder (something, one of the things, what) right after the copula; else -1."""
    place = start
    while place < start + VERB_GROUP and (sentence.pos(place) in _LEADING or sentence.word(place) in ("n't", "one")):
        if sentence.word(place) in word_list("placeholders"):
            break
        place += 1
    return place if sentence.word(place) in word_list("placeholders") else -1


def _clause(sentence: ScopedSentence, copula: int, named: int) -> Clause:
    end = sentence.clause_end(named + 1)
    cues = tuple(cue for cue in sentence.cues if copula < cue.first < end and _denies(sentence, cue, end))
    verbs = [at for at in range(named + 1, end) if sentence.pos(at) == "VERB"]
    # "may get", "is used to": helpers may be tagged as verbs; the last of the first group is the main one.
    verb = next((at for at in verbs if not sentence.is_verb(at + 1) and sentence.word(at + 1) != "to"), -1)
    return Clause(cues, verb)


def _denies(sentence: ScopedSentence, cue: Cue, end: int) -> bool:
    """Whether a cue negates the placeholder: "never uses", "avoids", and "does without" if nothing follows."""
    if cue.kind != "negated":
        return False
    stranded = cue.draw == "preposition" and (cue.last >= end or sentence.pos(cue.last) in ("ADV", "SCONJ"))
    return cue.draw in _DENYING or stranded


def _kind(sentence: ScopedSentence, clause: Clause, subject: TokenRange) -> ScopeKind:
    """Negated by a verb of using or having, uncertain with others: "something we never talk about" may well exist."""
    if sentence.word(subject.first) in word_list("definite_determiners"):
        return "uncertain"
    absent = any(cue.draw in ("verb", "preposition") for cue in clause.cues)
    lemma = sentence.lemma(clause.verb)
    plain = lemma in word_list("using_verbs") or lemma in word_list("possession_verbs")
    following = sentence.word(clause.verb + 1)
    stranded = sentence.pos(clause.verb + 1) == "ADP" and following not in ("in", "on", "at", "for")
    return "negated" if absent or (plain and not stranded) else "uncertain"
