"""Citations in a text, their relation to the cited rule (which may be overridden), and defined terms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from constraintsuite.core.records.text import Span
from constraintsuite.text.mentions import MentionFinder
from constraintsuite.text.readings import readings

# Words between the cue and the number: in spite of [the ban in] rule 3. How a step ended is not a rule.
_IN_IT = (
    r"(?:(?:the|any|its|their|our)\s+(?!outcomes?\b|results?\b|failures?\b|success\b|status\b|state\b|completion\b|delays?\b|"
    r"breach\b)(?:[\w’'-]+\s+){1,6}?(?:in|of|under|by|from)\s+)?"
)
_CONCEDING = re.compile(rf"(?i)\b(?:in spite of|despite|regardless of|irrespective of)\s+{_IN_IT}$")
_CONTRARY = re.compile(rf"(?i)^(?:and\s+|but\s+)?(?:contrary to|in derogation (?:of|from))\s+{_IN_IT}$")
_EVEN = re.compile(
    rf"(?i)\b(?:even (?:if|where|when|though)|although|though|whatever|no matter what)\s+{_IN_IT}"
    r"(?P<passive>[^,.;]{1,60}\s(?:by|under|in)\s+)?$"
)
_RULING = re.compile(
    r"(?i)\b(?:sa(?:y|ys|id)|states?|provides?|prescribes?|applies|apply|forbids?|forbidden|prohibits?|prohibited|bars?|barred|"
    r"bans?|banned|requires?|required|demands?|demanded|limits?|limited|restricts?|restricted|allows?|allowed|permits?|"
    r"permitted|excludes?|excluded|calls? for|asks? for|rules?|ruled)\b"
)
_KEEPING = (
    r"(?:comply with|follow|observe|meet|obey|keep to|stick to|respect|satisfy|perform|do|carry out|apply|adhere to|abide by|"
    r"complete|fulfil)"
)
_FREED = re.compile(
    rf"(?i)\b(?P<verb>(?:exempt(?:ed)?|released|excused|freed|free|dispensed|discharged|excepted|excluded) from|relieved (?:of|from)|"
    rf"(?:falls?|lies?|is|are) outside(?: the (?:scope|reach) of)?|exceptions? to|instead of|in place of|in lieu of|"
    rf"(?:derogat\w+|departs?|deviat(?:es?|ing)) from|"
    rf"(?:skip|omit|bypass|ignore|disregard|waive|suspend|relax|lift)(?:s|es)?|disappl(?:y|ies)|dispenses? with)\s+{_IN_IT}$"
)
_UNBOUND = re.compile(
    rf"(?i)\b(?:not (?:bound|covered|governed|caught|limited|restricted) by|not subject to|"
    rf"(?:need not|(?:does|do|did) not (?:have|need) to|not (?:required|obliged|bound) to) {_KEEPING})\s+{_IN_IT}$"
)
_PREVAILING = re.compile(
    rf"(?i)\b(?P<verb>overrid(?:es?|ing)|overrules?|prevails? over|(?:takes?|has|have) (?:precedence|priority) over)\s+{_IN_IT}$"
)
_ANOTHER_RULE = re.compile(
    r"(?i)\b(?:sections?|clauses?|articles?|paragraphs?|steps?|rules?|conditions?|items?)\s+\(?\d"
)
_NOT_APPLYING = re.compile(
    r"(?i)^[^.;,]{0,40}?\s(?:(?:does|do|shall|will|is|are|need)\s+not\s+(?:have\s+to\s+)?(?:be\s+)?(?:apply|extend|cover|affect|"
    r"charged|bind|followed|applied|required|hold|count|concern|prevent|stop|preclude|prohibit|forbid|oblige|needed|necessary|"
    r"observed|enforced|stand)|no\s+longer\s+(?:applies|apply|holds?|binds?)|(?:ceases?\s+to|stops?)\s+(?:apply|hold|bind)(?:ing)?|"
    r"(?:has|have|is\s+of|are\s+of|shall\s+have)\s+no\s+(?:effect|force|application)|falls?\s+away|lapses?)\b"
)
_GIVEN_UP = re.compile(
    r"(?i)^[^.;,]{0,40}?\s(?:(?:is|are|was|were|(?:shall|will|may|can|must)\s+be|(?:has|have)\s+been)\s+(?:(?:also|hereby|then|"
    r"temporarily|automatically)\s+)?(?:waived|suspended|lifted|relaxed|disapplied|set\s+aside|overridden|displaced|dispensed\s+with|"
    r"skipped|omitted|left\s+out|ignored|disregarded|optional|unnecessary|inapplicable))\b|^\s+aside\b"
)
_HOLDING_BUT = re.compile(
    r"(?i)^[^.;,]{0,40}?\s(?:applies|apply|holds?|binds?|stands?)\b[^.;]{0,80}?\b(?:unless|except|save (?:for|that|where)|apart from|"
    r"other than|with the exception of)\b"
)
_NO_BAR = re.compile(rf"(?i)\bnothing (?:in|under)\s+{_IN_IT}$")
_BARRING = re.compile(
    r"(?i)^\s+(?:shall\s+|will\s+)?(?:prevents?|stops?|obliges?|requires?|limits?|restricts?|forbids?|bars?|precludes?)\b"
)
_DENIED = re.compile(
    r"(?i)(?:\b(?:not|never|cannot|n[o’']t|without)\s+(?:[\w-]+\s+){0,2}|\b(?:no|none|nobody|nothing|neither)\b[^,]*)$"
)
_BOUNDARY = re.compile(r"[.;:!?]\s")
CitationRelation = Literal["refers_to", "depends_on", "overrides", "excepted_by"]
"""`overrides`: the citing unit is an exception to the cited one; `excepted_by`: the reverse."""

_NUMBER = r"(?:\d{1,5}(?:\.\d{1,3})*(?:\s?\([a-z0-9]{1,4}\))*|\([a-z]{1,4}\))"
_LETTERED = r"(?:[A-Z]|[IVX]{1,5}|\d{1,3})"
_JOINT = r"(?:\s*,\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+|\s+to\s+|\s+through\s+|\s*[–-]\s*)"
_NAMED = re.compile(
    rf"(?i:\b(?P<name>sub-?sections?|sub-?clauses?|sub-?paragraphs?|sections?|clauses?|articles?|paragraphs?|steps?|rules?|"
    rf"conditions?|items?|chapters?)\s+|(?P<sign>§§?)\s*)(?P<list>{_NUMBER}(?:{_JOINT}{_NUMBER})*)(?![\w%])"
)
_ANNEX = re.compile(
    rf"\b(?P<name>(?i:annex(?:es)?|appendix|appendices|schedules?|exhibits?|parts?))\s+"
    rf"(?P<list>{_LETTERED}(?:{_JOINT}{_LETTERED})*)(?!\w)"
)
_BARE_NUMBER = re.compile(
    r"(?i:\b(?:(?:(?:set out|stated|provided|described|specified|listed|defined|laid down|given|rules?) (?:in|under|by)|"
    r"subject to|notwithstanding|pursuant to|in accordance with)\s+|(?:see|under|per)\s+(?=\d{1,3}\.\d)))"
    r"(?P<list>\d{1,3}(?:\.\d{1,3})*(?:\([a-z]{1,4}\))*(?:\s+(?:and|or)\s+\d{1,3}(?:\.\d{1,3})+)*)"
    r"(?=[,;:)]|\.?\s*$|\.\s|\s+(?:above|below|shows?|applies|and|or|the|does|is|are)\b)"
)
_BEFORE = re.compile(
    r"(?i)\bthe (?P<way>previous|preceding|foregoing|prior|next|following) "
    r"(?:clause|step|paragraph|section|rule|item|sentence|subsection|point)\b"
)
_SPLIT = re.compile(_JOINT)
_RANGE = re.compile(rf"({_NUMBER})(?:\s+to\s+|\s+through\s+|\s*[–-]\s*)({_NUMBER})")
_LONGEST_RANGE = 30
_OWN = re.compile(r"\s+(?:of|in|to)\s+(?:this|the present)\b", re.IGNORECASE)
_BINDING = frozenset(("subject",))
"""Cues of conditions that a negation before them reverses: not subject to rule 4."""
_HEAD = re.compile(r"(?:^|[.;:!?])\s*$")
_END = re.compile(r"\s*(?:[.;:!?]|$)")
_OTHER = re.compile(r"\s+(?:of|in|from)\s+(?:the\s+|our\s+)?(?P<tail>[^.;]{1,120})", re.IGNORECASE)
_BRACKETED = re.compile(
    r"\(\s*(?:(?:each|together|collectively|hereinafter|in this \w+),?\s+)*(?:(?:the|an?|its)\s+)?[“\"]([A-Z][^”\"()]{1,60})[”\"]\s*\)"
)
_QUOTED = re.compile(
    r"[“\"]([A-Z][^”\"]{1,60})[”\"]\s+(?:means|shall mean|has the meaning|refers to|is defined as|denotes)\b"
)
_DEFINED = re.compile(r"((?:[A-Z][\w-]*)(?: [A-Z][\w-]*){0,4}) (?:means|shall mean|is defined as)\b")


def _sets_aside(text: str, place: Span) -> bool:
    """Whether the sentence makes an exception to what is cited at a position."""
    before, after = _sentence_around(text, place)
    if any(pattern.search(before) for pattern in (_CONCEDING, _CONTRARY, _UNBOUND)):
        return True
    conceded = _EVEN.search(before)
    if conceded and _RULING.search(conceded["passive"] or after.partition(",")[0]):
        return True
    if _NO_BAR.search(before):
        return bool(_BARRING.match(after))
    freed = _FREED.search(before)
    if freed:
        return not _is_denied(before[: freed.start("verb")])
    prevailing = _PREVAILING.search(before)
    if prevailing:
        subject = before[: prevailing.start("verb")]
        return not _is_denied(subject) and not _ANOTHER_RULE.search(subject)
    if _NOT_APPLYING.match(after) or _HOLDING_BUT.match(after):
        return True
    return bool(_GIVEN_UP.match(after)) and not _is_denied(before)


def _sentence_around(text: str, place: Span) -> tuple[str, str]:
    """Return the text before and after a citation in its sentence."""
    start = max((match.end() for match in _BOUNDARY.finditer(text, 0, place.start)), default=0)
    end = _BOUNDARY.search(text, place.end)
    return text[start : place.start], text[place.end : end.start() if end else len(text)]


def _is_denied(words: str) -> bool:
    """Whether these words negate what follows: nobody is exempt from; do not skip."""
    return bool(_DENIED.search(words.rpartition(",")[2]))


@dataclass(frozen=True, slots=True)
class Citation:
    """One number that a text cites."""

    number: str
    """`4.2.a`; `.b` is part b of the citing unit's own clause; `-1` and `+1` are the unit before and after."""
    name: str
    """section, step, annex, ...; empty for a number alone."""
    relation: CitationRelation
    because: str
    """The words that cite."""
    tail: str = ""
    """The words after it, which may name another document; empty if it is certainly this one."""


