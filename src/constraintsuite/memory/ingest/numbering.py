"""Markers of numbered and bulleted lines, the nesting of items, and the full number of each item."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Style = Literal["bullet", "named", "dotted", "number", "bracketed", "letter", "roman", "bare", "row"]
INNER: frozenset[Style] = frozenset(("letter", "roman", "bracketed"))
"""Styles that number the parts of an item, whatever their indentation."""

NAMES = (
    "article|section|clause|paragraph|step|rule|annex|appendix|schedule|exhibit|part|chapter|item|"
    "subsection|sub-section|subclause|sub-clause|subparagraph"
)
_BULLET = re.compile(r"[-*+•▪◦●–](?:[ \t]+\[[ xX]\])?(?:[ \t]+|$)")
_NAMED = re.compile(
    rf"(?i:({NAMES})\s+|(§)\s*)(\d+(?:\.\d+)*(?:\([a-z0-9]{{1,4}}\))*|[A-Z]|[IVXLC]{{1,6}})(?!\w)"
    r"(?P<mark>[.:)]|\s+[—–-])?(?:\s+|$)"
)
_DOTTED = re.compile(r"(\d{1,5}(?:\.\d{1,5})+)(?P<mark>[.):]?)(?:\s+|$)")
_NUMBER = re.compile(r"(\d{1,5})(?P<mark>[.)])(?:\s+|$)")
_BARE = re.compile(r"(\d{1,5})\s+(?=\S)")
_BRACKETED = re.compile(r"\((\d{1,3})\)(?:\s+|$)")
_LETTER = re.compile(r"(?:\(([a-z]{1,2}|[A-Z])\)|([a-z])[.)])(?:\s+|$)")
_NUMERAL = r"(?=[ivxl]{1,6}[.)])((?:xl|l?x{0,3})(?:ix|iv|v?i{0,3}))"
_ROMAN = re.compile(rf"(?:\({_NUMERAL}\)|{_NUMERAL}[.)])(?:\s+|$)")
_CITING = re.compile(r"(?:above|below|of|or|and|hereof)\b")


@dataclass(frozen=True, slots=True)
class Marker:
    """The number or bullet at the start of a line."""

    style: Style
    value: str
    """Normalised: `3.2`, `a`, `iv`; empty for a bullet."""
    width: int
    """The number of characters before the text."""
    firm: bool
    """Whether it is a marker for certain; "3 The" may also be a wrapped line."""
    name: str = ""
    """The word before the number, in lower case: step, article."""


def find_marker(text: str) -> Marker | None:
    """Find the marker at the start of a line without indentation."""
    first = text[:1]
    if first.isdigit():
        return _numeric(text)
    found = _lettered(text) if first == "(" or first.islower() else None
    if found is not None:
        return found
    bullet = _BULLET.match(text)
    if bullet:
        inner = find_marker(text[bullet.end() :]) if text[bullet.end() : bullet.end() + 1].isdigit() else None
        if inner is not None and inner.style == "dotted":
            return Marker(inner.style, inner.value, bullet.end() + inner.width, inner.firm)
        return Marker("bullet", "", bullet.end(), firm=True)
    return _named(text)


def follows(before: str, value: str) -> bool:
    """Whether `value` can come after `before` in a list, directly or with a gap."""
    return _sort_key(value) > _sort_key(before)


def is_first(value: str) -> bool:
    """Whether a list can begin with this number."""
    return value.rpartition(".")[2] in ("1", "a", "i", "A", "0")


def leading(value: str) -> int:
    """Return the number with which a value begins; 0 for a letter."""
    first = value.partition(".")[0]
    return int(first) if first.isdigit() else 0


def _sort_key(value: str) -> tuple[tuple[int, str], ...]:
    """Return a key that sorts numbers by size and letters by alphabet, part by part."""
    return tuple((int(part), "") if part.isdigit() else (len(part), part) for part in value.split("."))


def _numeric(text: str) -> Marker | None:
    dotted = _DOTTED.match(text)
    if dotted:
        return Marker("dotted", dotted[1], dotted.end(), firm=bool(dotted["mark"]))
    number = _NUMBER.match(text)
    if number:
        return Marker("number", str(int(number[1])), number.end(), firm=True)
    bare = _BARE.match(text)
    if bare:
        return Marker("bare", str(int(bare[1])), bare.end(), firm=False)
    return None


def _lettered(text: str) -> Marker | None:
    bracketed = _BRACKETED.match(text)
    if bracketed:
        return Marker("bracketed", str(int(bracketed[1])), bracketed.end(), firm=_begins(text, bracketed.end()))
    letter = _LETTER.match(text)
    roman = _ROMAN.match(text)
    numeral = (roman[1] or roman[2]) if roman else ""
    if roman and (letter is None or len(numeral) > 1):
        return Marker("roman", numeral, roman.end(), firm=_begins(text, roman.end()))
    if letter:
        return Marker("letter", letter[1] or letter[2], letter.end(), firm=_begins(text, letter.end()))
    return None


def _begins(text: str, end: int) -> bool:
    """Whether an item begins after the bracket, rather than the rest of a citation: "(a) above"."""
    return not _CITING.match(text, end)


def _named(text: str) -> Marker | None:
    named = _NAMED.match(text)
    if named is None:
        return None
    rest = text[named.end() :]
    if not (named["mark"] or not rest or rest[:1].isupper()):
        return None  # "Section 4 applies to ..." is a sentence
    value = named[3].replace("(", ".").replace(")", "")
    return Marker("named", value, named.end(), firm=bool(named["mark"]), name=(named[1] or "section").lower())


class Announcement(NamedTuple):
    """A unit that ends in a colon: the following list is a part of it."""

    unit: int
    number: str


class ItemPosition(NamedTuple):
    """The position of an item among the items of its section."""

    parent: int | None
    number: str
    """With the numbers of the outer items: `3.2.a`; empty for a bullet."""
    run: int
    """How often the numbering of the section had restarted before it."""


@dataclass(slots=True)
class _Item:
    style: Style
    value: str
    written: str
    indent: int
    unit: int
    number: str
    parent: int | None
    prefix: str


@dataclass(slots=True)
class Nesting:
    """The open lists of one section."""

    section_number: str
    runs: int = 0
    interrupted: bool = False
    """Whether a paragraph follows the last item."""
    _stack: list[_Item] = field(default_factory=list)
    _units: dict[str, int] = field(default_factory=dict)
    _used: set[tuple[int, str]] = field(default_factory=set)

    def innermost(self, indent: int) -> int | None:
        """Return the open item that contains text with this indentation."""
        return self._stack[-1].unit if self._stack and indent > self._stack[-1].indent else None

    def interrupt(self) -> None:
        """Note a paragraph between items: numbers may continue after it, bullets and letters do not."""
        self.interrupted = True
        while self._stack and self._stack[-1].style in ("bullet", *INNER):
            self._stack.pop()

    def place(self, marker: Marker, indent: int, unit: int, announced: Announcement | None) -> ItemPosition:
        """Return the position of the item that begins with `marker` and becomes the unit of that index."""
        style = self._style(marker)
        value = marker.value
        depth = self._sibling(style, value, indent)
        if depth is not None:
            before = self._stack[depth]
            parent, prefix = before.parent, before.prefix
            if not follows(before.value, value):
                value = str(int(before.value) + 1) if value else value  # "1." at every item
            del self._stack[depth:]
        else:
            parent, prefix = self._open(style, indent, announced)
        inherits = prefix and value and style not in ("dotted", "named")
        number = f"{prefix}.{value}" if inherits else value
        if style == "dotted":
            parent = self._outer(value, parent)
        run = self._run(number, value)
        self._stack.append(_Item(style, value, marker.value, indent, unit, number, parent, prefix))
        if number:
            self._units[number] = unit
        self.interrupted = False
        return ItemPosition(parent, number, run)

    def _style(self, marker: Marker) -> Style:
        """Distinguish the letter i from the numeral i: after h it is a letter, and v after iv is a numeral."""
        if marker.style == "bare":
            return "number"  # "1 The" and "2. The" are of one list
        if marker.style != "letter" or marker.value not in ("i", "v", "x"):
            return marker.style
        before = {"i": "h", "v": "iv", "x": "ix"}[marker.value]
        is_preceded = any(one.value == before for one in self._stack)
        return "roman" if is_preceded == (marker.value != "i") else "letter"

    def _sibling(self, style: Style, value: str, indent: int) -> int | None:
        """Return the depth of the open list that the item continues."""
        for depth in reversed(range(len(self._stack))):
            one = self._stack[depth]
            if one.style != style or (style not in (*INNER, "dotted", "named") and abs(one.indent - indent) > 1):
                continue
            lazy = style == "number" and value == one.written == "1" and not self.interrupted
            if style == "bullet" or lazy or follows(one.value, value):
                return depth
        return None

    def _open(self, style: Style, indent: int, announced: Announcement | None) -> tuple[int | None, str]:
        """Open a new list; return the unit that it belongs to, and the prefix of its numbers."""
        while self._stack and not self._holds(self._stack[-1], style, indent, announced):
            self._stack.pop()
        if self._stack:
            return self._stack[-1].unit, self._stack[-1].number
        if announced is not None:
            inherits = style != "bullet" and (announced.number or style not in INNER)
            return announced.unit, announced.number if inherits else self._own_number(style)
        return None, self._own_number(style)

    def _own_number(self, style: Style) -> str:
        return self.section_number if style in INNER else ""

    def _holds(self, item: _Item, style: Style, indent: int, announced: Announcement | None) -> bool:
        if indent > item.indent + 1:
            return True
        if style in INNER:
            return item.style not in (style, "bullet")
        return announced is not None and announced.unit == item.unit and item.style != style

    def _outer(self, value: str, otherwise: int | None) -> int | None:
        """Return the unit with the longest prefix of a number: 3.2 for 3.2.1."""
        shorter = value.rpartition(".")[0]
        while shorter:
            if shorter in self._units:
                return self._units[shorter]
            shorter = shorter.rpartition(".")[0]
        return otherwise

    def _run(self, number: str, value: str) -> int:
        if number and (self.runs, number) in self._used and is_first(value):
            self.runs += 1
        self._used.add((self.runs, number))
        return self.runs
