"""Which item lies in which, and what number that gives it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from constraintsuite.memory.ingest.blocks import DocumentBlock
from constraintsuite.memory.ingest.markers import INNER, Marker, Style, follows, is_first


class Announcement(NamedTuple):
    """A unit that ends in a colon: what follows is a part of it."""

    unit: int
    number: str


class ItemPosition(NamedTuple):
    """Where an item stands."""

    parent: int | None
    number: str
    """With those of the items it lies in: `3.2.a`; empty for a bullet."""
    run: int
    """How often the numbering of the section had begun again before it."""


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
    """The lists of one section, as they open and close."""

    section_number: str
    runs: int = 0
    interrupted: bool = False
    """Whether a paragraph stands between the last item and now."""
    _stack: list[_Item] = field(default_factory=list)
    _units: dict[str, int] = field(default_factory=dict)
    _used: set[tuple[int, str]] = field(default_factory=set)

    def innermost(self, indent: int) -> int | None:
        """The open item that holds something indented so far."""
        return self._stack[-1].unit if self._stack and indent > self._stack[-1].indent else None

    def interrupt(self) -> None:
        """A paragraph stands between the items: numbers may go on behind it, bullets and letters do not."""
        self.interrupted = True
        while self._stack and self._stack[-1].style in ("bullet", *INNER):
            self._stack.pop()

    def place(self, block: DocumentBlock, unit: int, announced: Announcement | None) -> ItemPosition:
        """The place of an item that will be the unit of that index."""
        marker = block.marker
        assert marker is not None
        style = self._style(marker)
        value = marker.value
        depth = self._sibling(style, value, block.level)
        if depth is not None:
            before = self._stack[depth]
            parent, prefix = before.parent, before.prefix
            if not follows(before.value, value):
                value = str(int(before.value) + 1) if value else value  # "1." at every item
            del self._stack[depth:]
        else:
            parent, prefix = self._open(style, block, announced)
        number = _joined(prefix, value) if style not in ("dotted", "named") else value
        if style == "dotted":
            parent = self._outer(value, parent)
        run = self._run(number, value)
        self._stack.append(_Item(style, value, marker.value, block.level, unit, number, parent, prefix))
        if number:
            self._units[number] = unit
        self.interrupted = False
        return ItemPosition(parent, number, run)

    def _style(self, marker: Marker) -> Style:
        """Tells the letter i from the numeral i: after h it is a letter, after iv v is a numeral."""
        if marker.style == "bare":
            return "number"  # "1 The" and "2. The" are of one list
        if marker.style != "letter" or marker.value not in ("i", "v", "x"):
            return marker.style
        before = {"i": "h", "v": "iv", "x": "ix"}[marker.value]
        met = any(one.value == before for one in self._stack)
        return "roman" if met == (marker.value != "i") else "letter"

    def _sibling(self, style: Style, value: str, indent: int) -> int | None:
        """The depth of the open list that the item continues."""
        for depth in reversed(range(len(self._stack))):
            one = self._stack[depth]
            if one.style != style or (style not in (*INNER, "dotted", "named") and abs(one.indent - indent) > 1):
                continue
            lazy = style == "number" and value == one.written == "1" and not self.interrupted
            if style == "bullet" or lazy or follows(one.value, value):
                return depth
        return None

    def _open(self, style: Style, block: DocumentBlock, announced: Announcement | None) -> tuple[int | None, str]:
        """A new list: the unit it belongs to, and the number its own begin with."""
        while self._stack and not self._holds(self._stack[-1], style, block, announced):
            self._stack.pop()
        if self._stack:
            return self._stack[-1].unit, self._stack[-1].number
        if announced is not None:
            inherits = style != "bullet" and (announced.number or style not in INNER)
            return announced.unit, announced.number if inherits else self._own_number(style)
        return None, self._own_number(style)

    def _own_number(self, style: Style) -> str:
        return self.section_number if style in INNER else ""

    def _holds(self, item: _Item, style: Style, block: DocumentBlock, announced: Announcement | None) -> bool:
        if block.level > item.indent + 1:
            return True
        if style in INNER:
            return item.style not in (style, "bullet")
        return announced is not None and announced.unit == item.unit and item.style != style

    def _outer(self, value: str, otherwise: int | None) -> int | None:
        """The unit whose number the number begins with: 3.2 for 3.2.1."""
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


def _joined(prefix: str, value: str) -> str:
    return f"{prefix}.{value}" if prefix and value else value
