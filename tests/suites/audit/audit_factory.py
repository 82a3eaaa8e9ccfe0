"""Examples for the tests of the audit, through the real records, with everything that matters in sight."""

from __future__ import annotations

import random
from collections.abc import Sequence

from constraintsuite.records.examples import (
    Constraint,
    Control,
    DocumentPair,
    Edit,
    Example,
    ExampleDocument,
    ExampleQuery,
    Labels,
    Provenance,
    Retrieval,
    Slice,
    Tags,
)

WORDS = [f"word{number}" for number in range(40)]


def make_example(
    number: int,
    pos: str,
    neg: str,
    *,
    suite: Slice = "negation_explicit",
    y: str = "nuts",
    couple: str = "",
    clusters: Sequence[str] | None = None,
    ids: tuple[str, str] | None = None,
    cues: tuple[Sequence[str], Sequence[str]] = ((), ()),
    edit: Edit | None = None,
    control: Control | None = None,
    base: str = "cakes with nuts",
    negated: str = "cakes without nuts",
    retrieval: Retrieval | None = None,
) -> Example:
    """An example whose two texts are given; its documents are its own unless `ids` or `clusters` say otherwise."""
    pos_id, neg_id = ids or (f"d{number}a", f"d{number}b")
    return Example(
        id=f"{suite}_test_{number:06d}",
        suite=suite,
        source=Provenance("test", f"q{number}", pos_id, neg_id, retrieval or Retrieval("bm25", "test", 200, 1, 2)),
        query=ExampleQuery(base, negated, "WITHOUT_Y", "cakes", "without"),
        constraint=Constraint("exclude", y, "without", (y,)),
        docs=DocumentPair(ExampleDocument(pos_id, "", pos), ExampleDocument(neg_id, "", neg)),
        labels=Labels(),
        tags=Tags(
            difficulty="medium",
            doc_pos_mentions_y=y in pos,
            doc_neg_mentions_y=y in neg,
            y_negated_in_doc_pos=False,
            lexical_overlap_bin="medium",
            doc_length_bin="short",
            negation_explicitness="explicit",
            cues_in_doc_pos=tuple(cues[0]),
            cues_in_doc_neg=tuple(cues[1]),
        ),
        domain="food",
        relation="ingredient",
        split="test",
        couple=couple,
        clusters=(f"c{pos_id}", f"c{neg_id}") if clusters is None else tuple(clusters),
        analyser="rules",
        edit=edit,
        control=control,
    )


def random_text(rng: random.Random, length: int = 12) -> str:
    """Words that say nothing."""
    return " ".join(rng.choices(WORDS, k=length))


def singles(count: int, *, planted: str = "", share: float = 1.0, length: int = 12, seed: int = 0) -> list[Example]:
    """Unrelated examples; `planted` is added to `pos` in about `share` of them."""
    rng = random.Random(seed)
    examples = []
    for number in range(count):
        pos, neg = random_text(rng, length), random_text(rng, length)
        if planted and rng.random() < share:
            pos = f"{pos} {planted}"
        examples.append(make_example(number, pos, neg, ids=_shuffled_ids(rng, number)))
    return examples


def couples(count: int, *, planted: str = "", seed: int = 0, suite: Slice = "negation_explicit") -> list[Example]:
    """Pairs of examples over the same two documents with the roles exchanged; `planted` is added to `pos` in both."""
    rng = random.Random(seed)
    examples = []
    for number in range(count):
        texts = random_text(rng), random_text(rng)
        ids = f"d{number}a", f"d{number}b"
        for turn in (0, 1):
            pos, neg = texts[turn], texts[1 - turn]
            examples.append(
                make_example(
                    2 * number + turn,
                    f"{pos} {planted}" if planted else pos,
                    neg,
                    suite=suite,
                    couple=f"couple{number}",
                    ids=(ids[turn], ids[1 - turn]),
                )
            )
    return examples


def _shuffled_ids(rng: random.Random, number: int) -> tuple[str, str]:
    first, second = rng.sample([f"d{number}a", f"d{number}b"], 2)
    return first, second