@dataclass(frozen=True, slots=True)
class Condition:
    """The position of a condition or exception in the text, and its cue."""

    span: Span
    cue: str
    exception: bool


def find_citations(text: str, conditions: Sequence[Condition]) -> list[Citation]:
    """Find what a text cites, in order, each number once."""
    found: dict[tuple[str, CitationRelation], Citation] = {}
    taken: list[Span] = []
    for pattern in (_NAMED, _ANNEX, _BARE_NUMBER):
        for match in pattern.finditer(text):
            place = Span(*match.span("list"))
            if any(place.overlaps(other) for other in taken):
                continue
            taken.append(place)
            for one in _citations(text, match, conditions):
                found.setdefault((one.number, one.relation), one)
    for match in _BEFORE.finditer(text):
        step = "+1" if match["way"].lower() in ("next", "following") else "-1"
        relation = _relation(text, Span(*match.span()), conditions)
        found.setdefault((step, relation), Citation(step, "", relation, match.group()))
    return list(found.values())


def _citations(text: str, match: re.Match[str], conditions: Sequence[Condition]) -> Iterator[Citation]:
    groups = match.groupdict()
    name = (groups.get("name") or ("section" if groups.get("sign") else "")).lower().removesuffix("s")
    relation = _relation(text, Span(*match.span()), conditions)
    because = match.group()
    other = None if _OWN.match(text, match.end()) else _OTHER.match(text, match.end())
    tail = other["tail"] if other else ""
    for number in _numbers(match["list"]):
        yield Citation(number, {"annexe": "annex", "appendice": "appendix"}.get(name, name), relation, because, tail)


