"""Items of a blind reading: records, the draw of examples and plants, and the pages for readers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import Example, ExampleDocument
from constraintsuite.suites.audit.groups import part_of
from constraintsuite.suites.constraints.compare import Compared
from reading_plants import Drawn, make_plants

RUBRIC = Path(__file__).parent / "reading" / "rubric.md"
PLANT_EVERY = 8
"""One of so many items is a plant."""


@dataclass(frozen=True)
class ItemText:
    """A text as readers see it."""

    title: str
    text: str
    edit: str
    """How it was edited; empty if it is as in the corpus."""


@dataclass(frozen=True)
class Item:
    """What readers see of an example or a plant."""

    item: str
    query: str
    satisfying: ItemText
    violating: ItemText
    invented: bool
    """Whether the names in it are marked as invented."""
    note: str = ""
    """What a reader needs to know besides the texts: what the corpus says of a thing that the query names."""


@dataclass(frozen=True)
class KeyRow:
    """Where an item comes from; readers never see it. It holds no text, so that it may be stored anywhere."""

    item: str
    batch: str
    suite: str
    example: str
    slice: str
    plant: str
    """The kind of plant; empty for an example that is judged."""


def draw_items(
    suites: Mapping[str, Sequence[Example]],
    old: Sequence[Drawn],
    *,
    per_slice: int,
    per_type: int,
    seed: int,
    per_batch: int,
) -> tuple[list[Item], list[KeyRow]]:
    """The items in the order of reading, and their key; plants are dealt evenly to the batches."""
    judged, spare = _sample(suites, per_slice, per_type, seed)
    planted = _plant(judged, spare, old, seed)
    batches = -(-(len(judged) + len(planted)) // per_batch)
    dealt: list[list[Drawn]] = [[] for _ in range(batches)]
    for place, one in enumerate([*planted, *_shuffled(judged, seed)]):
        dealt[place % batches].append(one)
    items: list[Item] = []
    key: list[KeyRow] = []
    for number, batch in enumerate(dealt, 1):
        for one in _shuffled(batch, seed):
            name = f"item-{len(items) + 1:04d}"
            items.append(_item(name, one.example))
            key.append(KeyRow(name, f"batch-{number:02d}", one.suite, one.example.id, part_of(one.example), one.plant))
    return items, key


def page(items: Sequence[Item]) -> str:
    """A batch for reading, with the rubric before it."""
    return "\n".join([RUBRIC.read_text(encoding="utf-8"), *(line for item in items for line in _lines(item))])


def _lines(item: Item) -> Iterator[str]:
    yield f"## {item.item}\n"
    yield f"Query: **{item.query}**\n"
    if item.note:
        yield f"(For you: {item.note})\n"
    for role, text in (("satisfying", item.satisfying), ("violating", item.violating)):
        names = "names invented" if item.invented else ""
        marks = ", ".join(filter(None, [f"edited: {text.edit}" if text.edit else "not edited", names]))
        yield f"### {role} ({marks})\n"
        yield f"Title: {text.title or '(none)'}\n"
        yield f"{text.text}\n"


def _sample(
    suites: Mapping[str, Sequence[Example]], per_slice: int, per_type: int, seed: int
) -> tuple[list[Drawn], list[Drawn]]:
    """Up to `per_slice` or `per_type` examples of every suite and part, and the others."""
    judged: list[Drawn] = []
    spare: list[Drawn] = []
    for suite, examples in suites.items():
        for name in sorted(set(map(part_of, examples))):
            part = _shuffled([Drawn(suite, one) for one in examples if part_of(one) == name], seed)
            wanted = per_type if " " in name else per_slice
            judged += part[:wanted]
            spare += part[wanted:]
    return judged, spare


def _plant(judged: Sequence[Drawn], spare: Sequence[Drawn], old: Sequence[Drawn], seed: int) -> list[Drawn]:
    """The plants, made from examples that are not judged as long as there are any."""
    count = -(-len(judged) // (PLANT_EVERY - 1))
    return make_plants(count, [*_shuffled(spare, seed), *_shuffled(judged, seed)], _shuffled(old, seed))


def _shuffled(drawn: Sequence[Drawn], seed: int) -> list[Drawn]:
    return sorted(drawn, key=lambda one: stable_hash("reading", str(seed), one.suite, one.example.id, one.plant))


def _item(name: str, example: Example) -> Item:
    satisfying, violating = _text(example.satisfying), _text(example.violating)
    return Item(name, example.query, satisfying, violating, example.tags.get("entities") == "invented", _note(example))


def _note(example: Example) -> str:
    constraint = example.constraint
    if not isinstance(constraint, Compared):
        return ""
    return f"{constraint.reference.name}, {constraint.measure.replace('_', ' ')}: {constraint.reference.stated}"


def _text(document: ExampleDocument) -> ItemText:
    return ItemText(document.title, document.text, document.edit)
