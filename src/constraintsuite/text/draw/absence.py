"""Scopes of words of absence: without Y, lacks Y, Y is missing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from constraintsuite.text.clauses import COORDINATORS, HORIZON
from constraintsuite.text.cues import Cue
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.readings import readings
from constraintsuite.text.scoped_sentence import ScopedSentence, ScopePatch
from constraintsuite.text.sentence import TokenRange

_OBJECT_PARTS = frozenset(("NOUN", "PROPN", "DET", "ADJ", "NUM", "PRON"))
NEGATIVE_CUES = frozenset(("determiner", "pronoun", "none", "partitive", "particle", "nowhere", "neither", "nor"))
_BECOMING = frozenset(("become", "remain", "stay", "go", "seem", "fall"))
_RELATIVE = frozenset(("which", "who", "whose", "where"))
_UNREAL = frozenset(("would", "could", "might"))
_CAN = frozenset(("can", "could", "may", "might"))
_JOINTS = frozenset(("but", "however", "though", "although", "which", "before", "yet"))
_CLAUSE = 12
_NOTHING = frozenset(("nothing", "none", "wrong"))
_PASSING = frozenset(("missing", "absent", "extinct", "gone", "taboo", "unwelcome"))


def draw_pseudo(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """A phrase that only looks like a negation: only its own words are marked, as affirmed, for the explanation."""
    yield ScopePatch(cue.first, cue.last, "affirmed", cue.rule)


def draw_kept(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """What is there, against an unreal condition: if it were not for Y, but for Y."""
    end = sentence.phrase_end(cue.last)
    yield ScopePatch(cue.last, end, "affirmed", cue.rule)
    if sentence.word(end) == "," and not sentence.has_cue(end, sentence.length, frozenset(("counterfactual",))):
        yield from sentence.predicate(cue.as_kind("uncertain"), end + 1, sentence.clause_end(end + 1))


def draw_phrase(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """The phrase after the cue: without Y, lack of Y, free of Y."""
    start = cue.last
    if cue.rule == "without" and _is_spared(sentence, cue):
        yield from draw_kept(sentence, cue)
        return
    if sentence.word(start) == ":":
        yield ScopePatch(start + 1, list_end(sentence, start + 1), cue.kind, cue.rule)
        return
    while sentence.pos(start) == "ADV" and (
        sentence.tag(start + 1) == "VBG" or sentence.pos(start + 1) in _OBJECT_PARTS or sentence.pos(start + 1) == "ADP"
    ):
        start += 1  # without once crossing Y, instead of just Y
    inner = start + 1 if sentence.pos(start) in ("ADP", "SCONJ") else start  # rather than as Y
    if cue.rule == "doubt_preference" and sentence.tag(start) == "VB":  # prefers to stay
        return
    if sentence.words[cue.first] == "lacking" and sentence.pos(start) not in ("NOUN", "PROPN", "DET", "ADJ", "PRON"):
        yield from draw_predicate(sentence, cue)
        return
    if cue.draw == "noun" and is_lifted(sentence, inner):
        return
    if sentence.lemma(cue.first - 1) in word_list("forbidding_verbs"):  # prohibited without a licence
        yield ScopePatch(start, sentence.phrase_end(inner), "affirmed", "double_negation")
        return
    bare_verb = cue.rule == "replacement_instead_of" and may_be_verb(sentence, inner)
    end = sentence.clause_end(inner) if bare_verb else sentence.phrase_end(inner, loose=True)
    with_it = sentence.find(frozenset(("with",)), inner, end) if sentence.words[cue.first] == "without" else -1
    if with_it > 0 and sentence.find(COORDINATORS, inner, with_it) > 0:  # a day without Y and two days with it
        end = with_it
    end = _repeated_end(sentence, cue, end)
    if cue.rule == "replacement_instead_of" and is_allowed(sentence, cue.first):
        cue = cue.as_kind("uncertain")
    known = sentence.word(start) in word_list("definite_determiners")
    if cue.rule == "replacement_instead_of" and known and sentence.word(end + 1) in _RELATIVE:
        yield ScopePatch(end + 2, sentence.clause_end(end + 2), cue.kind, cue.rule)  # instead of the bus, which had Y
    action = sentence.tag(inner) == "VBG" and sentence.lemma(inner) not in word_list("using_verbs")
    if action and all(other.first != inner for other in sentence.cues):
        yield from sentence.predicate(cue, start, end)  # instead of ploughing the meadow
    else:
        yield ScopePatch(start, end, cue.kind, cue.rule)


def _is_spared(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether a definite thing is there: without the pump, the cellar would flood."""
    if sentence.word(cue.last) not in word_list("definite_determiners"):
        return False
    opening = cue.first == 0 or sentence.is_hard(cue.first - 1)
    unreal = _UNREAL if opening else frozenset(("would",))  # she could see without her glasses
    return sentence.find(unreal, 0, sentence.length) >= 0


