"""Recipes are read once, and every key in them counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.build.recipe import Recipe
from constraintsuite.errors import UserError

BUNDLED = sorted((Path(__file__).parents[2] / "recipes").glob("*.yaml"))


def recipe(folder: Path, text: str) -> Recipe:
    path = folder / "recipe.yaml"
    path.write_text(text, encoding="utf-8")
    return Recipe.read(path)


def test_a_recipe_needs_no_more_than_a_corpus(tmp_path: Path) -> None:
    read = recipe(tmp_path, "corpus: {source: sample}\n")
    assert (read.corpus.source, read.seed, read.sizes.main, read.analysis.analyser) == ("sample", 0, 2000, "auto")


def test_settings_are_taken_from_the_file(tmp_path: Path) -> None:
    read = recipe(tmp_path, "corpus: {source: docs.jsonl}\nseed: 7\nsizes: {main: 100}\nanalysis: {analyser: rules}\n")
    assert (read.seed, read.sizes.main, read.analysis.analyser) == (7, 100, "rules")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("corpus: {source: sample}\nsizes: {mian: 100}\n", r"sizes\.mian: Extra inputs are not permitted"),
        ("corpus: {source: sample}\nsize: 100\n", r"size: Extra inputs are not permitted"),
        ("corpus: {source: sample, sauce: x}\n", r"corpus\.sauce: Extra inputs are not permitted"),
        ("seed: 7\n", r"corpus: Field required"),
        ("corpus: {source: sample}\nsizes: {main: 0}\n", r"sizes\.main: .*greater than or equal to 1, got 0"),
        ("corpus: {source: sample}\nsizes: {main: many}\n", r"sizes\.main: .*got 'many'"),
        (
            "corpus: {source: sample}\nanalysis: {analyser: magic}\n",
            r"analysis\.analyser: .*'auto', 'rules' or 'parser'",
        ),
        ("corpus: {source: sample}\nfilters: {min_topic_overlap: 2}\n", r"filters\.min_topic_overlap: .*got 2"),
        ("- a\n- b\n", r"the record: "),
        ("", r"the record: "),
        ("corpus: [sample\n", r"not valid YAML"),
        ("corpus: !!python/object/apply:os.getcwd []\n", r"not valid YAML"),
    ],
)
def test_a_wrong_or_unknown_key_is_refused_by_its_name(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=rf"recipe\.yaml: {message}"):
        recipe(tmp_path, text)


def test_a_missing_recipe_is_a_user_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such recipe"):
        Recipe.read(tmp_path / "none.yaml")


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.name)
def test_the_bundled_recipes_can_be_read(path: Path) -> None:
    assert Recipe.read(path).corpus.source
