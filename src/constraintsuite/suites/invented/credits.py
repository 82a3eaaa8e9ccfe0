"""Changes the order in which a text names the people of a work: "directed by A and starring B" to "starring B and directed by A".

Encyclopedias name the director first. Without this the place of a name would tell its role.
"""

from __future__ import annotations

import re

_VERBS = r"(?:co-)?(?:written|directed|produced|edited|scripted)"
_NO_VERB_BEFORE = r"(?<!ed, )(?<!en, )(?<!ed and )(?<!en and )"
_MADE_BY = rf"{_VERBS}(?:, {_VERBS})*(?:,? and {_VERBS})? by [^.;()]+?"
_CREDIT = rf"(?:{_MADE_BY}|starring [^.;()]+?)"
_JOINED = re.compile(
    rf"{_NO_VERB_BEFORE}(?P<first>{_CREDIT}),?(?: and |, and |, | )(?P<second>{_CREDIT})(?P<end>\.(?= |$))"
)
_APART = re.compile(
    rf"{_NO_VERB_BEFORE}(?P<first>{_MADE_BY})\. (?:It|The film|The movie) stars (?P<names>[^.;()]+?)(?P<end>\.(?= |$))"
)


def reorder_credits(text: str) -> str:
    """The text with its first two credits in the other order; unchanged if they are not found."""
    apart = _APART.search(text)
    if apart is not None:
        told = f"starring {apart['names']}. It was {apart['first']}{apart['end']}"
        return text[: apart.start()] + told + text[apart.end() :]
    joined = _JOINED.search(text)
    if joined is None:
        return text
    first, second = joined["first"], joined["second"]
    link = ", and " if "," in second or " and " in second else " and "
    return text[: joined.start()] + second + link + first + joined["end"] + text[joined.end() :]