def _repeated_end(sentence: ScopedSentence, cue: Cue, end: int) -> int:
    """The end of a list whose members repeat the preposition of the cue: free of Y and of Z."""
    while sentence.word(end) in COORDINATORS and sentence.word(end + 1) == sentence.words[cue.last - 1] != "to":
        end = sentence.phrase_end(end + 2)
    return end


def is_allowed(sentence: ScopedSentence, at: int) -> bool:
    """Whether a clause says what one can do: you can use Y instead of Z, you can leave out Y."""
    places = range(sentence.clause_start(at), at)
    modal = next((place for place in places if sentence.words[place] in _CAN), -1)
    return modal >= 0 and sentence.word(modal + 1) not in ("not", "n't")


def is_lifted(sentence: ScopedSentence, start: int) -> bool:
    """Whether a ban ended: the ban on Y in the hall was lifted."""
    places = range(start, min(start + HORIZON, sentence.length))
    verb = next((at for at in places if sentence.is_finite(at) and sentence.lemma(at) in ("be", "have")), -1)
    if verb < 0 or sentence.find(frozenset(","), start, verb) >= 0:
        return False
    return sentence.find(word_list("lifting_words"), verb, verb + 4) >= 0


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
        known = sentence.pos(cue.first - 1) == "DET" and sentence.words[cue.last - 1] in _PASSING
        if known or sentence.words[cue.last - 1] == "absent":  # the missing painting was found; an absent father
            return
        yield ScopePatch(cue.last, sentence.phrase_end(cue.last), cue.kind, cue.rule)
    elif all(sentence.pos(at) == "ADV" for at in range(cue.first)):  # notably absent is Y
        verb = sentence.find(frozenset(("is", "are", "was", "were")), 0, sentence.length)
        start = verb + 1 if verb >= cue.last and sentence.tag(verb - 1) != "PRP" else cue.last
        yield ScopePatch(start, sentence.phrase_end(start), cue.kind, cue.rule)
    elif _is_only_thing(sentence, cue):
        yield ScopePatch(cue.last + 1, sentence.phrase_end(cue.last + 1), cue.kind, cue.rule)
    else:
        yield from _draw_subject(sentence, cue)


def _draw_subject(sentence: ScopedSentence, cue: Cue) -> Iterator[ScopePatch]:
    """The subject of a predicate of absence; of a plan also what is planned: it is expected to have Y."""
    elsewhere = sentence.word(cue.last) == "from" and not has_helper(sentence, cue.first)
    if elsewhere and any(sentence.is_finite(at) for at in range(sentence.clause_start(cue.first), cue.first)):
        return  # he showed a humour missing from his other films
    subject = subject_of(sentence, cue.first)
    if subject is None or (cue.kind == "uncertain" and _is_denied(sentence, subject)):
        return
    if cue.rule == "doubt_prospect":
        cue = cue.as_kind("negated") if is_given_up(sentence, cue) else cue
        if sentence.word(cue.last) in ("to", "of"):
            yield from sentence.predicate(cue, cue.last + 1, sentence.clause_end(cue.last + 1))
    yield ScopePatch(subject.first, subject.last, cue.kind, cue.rule)
    copula = subject.first - 1
    if sentence.lemma(copula) == "be" and sentence.word(copula - 1) != "there":  # towels are the one thing missing
        yield from sentence.mark(cue, sentence.subject(copula))