def _numbers(listed: str) -> list[str]:
    numbers: list[str] = []
    for match in _RANGE.finditer(listed):
        first, last = (_plain(match[1]), _plain(match[2]))
        if first.isdigit() and last.isdigit() and 0 < int(last) - int(first) <= _LONGEST_RANGE:
            numbers += map(str, range(int(first), int(last) + 1))
    numbers += [_plain(part) for part in _SPLIT.split(listed) if part]
    return list(dict.fromkeys(numbers))


def _plain(number: str) -> str:
    """Write `4.2(a)` as `4.2.a`, and `(b)` as `.b`."""
    return re.sub(r"\s?\(([a-z0-9]+)\)", r".\1", number)


def _relation(text: str, place: Span, conditions: Sequence[Condition]) -> CitationRelation:
    inside = next((one for one in conditions if one.span.start <= place.start < one.span.end), None)
    if (inside is None or inside.cue in _BINDING or _is_whole_sentence(text, inside.span)) and _sets_aside(text, place):
        return "overrides"
    if inside is None:
        return "refers_to"
    if not inside.exception:
        return "depends_on"
    return "overrides" if inside.cue == "notwithstanding" else "excepted_by"


def _is_whole_sentence(text: str, span: Span) -> bool:
    """Whether a condition extends over all of its sentence, because no comma ends it."""
    return bool(_HEAD.search(text[: span.start])) and bool(_END.match(text, span.end))


def find_definitions(text: str) -> tuple[str, ...]:
    """Return the terms that a text defines, as they are written."""
    found = [*_BRACKETED.findall(text), *_QUOTED.findall(text)]
    bare = _DEFINED.match(text)
    if bare and readings(bare[1].partition(" ")[0].lower())[0].pos not in ("PRON", "DET", "ADV", "SCONJ"):  # this means
        found.append(bare[1])
    return tuple(dict.fromkeys(term.strip(" ,") for term in found))


class TermFinder:
    """Finds uses of defined terms, in capitals as they were defined; a plural is a use too."""

    def __init__(self, terms: Sequence[str]) -> None:
        self._finder = MentionFinder({term: (term, f"{term}s") for term in terms})

    def find(self, text: str) -> list[str]:
        """Return the terms that a text uses, each once, in order."""
        uses = (one.key for one in self._finder.find(text) if one.span.of(text).startswith(one.key))
        return list(dict.fromkeys(uses))
