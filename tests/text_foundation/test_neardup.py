"""Near-duplicate clusters against the plain definition: every pair compared, single link."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from constraintsuite.text.neardup import Sketches, jaccard
from constraintsuite.text.terms import words

SOUP = "The broth simmers for three hours with bay leaves and a good handful of white peppercorns until it turns gold"


def clusters(texts: Sequence[str], threshold: float) -> list[int]:
    with Sketches() as sketches:
        for text in texts:
            sketches.add(text)
        return list(sketches.clusters(texts.__getitem__, threshold))


def brute_force_clusters(texts: Sequence[str], threshold: float) -> list[int]:
    """Every pair compared by the Jaccard similarity of its runs of five words; clusters named by their first text."""
    shingles = [{tuple(words(t)[i : i + 5]) for i in range(max(1, len(words(t)) - 4))} for t in texts]
    first = list(range(len(texts)))
    for i in range(len(texts)):
        for j in range(i):
            if len(shingles[i] & shingles[j]) / len(shingles[i] | shingles[j]) >= threshold:
                a, b = sorted((first[i], first[j]))
                first = [a if name == b else name for name in first]
    return first


def corrupted_copies(rng: random.Random, originals: int, copies: int) -> list[str]:
    """Random texts, each followed by copies with ever more words exchanged, in random order."""
    texts = []
    for _ in range(originals):
        original = [f"w{rng.randrange(2000)}" for _ in range(rng.randrange(30, 60))]
        texts.append(original)
        for changes in range(copies):
            copy = list(original)
            for _ in range(changes):
                copy[rng.randrange(len(copy))] = f"w{rng.randrange(2000)}"
            texts.append(copy)
    rng.shuffle(texts)
    return [" ".join(text) for text in texts]


@pytest.mark.parametrize("threshold", [0.6, 0.8, 0.95])
def test_clusters_are_those_of_the_plain_definition(threshold: float) -> None:
    texts = corrupted_copies(random.Random(11), originals=12, copies=4)
    expected = brute_force_clusters(texts, threshold)
    assert 12 <= len(set(expected)) < len(texts)
    assert clusters(texts, threshold) == expected


@pytest.mark.parametrize("tile", [1, 3, 128])
def test_clusters_do_not_depend_on_how_many_are_compared_at_a_time(monkeypatch: pytest.MonkeyPatch, tile: int) -> None:
    """Texts that share much and are no duplicates, between copies that grow together only by way of others."""
    rng = random.Random(12)
    form = [f"b{place}" for place in range(30)]
    forms = [" ".join([*form, *(f"x{rng.randrange(10**6)}" for _ in range(12))]) for _ in range(40)]
    chain = [" ".join(f"c{place}" for place in range(begin, begin + 40)) for begin in range(0, 24, 3)]
    texts = [*forms, *chain, *corrupted_copies(rng, originals=3, copies=4)]
    rng.shuffle(texts)
    monkeypatch.setattr("constraintsuite.text.neardup.TILE", tile)
    assert clusters(texts, 0.8) == brute_force_clusters(texts, 0.8)


def test_of_a_form_that_many_fill_in_each_pair_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(5)
    form = [f"b{place}" for place in range(40)]
    texts = [" ".join([*form, *(f"x{rng.randrange(10**6)}" for _ in range(12))]) for _ in range(40)]
    compared: Counter[frozenset[frozenset[str]]] = Counter()

    def noted(a: set[str], b: set[str]) -> float:
        compared[frozenset((frozenset(a), frozenset(b)))] += 1
        return jaccard(a, b)

    monkeypatch.setattr("constraintsuite.text.neardup.jaccard", noted)
    assert clusters(texts, 0.8) == list(range(40))
    assert len(compared) > 100
    assert set(compared.values()) == {1}


@pytest.mark.parametrize(
    ("second", "same"),
    [
        (SOUP, True),
        (SOUP.upper() + "!", True),
        (SOUP.replace("gold", "brown"), True),  # 15 of 17 runs of five words are shared
        (" ".join(reversed(SOUP.split())), False),
        (
            "Dogs are welcome on the upper meadow all year round, and the warden keeps a bowl of water by the gate",
            False,
        ),
    ],
    ids=["equal", "case and punctuation", "one word", "order", "another text"],
)
def test_two_texts_at_eighty_percent(second: str, same: bool) -> None:
    assert clusters([SOUP, second], 0.8) == [0, 0 if same else 1]


def test_a_cluster_is_named_after_its_first_text() -> None:
    assert clusters(["another text of five words", SOUP, SOUP + " again", SOUP], 0.8) == [0, 1, 1, 1]


def test_no_texts_no_clusters() -> None:
    assert clusters([], 0.8) == []


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [({"a", "b"}, {"b", "c"}, 1 / 3), ({"a"}, {"a"}, 1.0), ({"a"}, set(), 0.0), (set(), set(), 0.0)],
)
def test_jaccard(a: set[str], b: set[str], expected: float) -> None:
    assert jaccard(a, b) == pytest.approx(expected)
