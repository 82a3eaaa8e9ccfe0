"""Scopes of words of absence: without Y, lacks Y, Y is missing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from constraintsuite.text.clauses import RELATIVE
from constraintsuite.text.cues import Cue
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.readings import readings
from constraintsuite.text.scoped_sentence import ScopedSentence, ScopePatch
from constraintsuite.text.sentence import TokenRange

_OBJECT_PARTS = frozenset(("NOUN", "PROPN", "DET", "ADJ", "NUM", "PRON"))
_BEFORE_ATTRIBUTE = frozenset(("DET", "ADJ", "ADP", "SCONJ", "VERB", "NUM"))
NEGATIVE_CUES = frozenset(("determiner", "pronoun", "none", "partitive", "particle", "nowhere", "neither", "nor"))
_PASSING = frozenset(("missing", "absent", "extinct", "gone", "taboo", "unwelcome"))


def draw_pseudo(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """A phrase that only looks like a negation: only its own words are marked, as affirmed, for the explanation."""
    yield ScopePatch(cue.first, cue.last, "affirmed", cue.rule)


def draw_phrase(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """The phrase after the cue: without Y, lack of Y, free of Y."""
    start = cue.last
    if sentence.word(start) == ":":
        yield ScopePatch(start + 1, list_end(sentence, start + 1), cue.kind, cue.rule)
        return
    while sentence.pos(start) == "ADV" and (
        sentence.tag(start + 1) == "VBG" or sentence.pos(start + 1) in _OBJECT_PARTS
    ):
        start += 1  # without once crossing Y, instead of just Y
    inner = start + 1 if sentence.pos(start) in ("ADP", "SCONJ") else start  # rather than as Y
    if cue.rule == "doubt_preference" and sentence.tag(start) == "VB":  # prefers to stay
        return
    if sentence.words[cue.first] == "lacking" and sentence.pos(start) not in ("NOUN", "PROPN", "DET", "ADJ", "PRON"):
        yield from draw_predicate(sentence, cue)
        return
    if cue.draw == "noun" and _is_lifted(sentence, sentence.phrase_end(inner)):
        return
    if sentence.lemma(cue.first - 1) in word_list("forbidding_verbs"):  # prohibited without a licence
        yield ScopePatch(start, sentence.phrase_end(inner), "affirmed", "double_negation")
        return
    bare_verb = cue.rule == "replacement_instead_of" and may_be_verb(sentence, inner)
    end = sentence.clause_end(inner) if bare_verb else sentence.phrase_end(inner, loose=True)
    yield ScopePatch(start, end, cue.kind, cue.rule)


def _is_lifted(sentence: ScopedSentence, end: int) -> bool:
    """Whether a ban ended: the ban on Y was lifted."""
    helper = sentence.lemma(end) in ("be", "have")
    return helper and sentence.find(word_list("lifting_words"), end, end + 4) >= 0


def may_be_verb(sentence: ScopedSentence, at: int) -> bool:
    """Whether a word that was tagged as a noun is a verb with an object: rather than hire a guide."""
    return sentence.pos(at + 1) == "DET" and any(one.tag == "VB" for one in readings(sentence.word(at)))


def draw_last_word(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """The last word of the cue and nothing after it: parking is free of charge for guests."""
    yield ScopePatch(cue.last - 1, cue.last, cue.kind, cue.rule)


def draw_vain(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """They looked for Y in vain; a place that has Y, which you will look for in vain; Y you will look for in vain."""
    found = gap_of(cue) or sentence.antecedent(cue.first)
    if found is None:
        subject = sentence.subject(cue.first)
        fronted = subject.first - 1 if subject is not None else -1
        found = sentence.noun_before(fronted) if sentence.is_nominal(fronted) else None
    yield from sentence.mark(cue, found)


def draw_verb(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """The object of a verb of absence; its subject in the passive; its antecedent in a relative clause."""
    participle = is_passive(sentence, cue.first)
    passive = participle and _has_helper(sentence, cue.first)
    gerund = sentence.tag(cue.first) == "VBG" and sentence.pos(cue.first - 1) in ("DET", "ADJ")  # the declining power
    if not passive and (participle or gerund) and _is_attribute(sentence, cue):
        return  # an abandoned farm is there
    taken = participle and not passive and sentence.lemma(cue.first) in word_list("moving_verbs")
    if taken and sentence.word(cue.last) == "from":  # a substance removed from wool
        return
    if passive and _forbids_action(sentence, cue):
        yield from sentence.predicate(cue, cue.last + 1, sentence.clause_end(cue.last + 1))
        return
    found = gap_of(cue)
    source = sentence.words[cue.last - 1] == "from" and sentence.lemma(cue.first) in word_list("removing_verbs")
    if found is None and not source and not (passive and _takes_no_object(sentence, cue)):
        found = object_after(sentence, cue)
    rule = cue.rule
    if found is None and not participle:
        found = sentence.antecedent(cue.first)
    if found is None and (passive or _is_reduced(sentence, cue, participle=participle)):
        found, rule = _with_proposal(sentence, subject_of(sentence, cue.first), cue.first), "passive_absence"
    if found is not None:
        doubtful = (passive and _is_optional(sentence, cue.first)) or _is_moved(sentence, cue, found)
        doubtful = doubtful or _is_restored(sentence, cue.last) or _is_one_of_two(sentence, cue, found)
        yield ScopePatch(found.first, found.last, "uncertain" if doubtful else cue.kind, rule)


def draw_gerund(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Stopped selling Y: from the gerund, the cue's last word, on."""
    yield from sentence.predicate(cue, cue.last - 1, sentence.clause_end(cue.last - 1))