def _is_only_thing(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether what is missing is named after it: the only thing missing is Y."""
    thing = sentence.word(cue.first - 1) in word_list("placeholders")
    return thing and sentence.lemma(cue.last) == "be" and sentence.lemma(cue.first - 1) != "be"


def _is_gone(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether "gone" means absent: is gone, had gone; but not had gone indoors."""
    helper = sentence.lemma(sentence.skip_adverbs_back(cue.first - 1))
    return cue.first == 0 or helper == "be" or sentence.is_hard(cue.last)


def is_given_up(sentence: ScopedSentence, cue: Cue) -> bool:
    """Whether a plan came to nothing later in the sentence: a tunnel was planned, but it was never built."""
    joint = sentence.find(_JOINTS, cue.last, sentence.length)
    if joint < 0:
        return False
    last = min(joint + _CLAUSE, sentence.length)
    if sentence.find(word_list("ending_words"), joint, last) >= 0 or sentence.find(_NOTHING, joint, last) >= 0:
        return True
    never = sentence.find(frozenset(("never", "not")), joint, last)
    return never >= 0 and sentence.tag(sentence.skip_adverbs(never)) in ("VBN", "VBD", "VB")


def _is_denied(sentence: ScopedSentence, subject: TokenRange) -> bool:
    """Whether the subject is already negated: neither snow nor ice is expected."""
    return sentence.has_cue(subject.first - 1, subject.last, frozenset(("determiner", "neither", "none", "pronoun")))


def subject_of(sentence: ScopedSentence, predicate: int) -> TokenRange | None:
    """The subject of a participle or adjective; without a form of be, the noun before it: "straps excluded"."""
    if not has_helper(sentence, predicate):
        before = sentence.skip_adverbs_back(predicate - 1)
        if sentence.lemma(before) in _BECOMING:
            return sentence.subject(before)
        if sentence.find(word_list("terminators"), before, predicate) >= 0:  # accepted by all, though banned
            return None
        if sentence.word(before - 1) == "with":  # with tungsten out of stock
            return TokenRange(before, before + 1)
        misread = sentence.pos(predicate) == "ADJ" and any(one.tag == "NNS" for one in readings(sentence.word(before)))
        if sentence.is_nominal(before) or sentence.tag(before) == "VBG" or misread:
            found = sentence.noun_before(before)
            within = sentence.find(frozenset(("with",)), found.first, before) if found is not None else -1
            return TokenRange(within + 1, before + 1) if within >= 0 else found  # tomatoes with the seeds removed
    return sentence.subject(predicate)


def has_helper(sentence: ScopedSentence, predicate: int) -> bool:
    """Whether an auxiliary comes before the participle or adjective."""
    return sentence.is_helper(sentence.skip_adverbs_back(predicate - 1))


def is_passive(sentence: ScopedSentence, verb: int) -> bool:
    """Whether a participle is passive, so that it describes its subject."""
    place = sentence.skip_adverbs_back(verb - 1)
    helper = sentence.lemma(place - (sentence.word(place) == "since"))  # have since replaced
    if helper in ("be", "get", "become", "remain", "stay"):
        return sentence.tag(verb) in ("VBN", "VBD", "JJ") or sentence.pos(verb) == "ADJ"
    return helper != "have" and sentence.tag(verb) in ("VBN", "JJ")


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
    while sentence.pos(start) == "ADV" or (sentence.word(start) == "both" and sentence.pos(start) == "CCONJ"):
        start += 1
    if sentence.word(start) in ("and", "or") and sentence.tag(start + 1) == sentence.tag(cue.first):
        start += 2  # prevents or delays Y
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
    if last in word_list("proposal_nouns") and sentence.word(end) == "for":  # threw out the proposal for a helipad
        return sentence.phrase_end(end + 1)
    planned = last in word_list("proposal_nouns") and sentence.tag(end) == "TO"
    return sentence.clause_end(end) if planned else end


def list_end(sentence: ScopedSentence, start: int) -> int:
    """The end of the list that a colon opens."""
    place = start
    while not sentence.is_hard(place):
        place += 1
    return place
