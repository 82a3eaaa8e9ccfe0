"""Main examples written through the real records: short texts, exact evidence."""

from __future__ import annotations

from constraintsuite.core.records.constraints import Evidence
from constraintsuite.core.records.examples import (
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    Example,
    ExampleDocument,
    ExampleSource,
    PoolPlace,
    Preference,
    Retrieval,
    Spans,
)
from constraintsuite.suites.constraints.exclude import Exclude
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
    slice: str = "explicit",
    topic: str = "soups",
    y: str = "cream",
    query: str = "soups without cream",
    opposite: str = "soups with cream",
    cue: str = "without",
    satisfying: str = SOUP_WITHOUT,
    violating: str = SOUP_WITH,
    domain: str = "food",
    edit: str = "",
    changed: tuple[Spans, Spans] = ((), ()),
    preferences: tuple[Preference, ...] = (QUERY_PREFERENCE, OPPOSITE_PREFERENCE),
    corpus: str = "sample",
    couple: str = "couple-1",
) -> Example:
    """One main example, its two texts given; an edit is of the satisfying text."""
    forms = surface_forms(y)
    found, met = find_forms(satisfying, forms), find_forms(violating, forms)
    return Example(
        id=f"exclude_{slice}_{corpus}_{index:06d}",
        slice=slice,
        constraint=Exclude(
            value=y,
            cue=cue,
            forms=forms,
            evidence=(
                *(Evidence("satisfying", one.start, one.end, "negated", "without", "without") for one in found),
                *(Evidence("violating", one.start, one.end, "affirmed", "no_cue") for one in met),
            ),
        ),
        query=query,
        opposite=opposite,
        topic=topic,
        restated=None,
        documents=(
            ExampleDocument(
                "satisfying", "good", "Good", satisfying, "good", {"topic": PoolPlace(3, 1.5)}, edit, changed[0]
            ),
            ExampleDocument(
                "violating", "bad", "Bad", violating, "bad", {"topic": PoolPlace(9, 2.5)}, changed=changed[1]
            ),
        ),
        preferences=preferences,
        source=ExampleSource(corpus, f"q{index}", Retrieval("bm25", corpus, 200)),
        split="dev",
        couple=couple,
        clusters=("c1", "c2"),
        domain=domain,
        relation="contains",
        template="WITHOUT_Y",
        template_family="WITHOUT_Y",
        tags={
            "difficulty": "medium",
            "overlap": "low",
            "length": "short",
            "explicitness": "explicit" if found else "implicit",
        },
        analyser="rules",
    )


def minimal_pair(index: int = 0) -> Example:
    """An edited pair that differs in one word."""
    violating = "Fen Cottage is a flat with a balcony. In summer, the owner lives in a van. The colour is grey."
    return main_example(
        index,
        slice="minpairs",
        topic="apartments",
        y="balcony",
        query="apartments without a balcony",
        opposite="apartments with a balcony",
        satisfying=violating.replace("with a", "without a"),
        violating=violating,
        domain="places",
        edit="without",
        changed=(((22, 29),), ((22, 26),)),
    )


def exclusion(example: Example) -> Exclude:
    """What the example's constraint leaves out."""
    assert isinstance(example.constraint, Exclude)
    return example.constraint


def film(index: int = 0, *, director: str = "Ann Example") -> Example:
    """An example about a relation to a name."""
    return main_example(
        index,
        slice="omission",
        topic="drama films",
        y=director,
        opposite=f"drama films directed by {director}",
        query=f"drama films not directed by {director}",
        cue="not",
        satisfying="The Quiet Yard is a drama film starring Ida Lorne and Ben Ash. It was released in 1952.",
        violating=f"Red Weir is a drama film written and directed by {director}. In 1961, it was shown in Rome.",
        domain="works",
    )


def person(index: int = 0) -> Example:
    """An example about people."""
    return main_example(
        index,
        topic="actors",
        y="Oslo",
        opposite="actors born in Oslo",
        query="actors not born in Oslo",
        cue="not",
        satisfying="Ida Lorne was an actress. She died in 1970. She was not born in Oslo but in Bergen.",
        violating="Ben Ash was an actor born in Oslo. He began his career in 1950 and moved to Rome.",
        domain="people",
    )


def suite_of(count: int) -> list[Example]:
    """A main set with every slice and four kinds of topic, `count` of each."""
    kinds = (main_example, minimal_pair, film, person)
    return [make(index) for number, make in enumerate(kinds) for index in range(number * count, (number + 1) * count)]
