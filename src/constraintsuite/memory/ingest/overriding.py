"""Whether a sentence sets aside the rule that it cites: in spite of clause 3; clause 3 is waived; released from clause 3."""

from __future__ import annotations

import re

from constraintsuite.records.text import Span

# What may stand between the words and the number: in spite of [the ban in] rule 3. How a step ended is no rule.
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


def sets_aside(text: str, place: Span) -> bool:
    """Whether the sentence makes an exception to what is cited at a place."""
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
    """What stands before and behind a citation in its sentence."""
    start = max((match.end() for match in _BOUNDARY.finditer(text, 0, place.start)), default=0)
    end = _BOUNDARY.search(text, place.end)
    return text[start : place.start], text[place.end : end.start() if end else len(text)]


def _is_denied(words: str) -> bool:
    """Whether what follows is said not to be: nobody is exempt from; do not skip."""
    return bool(_DENIED.search(words.rpartition(",")[2]))
