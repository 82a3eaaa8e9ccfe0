"""The keys are promised to everyone who made a subset before: these must never change."""

from __future__ import annotations

from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.vectors.survey import KeyMaker

MAKE = KeyMaker("corpus", "msmarco-passage", "42")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("0", 17_636_644_027_964_607_412),
        ("1", 13_035_768_996_973_924_605),
        ("7187158", 11_918_328_583_758_759_142),
        ("8841822", 13_613_849_274_820_726_536),
        ("MARCO_D59219", 12_288_572_130_972_509_199),
        ("doc with spaces", 10_896_839_700_744_623_939),
        ("tab\tand\nline", 9_417_766_783_729_776_129),
        ("Ünïcödé", 4_890_567_524_963_656_767),
        ("文書", 16_466_638_035_089_847_392),
        ("🙂", 2_501_284_330_250_022_156),
    ],
)
def test_golden_keys(name: str, key: int) -> None:
    assert int(MAKE([name])[0]) == key


@given(st.text(st.characters(codec="utf-8"), max_size=20), st.sampled_from(["corpus", "query"]))
def test_a_key_is_the_hash_of_its_parts(name: str, role: str) -> None:
    parts = ["csuite.sample.v1", role, "ours", "7", name]
    digest = blake2b("\x1f".join(parts).encode(), digest_size=8).digest()
    made = KeyMaker(role, "ours", "7")([name])  # type: ignore[arg-type]
    assert int(made[0]) == int.from_bytes(digest, "big")


def test_role_namespace_and_seed_all_count() -> None:
    others = (KeyMaker("query", "a", "1"), KeyMaker("corpus", "b", "1"), KeyMaker("corpus", "a", "2"))
    own = KeyMaker("corpus", "a", "1")(["x"])[0]
    assert all(make(["x"])[0] != own for make in others)
