"""Main examples written through the real records: short texts, exact evidence."""

from __future__ import annotations

from constraintsuite.records.examples import (
    Constraint,
    DocumentPair,
    Edit,
    Evidence,
    Example,
    ExampleDocument,
    ExampleQuery,
    Labels,
    Provenance,
    Retrieval,
    Slice,
    Tags,
)
from constraintsuite.text.mentions import find_forms, surface_forms

SOUP_WITHOUT = (
    "Miner's Broth is a clear soup. It is made without cream. The bowls are large and heavy. "
    "Spoons are kept beside the door. Dogs have a corner near the stove."
)
SOUP_WITH = (
    "Quarry Chowder is a thick soup. A cup of cream goes in until it turns pale. In winter, the kitchen opens at noon. "
    "The colour is gold. It isn't cheap."
)


def main_example(
    index: int = 0,
    *,
    suite: Slice = "negation_explicit",
    topic: str = "soups",
    y: str = "cream",
    base: str = "soups with cream",
    neg: str = "soups without cream",
    marker: str = "without",
    pos: str = SOUP_WITHOUT,
    bad: str = SOUP_WITH,
    domain: str = "food",
    edit: Edit | None = None,
    labels: Labels | None = None,
    corpus: str = "sample",
    couple: str = "couple-1",
) -> Example:
    """One main example; `pos` obeys the exclusion of `y`, `bad` breaks it."""
    forms = surface_forms(y)
    mentioned = bool(find_forms(pos, forms))
    return Example(
        id=f"{suite}_{corpus}_{index:06d}",
        suite=suite,
        source=Provenance(corpus, f"q{index}", "good", "bad", Retrieval("bm25", corpus, 200, 3, 9, 1.5, 2.5)),
        query=ExampleQuery(base, neg, "WITHOUT_Y", topic, "WITHOUT_Y"),
        constraint=Constraint("exclude", y, marker, forms),
        docs=DocumentPair(ExampleDocument("good", "Good", pos), ExampleDocument("bad", "Bad", bad)),
        labels=labels or Labels(),
        tags=Tags("medium", mentioned, True, mentioned, "low", "short", "explicit", edited=edit is not None),
        domain=domain,
        relation="contains",
        split="dev",
        couple=couple,
        clusters=("c1", "c2"),
        analyser="rules",
        evidence=(
            *(Evidence("pos", one.start, one.end, "negated", "without", "without") for one in find_forms(pos, forms)),
            *(Evidence("neg", one.start, one.end, "affirmed", None, "no_cue") for one in find_forms(bad, forms)),
        ),
        edit=edit,
    )


def minimal_pair(index: int = 0) -> Example:
    """An edited pair that differs in one word."""
    bad = "Fen Cottage is a flat with a balcony. In summer, the owner lives in a van. The colour is grey."
    pos = bad.replace("with a", "without a")
    return main_example(
        index,
        suite="negation_minpairs",
        topic="apartments",
        y="balcony",
        base="apartments with a balcony",
        neg="apartments without a balcony",
        pos=pos,
        bad=bad,
        domain="places",
        edit=Edit("without", "pos", ((22, 29),), ((22, 26),), token_count_preserved=True),
    )


def film(index: int = 0, *, director: str = "Ann Example") -> Example:
    """An example about a relation to a name."""
    return main_example(
        index,
        suite="negation_omission",
        topic="drama films",
        y=director,
        base=f"drama films directed by {director}",
        neg=f"drama films not directed by {director}",
        marker="not",
        pos="The Quiet Yard is a drama film starring Ida Lorne and Ben Ash. It was released in 1952.",
        bad=f"Red Weir is a drama film written and directed by {director}. In 1961, it was shown in Rome.",
        domain="works",
    )


def person(index: int = 0) -> Example:
    """An example about people."""
    return main_example(
        index,
        topic="actors",
        y="Oslo",
        base="actors born in Oslo",
        neg="actors not born in Oslo",
        marker="not",
        pos="Ida Lorne was an actress. She died in 1970. She was not born in Oslo but in Bergen.",
        bad="Ben Ash was an actor born in Oslo. He began his career in 1950 and moved to Rome.",
        domain="people",
    )


def suite_of(count: int) -> list[Example]:
    """A main set with every slice and four kinds of topic, `count` of each."""
    kinds = (main_example, minimal_pair, film, person)
    return [make(index) for number, make in enumerate(kinds) for index in range(number * count, (number + 1) * count)]
