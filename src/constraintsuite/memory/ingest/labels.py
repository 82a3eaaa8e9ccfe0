"""Labels that are unique in a document, made of its own numbers wherever it has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.memory.ingest.units import DocumentSection, UnitDraft, title_heading


def give_labels(path: Path, drafts: Sequence[UnitDraft], sections: Sequence[DocumentSection]) -> None:
    """Set the label of every draft.

    A number that only one unit bears is its label. Where numbers repeat, the section comes before: `2/1`, by its own
    number or else by its place among the headings, with a letter (`2b/1`) where the numbering begins again inside it.
    Units without a number are `p1`, `p2`, ... Numbers that are still the same are an error.
    """
    titled = bool(title_heading(drafts, sections)) and not sections[1].number
    keys = _section_keys(sections, titled=titled)
    bearers = Counter(draft.number for draft in drafts if draft.number)
    running = count(1)
    first: dict[str, UnitDraft] = {}
    for draft in drafts:
        if not draft.number:
            draft.label = f"p{next(running)}"
        elif bearers[draft.number] == 1:
            draft.label = draft.number
        else:
            draft.label = f"{keys[draft.section.ordinal]}{_suffix(draft.run)}/{draft.number}"
        if draft.label in first:
            raise UserError(
                f"{path}: lines {first[draft.label].lines[0]} and {draft.lines[0]} are both numbered {draft.number}. "
                "Units are named by their numbers: correct one of the two, or put a heading between them."
            )
        first[draft.label] = draft


def _section_keys(sections: Sequence[DocumentSection], *, titled: bool) -> Mapping[int, str]:
    """Own numbers first; the others are counted, the title of the document as 0."""
    taken: set[str] = set()
    keys = {}
    for section in sorted(sections, key=lambda one: (not one.number, one.ordinal)):
        name = section.number or str(max(section.ordinal - titled, 0))
        keys[section.ordinal] = next(key for key in _variants(name) if key not in taken)
        taken.add(keys[section.ordinal])
    return keys


def _variants(name: str) -> Iterator[str]:
    return (f"{name}{_suffix(number)}" for number in count())


def _suffix(number: int) -> str:
    """Nothing, b, c, ..., z, then 27, 28, ..."""
    if number == 0:
        return ""
    return chr(ord("a") + number) if number < 26 else f"-{number + 1}"
