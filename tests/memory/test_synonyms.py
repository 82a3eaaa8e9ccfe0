"""Entities whose names are alike: by the encoder, each with few others, and the same however the memory came to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.memory import entities as synonyms
from constraintsuite.memory.memory import Memory
from constraintsuite.models.base import TextRole
from constraintsuite.models.dense import DenseScorer
from memory.tiny_parts import LetterEncoder, part


class Angles:
    """Names as directions in a plane, in degrees; what is not listed has no direction."""

    name = "angles"
    fingerprint = "a"
    similarity: Literal["cosine", "dot", "euclidean", "manhattan"] = "dot"

    def __init__(self, degrees: Mapping[str, float]) -> None:
        self.degrees = degrees
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str], role: TextRole) -> npt.NDArray[np.float32]:
        self.asked += texts
        angles = np.radians([self.degrees.get(text, np.nan) for text in texts])
        vectors = np.nan_to_num(3 * np.stack([np.cos(angles), np.sin(angles)], axis=1))  # lengths do not count
        return np.array(vectors, dtype=np.float32)


def memory_of(degrees: Mapping[str, float]) -> Memory:
    names = part("d", ["x"] * len(degrees), mentions=[(n, name) for n, name in enumerate(degrees, 1)])
    return Memory.of([names], DenseScorer("angles", Angles(degrees), "dot"))


def alike(memory: Memory, least: float, among: npt.NDArray[np.bool_] | None = None) -> dict[tuple[str, str], float]:
    names = memory.graph.entities
    links = memory.synonyms(least, among)
    pairs = zip(links.first.tolist(), links.second.tolist(), links.cosine.tolist(), strict=True)
    return {(names[first], names[second]): cosine for first, second, cosine in pairs}


def test_names_are_joined_from_a_cosine_on() -> None:
    memory = memory_of({"boiler": 0, "furnace": 30, "kettle": 60, "lease": 180})
    assert alike(memory, 0.8) == {
        ("boiler", "furnace"): pytest.approx(0.866, abs=1e-3),
        ("furnace", "kettle"): pytest.approx(0.866, abs=1e-3),
    }
    assert ("boiler", "kettle") in alike(memory, 0.5)
    assert alike(memory, 0.9) == {}


def test_names_that_are_one_after_normalisation_are_not_joined() -> None:
    assert alike(memory_of({"boiler": 0, "The Boiler": 0, "furnace": 0}), 0.8).keys() == {
        ("The Boiler", "furnace"),
        ("boiler", "furnace"),
    }


def test_names_without_a_direction_are_like_nothing() -> None:
    memory = memory_of({"boiler": 0, "?": np.nan, "!": np.nan})
    assert alike(memory, 0.5) == {}


def test_a_name_has_few_links_and_the_nearest_ones() -> None:
    wheel = {f"n{number:02}": float(number) for number in range(40)}
    links = alike(memory_of(wheel), 0.5)
    degree = {name: sum(name in pair for pair in links) for name in wheel}
    assert max(degree.values()) == synonyms.MOST == 10
    assert all(abs(wheel[first] - wheel[second]) <= 10 for first, second in links)
    assert ("n19", "n20") in links


def test_only_names_that_are_there_count_among_the_nearest() -> None:
    wheel = {f"n{number:02}": float(number) for number in range(40)}
    memory = memory_of(wheel)
    among = np.arange(40) % 2 == 0
    left = {name: angle for name, angle in wheel.items() if angle % 2 == 0}
    assert alike(memory, 0.5, among) == alike(memory_of(left), 0.5)


def test_a_memory_without_an_encoder_has_no_synonyms() -> None:
    with pytest.raises(UserError, match=r"Synonyms need vectors of names\. Open the memory with an encoder"):
        Memory.of([part("d", ["x"], mentions=[(1, "boiler")])]).synonyms(0.8)


def test_a_name_is_embedded_once() -> None:
    degrees = {"boiler": 0.0, "furnace": 10.0}
    encoder = Angles(degrees)
    named = part("d", ["x"], mentions=[(1, "boiler"), (1, "furnace")])
    memory = Memory.of([named], DenseScorer("angles", encoder, "dot"))
    assert alike(memory, 0.8).keys() == alike(memory, 0.8).keys() == {("boiler", "furnace")}
    assert [text for text in encoder.asked if text in degrees] == ["boiler", "furnace"]


NAMES = st.lists(st.text("abc", min_size=1, max_size=5), unique=True, min_size=1, max_size=12)


@given(NAMES, st.sampled_from([0.5, 0.8, 0.95]), st.sampled_from([1, 7, 4_000_000]))
def test_links_are_those_of_a_loop_over_pairs(names: list[str], least: float, cells: int) -> None:
    memory = Memory.of(
        [part("d", ["x"] * len(names), mentions=[(n, name) for n, name in enumerate(names, 1)])],
        DenseScorer("letters", LetterEncoder(), "dot"),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(synonyms, "_CELLS", cells)
        patch.setattr(synonyms, "MOST", 3)
        found = alike(memory, least)
    near = {name: nearest(name, memory.graph.entities, least)[:3] for name in names}
    assert found.keys() == {(a, b) for a in names for b in near[a] if a < b and a in near[b]}


def nearest(name: str, names: Sequence[str], least: float) -> list[str]:
    """Others by nearness, equal ones by name."""
    cosines = {other: cosine(name, other) for other in names if other != name}
    return sorted((o for o, value in cosines.items() if value >= least), key=lambda o: (-round(cosines[o], 5), o))


def cosine(one: str, other: str) -> float:
    a, b = (np.array([text.count(letter) for letter in "abc"], dtype=np.float32) for text in (one, other))
    a, b = (v / np.float32(np.sqrt(np.vecdot(v, v))) for v in (a, b))
    return float(np.vecdot(a.astype(np.float64), b.astype(np.float64)))
