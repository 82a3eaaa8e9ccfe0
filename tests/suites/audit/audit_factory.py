"""Examples for the tests of the audit, through the real records, with everything that matters in sight."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from constraintsuite.core.records.examples import (
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    Control,
    Example,
    ExampleDocument,
    ExampleSource,
    PoolPlace,
    Retrieval,
    Split,
)
from constraintsuite.suites.constraints.exclude import Exclude

WORDS = [f"word{number}" for number in range(40)]


def make_example(
    number: int,
    satisfying: str,
    violating: str,
    *,
    slice: str = "explicit",
    y: str = "nuts",
    forms: tuple[str, ...] = (),
    split: Split = "test",
    couple: str = "",
    clusters: Sequence[str] | None = None,
    ids: tuple[str, str] | None = None,
    cues: tuple[Sequence[str], Sequence[str]] = ((), ()),
    edits: tuple[str, str] = ("", ""),
    control: Control | None = None,
    query: str = "cakes without nuts",
    opposite: str = "cakes with nuts",
    explicitness: str = "explicit",
    places: tuple[PoolPlace, PoolPlace] = (PoolPlace(1), PoolPlace(2)),
) -> Example:
    """An example whose two texts are given; its documents are its own unless `ids` or `clusters` say otherwise.

    Of two values, the first is of the satisfying document.
    """
    good, bad = ids or (f"d{number}a", f"d{number}b")
    return Example(
        id=f"exclude_{slice}_test_{number:06d}",
        slice=slice,
        constraint=Exclude(
            value=y,
            cue="without",
            forms=forms or (y,),
            cues={"satisfying": tuple(cues[0]), "violating": tuple(cues[1])},
        ),
        query=query,
        opposite=opposite,
        topic="cakes",
        restated=None,
        documents=(
            ExampleDocument("satisfying", good, "", satisfying, good, {"topic": places[0]}, edits[0]),
            ExampleDocument("violating", bad, "", violating, bad, {"topic": places[1]}, edits[1]),
        ),
        preferences=(QUERY_PREFERENCE, OPPOSITE_PREFERENCE),
        source=ExampleSource("test", f"q{number}", Retrieval("bm25", "test", 200)),
        split=split,
        couple=couple,
        clusters=(f"c{good}", f"c{bad}") if clusters is None else tuple(clusters),
        domain="food",
        relation="ingredient",
        template="WITHOUT_Y",
        template_family="without",
        tags={"difficulty": "medium", "overlap": "medium", "length": "short", "explicitness": explicitness},
        analyser="rules",
        control=control,
    )


def exchange_roles(example: Example) -> Example:
    """The same two documents, each in the other's role, with the negation words counted in them."""
    constraint = example.constraint
    assert isinstance(constraint, Exclude)
    return replace(
        example,
        constraint=replace(constraint, cues={_OTHER[role]: found for role, found in constraint.cues.items()}),
        documents=tuple(replace(document, role=_OTHER[document.role]) for document in reversed(example.documents)),
    )


_OTHER = {"satisfying": "violating", "violating": "satisfying"}


def random_text(rng: random.Random, length: int = 12) -> str:
    """Words that say nothing."""
    return " ".join(rng.choices(WORDS, k=length))


def singles(count: int, *, planted: str = "", share: float = 1.0, length: int = 12, seed: int = 0) -> list[Example]:
    """Unrelated examples; `planted` is added to the satisfying text in about `share` of them."""
    rng = random.Random(seed)
    examples = []
    for number in range(count):
        satisfying, violating = random_text(rng, length), random_text(rng, length)
        if planted and rng.random() < share:
            satisfying = f"{satisfying} {planted}"
        examples.append(make_example(number, satisfying, violating, ids=_shuffled_ids(rng, number)))
    return examples


def couples(
    count: int, *, planted: str = "", seed: int = 0, slice: str = "explicit", control: Control | None = None
) -> list[Example]:
    """Pairs of examples over the same two documents with the roles exchanged; `planted` is added to the satisfying text."""
    rng = random.Random(seed)
    examples = []
    for number in range(count):
        texts = random_text(rng), random_text(rng)
        ids = f"d{number}a", f"d{number}b"
        for turn in (0, 1):
            satisfying, violating = texts[turn], texts[1 - turn]
            examples.append(
                make_example(
                    2 * number + turn,
                    f"{satisfying} {planted}" if planted else satisfying,
                    violating,
                    slice=slice,
                    couple=f"couple{number}",
                    ids=(ids[turn], ids[1 - turn]),
                    control=control,
                )
            )
    return examples


def _shuffled_ids(rng: random.Random, number: int) -> tuple[str, str]:
    first, second = rng.sample([f"d{number}a", f"d{number}b"], 2)
    return first, second
