"""Scopes of verbs of removal, refusal and prohibition: dropped Y, Y was banned, stopped selling Y."""

from __future__ import annotations

from collections.abc import Iterator

from constraintsuite.text.clauses import RELATIVE
from constraintsuite.text.cues import Cue
from constraintsuite.text.draw.absence import (
    NEGATIVE_CUES,
    gap_of,
    has_helper,
    is_lifted,
    is_passive,
    object_after,
    subject_of,
)
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.scoped_sentence import ScopedSentence, ScopePatch
from constraintsuite.text.sentence import TokenRange

_CAN = frozenset(("can", "could"))
_BEFORE_ATTRIBUTE = frozenset(("DET", "ADJ", "ADP", "SCONJ", "VERB", "NUM"))


def draw_verb(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """The object of a verb of absence; its subject in the passive; its antecedent in a relative clause."""
    participle = is_passive(sentence, cue.first)
    passive = participle and has_helper(sentence, cue.first)
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
    if found is None and not passive:
        found = sentence.antecedent(cue.first)
    if found is None and (passive or _is_reduced(sentence, cue, participle=participle)):
        found, rule = _with_proposal(sentence, subject_of(sentence, cue.first), cue.first), "passive_absence"
    if found is None or _comes_to_nothing(sentence, cue, found) or _is_other_sense(sentence, cue, found):
        return
    planned = sentence.find(word_list("proposal_nouns"), found.first, found.last) >= 0
    marked = cue.as_kind("negated") if passive and planned else cue  # the scheme was abandoned
    if _is_optional(sentence, cue.first) or _is_doubtful(sentence, cue, found):
        marked = cue.as_kind("uncertain")
    if passive and sentence.find(word_list("entry_nouns"), found.first, found.last) >= 0:
        yield from _kept_out(sentence, cue)
    if sentence.tag(found.first) == "VBG" and sentence.is_verb(found.first):  # avoids cleaning the pool
        yield from sentence.predicate(marked, found.first, found.last)
    else:
        yield ScopePatch(found.first, found.last, marked.kind, rule)


def _kept_out(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """The subject that is kept out, unless it is named: lorries are denied access."""
    subject = sentence.subject(cue.first)
    if subject is not None and not sentence.is_known(subject.first):
        yield from sentence.mark(cue, subject, "passive_absence")


def _comes_to_nothing(sentence: ScopedSentence, cue: Cue, found: TokenRange) -> bool:
    """Whether the removal ended or failed: the law that banned Y was repealed; they tried to repeal Y, but failed."""
    lifted = sentence.lemma(cue.first) in word_list("forbidding_verbs") and is_lifted(sentence, found.last)
    failed = _is_tried(sentence, cue) and sentence.find(word_list("failure_words"), 0, sentence.length) >= 0
    return lifted or failed


def _is_other_sense(sentence: ScopedSentence, cue: Cue, found: TokenRange) -> bool:
    """Whether the object shows that nothing went missing: cut the cake (but cut the scene), lost the match."""
    ousted = sentence.lemma(cue.first) in word_list("ousting_verbs") and found.last <= cue.first
    if ousted and sentence.pos(found.first) == "PROPN":  # Batista, who was overthrown
        return True
    parts = frozenset(sentence.words[found.first : found.last])
    if sentence.lemma(cue.first) == "cut" and cue.last == cue.first + 1:
        return parts.isdisjoint(word_list("text_parts"))
    if sentence.lemma(cue.first) in ("stop", "halt", "cease") and cue.rule == "verb_of_ending":
        return parts.isdisjoint(word_list("activities"))
    if sentence.lemma(cue.first) in ("close", "shut"):
        return not parts.isdisjoint(word_list("closable_things"))
    return sentence.lemma(cue.first) == "lose" and not parts.isdisjoint(word_list("contest_nouns"))


def _is_doubtful(sentence: ScopedSentence, cue: Cue, found: TokenRange) -> bool:
    return (
        _is_tried(sentence, cue)
        or _is_moved(sentence, cue, found)
        or _is_restored(sentence, cue.last)
        or _is_one_of_two(sentence, cue, found)
    )


def draw_gerund(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """Stopped selling Y: from the gerund, the cue's last word, on."""
    yield from sentence.predicate(cue, cue.last - 1, sentence.clause_end(cue.last - 1))


def _with_proposal(sentence: ScopedSentence, subject: TokenRange | None, verb: int) -> TokenRange | None:
    """The subject, extended to the planned thing if it is a plan: "the plan to build a marina was dropped"."""
    if subject is None or subject.last > verb:
        return subject
    named = sentence.find(word_list("proposal_nouns"), subject.first, subject.last) >= 0
    return TokenRange(subject.first, sentence.verb_group_start(verb)) if named else subject


def _is_attribute(sentence: ScopedSentence, cue: Cue) -> bool:
    before = sentence.pos(cue.first - 1) in _BEFORE_ATTRIBUTE or sentence.tag(cue.first - 1) == "PRP$"
    if sentence.pos(cue.first - 1) == "NUM" and sentence.pos(cue.first - 2) == "ADP":  # the law of 1842 prohibited Y
        return False
    dated = sentence.pos(cue.first - 1) == "DET" and sentence.pos(cue.last) == "NUM"  # a cancelled 1983 game
    return before and (dated or sentence.pos(cue.last) in ("NOUN", "PROPN")) and cue.last == cue.first + 1


def _takes_no_object(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether a passive has no object: "were dropped last year"; but "were denied bail" has one."""
    after_be = sentence.lemma(sentence.skip_adverbs_back(cue.first - 1)) in ("be", "get")
    prepositional = cue.last - cue.first > 1 and sentence.words[cue.last - 1] in ("of", "from", "with", "on", "to")
    return after_be and not prepositional and sentence.lemma(cue.first) not in word_list("granting_verbs")


def _is_tried(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether the removal is only tried or wanted: attempted to repeal Y."""
    group = sentence.skip_adverbs_back(cue.first - 1)
    if sentence.tag(group) != "TO" or sentence.lemma(cue.first) in ("avoid", "prevent"):
        return False
    return sentence.lemma(sentence.skip_adverbs_back(group - 1)) in word_list("trying_verbs")


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
    return not _CAN.isdisjoint(group) and "not" not in group and "n't" not in group
