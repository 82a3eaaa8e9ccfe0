"""What a proposal says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.suites.build import build_suite
from constraintsuite.suites.recipe import AnalysisSettings, DocumentSettings, Recipe
from constraintsuite.suites.stages.queries import read_proposals

PLACES = ("river", "hill", "lake", "wood")
CAMPSITES = {
    f"{name}{i}": f"{name} {i} is a campsite by the {place} that is quiet at night. It has {what}."
    for name, what in (("Oak", "showers"), ("Barn", "no showers"))
    for i, place in enumerate(PLACES)
}
FILMS = {
    f"{place}{i}": f"Red {place.title()} is a 196{i} drama film directed by {director}. It stars Cora Lane. It was shown near a {place}."
    for i, director in enumerate(("Ann Example", "Bob Stone"))
    for place in PLACES
}


@pytest.mark.parametrize(
    ("texts", "relation", "is_attribute"),
    [(CAMPSITES, "travel.has", True), (FILMS, "directed_by", False)],
    ids=["what a thing may have or lack", "the filler of a stated relation"],
)
def test_only_what_a_thing_may_have_or_lack_is_an_attribute(
    tmp_path: Path, texts: Mapping[str, str], relation: str, is_attribute: bool
) -> None:
    write_jsonl(tmp_path / "docs.jsonl", [Document(name, text) for name, text in texts.items()])
    recipe = Recipe(
        corpus=SourceSettings(source=str(tmp_path / "docs.jsonl")),
        documents=DocumentSettings(shards=1, near_duplicate=1.0),
        analysis=AnalysisSettings(analyser="rules"),
    )
    stage = build_suite(recipe, tmp_path / "suite", reporter=Silent(), until="queries").path / "stages" / "queries"
    found = read_proposals(stage)
    assert {(one.relation, one.is_attribute) for one in found} == {(relation, is_attribute)}