def draw_predicate(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """The thing that is missing: the noun after an attribute, else the subject."""
    if sentence.words[cue.last - 1] == "gone" and not _is_gone(sentence, cue):
        return
    after = sentence.pos(cue.last)
    aside = sentence.words[cue.first - 1] == "even" and sentence.words[cue.first - 2] == "or"
    if aside and sentence.word(cue.last) == ",":  # a narrow, or even nonexistent, shelf
        return
    if sentence.word(cue.last) == ":":
        yield ScopePatch(cue.last + 1, sentence.phrase_end(cue.last + 1), cue.kind, cue.rule)
    elif after in ("NOUN", "PROPN") and not sentence.is_helper(cue.first) and sentence.pos(cue.first - 1) != "AUX":
        if (
            sentence.pos(cue.first - 1) == "DET" and sentence.words[cue.last - 1] in _PASSING
        ):  # the missing painting was found
            return
        yield ScopePatch(cue.last, sentence.phrase_end(cue.last), cue.kind, cue.rule)
    elif all(sentence.pos(at) == "ADV" for at in range(cue.first)):  # notably absent is Y
        verb = sentence.find(frozenset(("is", "are", "was", "were")), 0, sentence.length)
        start = verb + 1 if verb >= cue.last and sentence.tag(verb - 1) != "PRP" else cue.last
        yield ScopePatch(start, sentence.phrase_end(start), cue.kind, cue.rule)
    else:
        subject = subject_of(sentence, cue.first)
        if subject is None or (cue.kind == "uncertain" and _is_denied(sentence, subject)):
            return
        yield ScopePatch(subject.first, subject.last, cue.kind, cue.rule)
        copula = subject.first - 1
        if sentence.lemma(copula) == "be" and sentence.word(copula - 1) != "there":  # towels are the one thing missing
            yield from sentence.mark(cue, sentence.subject(copula))


def _is_gone(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether "gone" means absent: is gone, had gone; but not had gone indoors."""
    helper = sentence.lemma(sentence.skip_adverbs_back(cue.first - 1))
    return cue.first == 0 or helper == "be" or sentence.is_hard(cue.last)


def _is_denied(sentence: ScopedSentence, subject: TokenRange) -> bool:
    """Whether the subject is already negated: neither snow nor ice is expected."""
    return sentence.has_cue(subject.first - 1, subject.last, frozenset(("determiner", "neither", "none", "pronoun")))


def subject_of(sentence: ScopedSentence, predicate: int) -> TokenRange | None:
    """The subject of a participle or adjective; without a form of be, the noun before it: "straps excluded"."""
    if not _has_helper(sentence, predicate):
        before = sentence.skip_adverbs_back(predicate - 1)
        if sentence.find(word_list("terminators"), before, predicate) >= 0:  # accepted by all, though banned
            return None
        misread = sentence.pos(predicate) == "ADJ" and any(one.tag == "NNS" for one in readings(sentence.word(before)))
        if sentence.is_nominal(before) or sentence.tag(before) == "VBG" or misread:
            found = sentence.noun_before(before)
            within = sentence.find(frozenset(("with",)), found.first, before) if found is not None else -1
            return TokenRange(within + 1, before + 1) if within >= 0 else found  # tomatoes with the seeds removed
    return sentence.subject(predicate)


def _with_proposal(sentence: ScopedSentence, subject: TokenRange | None, verb: int) -> TokenRange | None:
    """The subject, extended to the planned thing if it is a plan: "the plan to build a marina was dropped"."""
    if subject is None or subject.last > verb:
        return subject
    named = sentence.find(word_list("proposal_nouns"), subject.first, subject.last) >= 0
    return TokenRange(subject.first, sentence.verb_group_start(verb)) if named else subject


def _has_helper(sentence: ScopedSentence, predicate: int) -> bool:
    return sentence.is_helper(sentence.skip_adverbs_back(predicate - 1))


def is_passive(sentence: ScopedSentence, verb: int) -> bool:
    """Whether a participle is passive, so that it describes its subject."""
    helper = sentence.lemma(sentence.skip_adverbs_back(verb - 1))
    if helper in ("be", "get", "become", "remain", "stay"):
        return sentence.tag(verb) in ("VBN", "VBD", "JJ") or sentence.pos(verb) == "ADJ"
    return helper != "have" and sentence.tag(verb) in ("VBN", "JJ")


def _is_attribute(sentence: ScopedSentence, cue: Cue) -> bool:
    before = sentence.pos(cue.first - 1) in _BEFORE_ATTRIBUTE or sentence.tag(cue.first - 1) == "PRP$"
    dated = sentence.pos(cue.first - 1) == "DET" and sentence.pos(cue.last) == "NUM"  # a cancelled 1983 game
    return before and (dated or sentence.pos(cue.last) in ("NOUN", "PROPN")) and cue.last == cue.first + 1


def _takes_no_object(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether a passive has no object: "were dropped last year"; but "were denied bail" has one."""
    after_be = sentence.lemma(sentence.skip_adverbs_back(cue.first - 1)) in ("be", "get")
    prepositional = cue.last - cue.first > 1 and sentence.words[cue.last - 1] in ("of", "from", "with", "on", "to")
    return after_be and not prepositional and sentence.lemma(cue.first) not in word_list("granting_verbs")


def _is_reduced(sentence: ScopedSentence, cue: Cue, *, participle: bool) -> bool:
    """Whether a participle without a form of be describes the noun before it: "straps excluded"."""
    bare = sentence.pos(cue.last) in ("", "ADP", "PUNCT", "CCONJ", "ADV", "SCONJ")
    past = participle or sentence.tag(cue.first) == "VBD"
    return bare and past and sentence.lemma(cue.first) not in word_list("intransitive_verbs")


def _is_moved(sentence: ScopedSentence, cue: Cue, found: TokenRange) -> bool:
    """Whether the object was only moved: dropped the vase on the floor, remove the pan from the heat."""
    place = sentence.word(found.last) in ("on", "onto", "into", "in", "over", "from", "at", "off")
    dated = sentence.pos(found.last + 1) in ("NUM", "PROPN")  # dropped the relay in 2009
    if dated or (sentence.lemma(cue.first) == "drop" and sentence.word(found.last) == "from"):
        return False
    opening = cue.first == 0 or sentence.is_hard(cue.first - 1) or sentence.words[cue.first - 1] in (",", "and", "then")
    command = (opening and sentence.words[cue.first] == "remove") or sentence.lemma(cue.first) != "remove"
    return sentence.lemma(cue.first) in word_list("moving_verbs") and place and command and found.first >= cue.last


def _forbids_action(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether a passive forbids what its subject does: it is forbidden to swim, guests are banned from smoking."""
    action = sentence.word(cue.last) in ("to", "from") and sentence.tag(cue.last + 1) in ("VB", "VBP", "VBG")
    return action and sentence.lemma(cue.first) in word_list("forbidding_verbs")


def _is_one_of_two(sentence: ScopedSentence, cue: Cue, found: TokenRange) -> bool:
    """Whether a relative clause may belong to either of two nouns: a sequence within a gene that is removed."""
    relative = sentence.word(sentence.verb_group_start(cue.first) - 1) in RELATIVE
    return relative and found.last < cue.first and sentence.pos(found.first - 1) == "ADP"


def _is_restored(sentence: ScopedSentence, start: int) -> bool:
    """Whether the absent thing came back: was removed in 1960 and put back in 1995."""
    for place in range(start, sentence.segment(start).last):
        word = sentence.words[place]
        back = word in word_list("restoring_words") or (
            word == "back" and sentence.words[place - 1] in ("put", "brought", "added")
        )
        if back and not sentence.has_cue(start, place, NEGATIVE_CUES):
            return True
    return False


def _is_optional(sentence: ScopedSentence, verb: int) -> bool:
    """Whether the absence is optional: the lid can be removed."""
    group = sentence.words[sentence.verb_group_start(verb) : verb]
    return ("can" in group or "could" in group) and "not" not in group and "n't" not in group


def gap_of(cue: Cue) -> TokenRange | None:
    """The words between the parts of a cue: leaves the raisins out."""
    for left, right in pairwise(cue.marks):
        if right > left + 1:
            return TokenRange(left + 1, right)
    return None


def object_after(sentence: ScopedSentence, cue: Cue) -> TokenRange | None:
    """The object right after a verb; None if there is none."""
    start = cue.last
    opening = cue.first == 0 or sentence.is_hard(cue.first - 1)
    if opening and sentence.word(start) in (":", "–", "—"):  # excluded: meals
        return TokenRange(start + 1, list_end(sentence, start + 1))
    if sentence.word(start) == ",":
        start = sentence.skip_aside(start)
    while sentence.pos(start) == "ADV":
        start += 1
    granted = sentence.lemma(cue.first) in word_list("granting_verbs") and sentence.tag(start) == "PRP"
    if granted and sentence.pos(start + 1) in _OBJECT_PARTS:  # refused him a burial
        start += 1
    part = sentence.pos(start) in _OBJECT_PARTS or sentence.tag(start) in ("VBG", "VBN")
    if not part or sentence.tag(start) in ("WDT", "WP", "EX") or sentence.word(start + 1) == "ago":
        return None
    end = _object_end(sentence, start)
    if sentence.word(end) == "from" and sentence.tag(end + 1) == "VBG":  # prohibits guests from smoking
        return TokenRange(end + 1, sentence.clause_end(end + 1))
    return TokenRange(start, end)


def _object_end(sentence: ScopedSentence, start: int) -> int:
    """The end of an object with what belongs to it: support for Y, a proposal to build Y, and the sale of Y."""
    end = sentence.phrase_end(start)
    while sentence.word(end) in ("and", "or") and sentence.pos(end + 1) == "DET":
        if sentence.opens_clause(end + 1, end) or sentence.joins(end, start) is False:
            break
        end = sentence.phrase_end(end + 1)
    last = sentence.word(end - 1)
    if f"{last}_{sentence.word(end)}" in word_list("relational_nouns"):
        return sentence.phrase_end(end + 1)
    planned = last in word_list("proposal_nouns") and sentence.tag(end) == "TO"
    return sentence.clause_end(end) if planned else end


def list_end(sentence: ScopedSentence, start: int) -> int:
    """The end of the list that a colon opens."""
    place = start
    while not sentence.is_hard(place):
        place += 1
    return place
