"""Recipes are read once, and every key in them counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.suites.recipe import Recipe

BUNDLED = sorted((Path(__file__).parents[2] / "recipes").glob("negation*.yaml"))


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
        ("corpus: {source: sample}\nsizes: {mian: 100}\n", r"sizes\.mian: unknown key, perhaps misspelt"),
        ("corpus: {source: sample}\nsize: 100\n", r"size: unknown key, perhaps misspelt"),
        ("corpus: {source: sample, sauce: x}\n", r"corpus\.sauce: unknown key, perhaps misspelt"),
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
    ],
)
def test_a_wrong_or_unknown_key_is_refused_by_its_name(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=rf"recipe\.yaml: {message}"):
        recipe(tmp_path, text)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (
            "documents: {min_words: 400, max_words: 12}",
            r"documents: min_words is 400 and max_words 12, so no text",
        ),
        ("documents: {shards: 0}", r"documents\.shards: .*greater than or equal to 1, got 0"),
        ("documents: {shards: 16000}", r"documents\.shards: .*less than or equal to 512, got 16000"),
        ("documents: {near_duplicate: 80}", r"documents\.near_duplicate: .*got 80"),
        ("pairs: {max_length_ratio: .nan}", r"pairs\.max_length_ratio: .*finite number"),
        ("pairs: {max_length_ratio: .inf}", r"pairs\.max_length_ratio: .*finite number"),
        (
            "queries: {relations: [born_in], exclude_relations: [born_in]}",
            r"queries: born_in is in relations and in",
        ),
        ("sizes: {minpairs_share: 0.6}", r"sizes: minpairs_share 0\.6 \+ .* = 1\.4; these shares must add up to 1"),
        ("sizes: {omission_share: 0.1}", r"sizes: .* = 0\.7; these shares must add up to 1"),
        ("sizes: {main: -5}", r"sizes\.main: .*got -5"),
        ("sizes: {nonflip: -1}", r"sizes\.nonflip: .*got -1"),
        ("sizes: {gold: 5000}", r"sizes\.gold: .*got 5000"),
        ("splits: {train: 0.8}", r"the record: splits\.train 0\.8 \+ .* = 1\.3; these shares must add up to 1"),
        ("splits: {train: 0, dev: 0, test: 0}", r"splits: train, dev and test cannot all be 0"),
        ("tags: {overlap_bins: [0.3, 0.15]}", r"tags: overlap_bins is \[0\.3, 0\.15\]; its two edges must .* increase"),
        ("tags: {overlap_bins: [15, 30]}", r"tags: overlap_bins ends at 30\.0; an overlap is never above 1"),
        ("tags: {length_bins: [50, 50]}", r"tags: length_bins is \[50, 50\]"),
        ("tags: {length_bins: [-1, 50]}", r"tags: length_bins is \[-1, 50\]"),
        ("tags: {length_bins: [50]}", r"tags\.length_bins\.1: Field required"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(tmp_path: Path, section: str, message: str) -> None:
    with pytest.raises(UserError, match=rf"recipe\.yaml: {message}"):
        recipe(tmp_path, f"corpus: {{source: sample}}\n{section}\n")


@pytest.mark.parametrize(
    "section",
    [
        "sizes: {minpairs_share: 0.33, explicit_share: 0.33, omission_share: 0.33}",
        "sizes: {minpairs_share: 1, explicit_share: 0, omission_share: 0}",
        "splits: {train: 0, dev: 0.5, test: 0.5}",
        "documents: {min_words: 12, max_words: 12}",
    ],
)
def test_settings_at_the_edge_are_taken(tmp_path: Path, section: str) -> None:
    assert recipe(tmp_path, f"corpus: {{source: sample}}\n{section}\n").corpus.source == "sample"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("corpus: {source: a}\nseed: 1\ncorpus: {source: b}\n", r"recipe\.yaml:3: duplicate key 'corpus'"),
        ("corpus:\n  source: a\nsizes:\n  main: 5\n  main: 50\n", r"recipe\.yaml:5: duplicate key 'main'"),
    ],
)
def test_a_key_that_stands_twice_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        recipe(tmp_path, text)


def test_a_missing_recipe_is_a_user_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such recipe"):
        Recipe.read(tmp_path / "none.yaml")


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.name)
def test_the_bundled_recipes_can_be_read(path: Path) -> None:
    assert Recipe.read(path).corpus.source
