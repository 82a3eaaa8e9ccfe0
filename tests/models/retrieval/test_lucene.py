"""What of the Lucene engine can be told without Lucene: depth, ties, identity, guards, settings."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from constraintsuite.core.errors import MissingExtraError, UserError
from constraintsuite.models.retrieval.base import EngineHit
from constraintsuite.models.retrieval.lucene import best_of, check_modules, find_java, hash_folder, level_ties
from constraintsuite.suites.recipe import CandidateSettings

JAVA_17 = "java.base@17.0.15\njava.logging@17.0.15\njdk.incubator.vector@17.0.15\n"
JAVA_21 = "java.base@21.0.12.1\njdk.incubator.vector@21.0.12.1\n"
JAVA_26_EARLY = "java.base@26-ea\njdk.incubator.vector@26-ea\n"
JAVA_25_CUT = "java.base@25.0.1\njava.logging@25.0.1\n"


class Index:
    """A ranking that is answered down to the depth asked for."""

    def __init__(self, ranking: Sequence[EngineHit]) -> None:
        self.ranking = ranking
        self.asked: list[int] = []

    def fetch(self, depth: int) -> Sequence[EngineHit]:
        self.asked.append(depth)
        return self.ranking[:depth]


def falling(*names: str) -> list[EngineHit]:
    return [EngineHit(name, 10.0 - place) for place, name in enumerate(names)]


@pytest.mark.parametrize(
    ("ranking", "k", "expected", "asked"),
    [
        pytest.param(falling(*"abc"), 2, ["a", "b"], [3], id="enough at once"),
        pytest.param(falling(*"axxxbc"), 2, ["a", "b"], [3, 6], id="others in between"),
        pytest.param(falling(*"xxxxxxxa"), 1, ["a"], [2, 4, 8, 16], id="down to the end"),
        pytest.param(falling(*"ax"), 2, ["a"], [3], id="fewer than asked for"),
        pytest.param(falling("x"), 2, [], [3], id="none of the corpus"),
        pytest.param([], 2, [], [3], id="nothing found"),
        pytest.param(falling(*"ab"), 0, [], [1], id="nothing wanted"),
        pytest.param(
            [*falling("x"), EngineHit("b", 5), EngineHit("c", 5), EngineHit("a", 5)],
            1,
            ["a"],
            [2, 4, 8],
            id="a tie at the cut",
        ),
        pytest.param(falling(*"aab"), 2, ["a", "b"], [3, 6], id="an id that stands twice"),
    ],
)
def test_a_pool_goes_as_deep_as_it_must(
    ranking: list[EngineHit], k: int, expected: list[str], asked: list[int]
) -> None:
    index = Index(ranking)
    assert [found.document for found in best_of(index.fetch, frozenset("abc"), k)] == expected
    assert index.asked == asked


@given(scores=st.lists(st.integers(1, 4), max_size=40), known=st.sets(st.integers(0, 39)), k=st.integers(0, 12))
def test_a_pool_is_the_head_of_the_whole_ranking(scores: list[int], known: set[int], k: int) -> None:
    ranking = sorted((EngineHit(f"{i:02}", float(score)) for i, score in enumerate(scores)), key=lambda f: -f.score)
    ids = {f"{i:02}" for i in known}
    whole = sorted((f for f in ranking if f.document in ids), key=lambda f: (-f.score, f.document))
    assert best_of(Index(ranking).fetch, ids, k) == whole[:k]


@settings(max_examples=60)
@given(groups=st.dictionaries(st.integers(1, 1_200_000), st.integers(1, 90), max_size=8))
def test_scores_that_were_told_apart_are_equal_again(groups: dict[int, int]) -> None:
    levels = sorted(groups, reverse=True)
    lowered = [np.float32(level / 1e4 - repeat * 1e-6) for level in levels for repeat in range(groups[level])]
    levelled = level_ties(EngineHit(str(place), float(score)) for place, score in enumerate(lowered))
    assert [found.score for found in levelled] == [level / 1e4 for level in levels for _ in range(groups[level])]


def make_index(folder: Path, commit: bytes = b"one", terms: bytes = b"terms") -> Path:
    folder.mkdir()
    (folder / "segments_1").write_bytes(commit)
    (folder / "_0.tim").write_bytes(terms)
    return folder


def test_an_index_is_known_by_its_files_wherever_it_lies(tmp_path: Path) -> None:
    one, same = make_index(tmp_path / "one"), make_index(tmp_path / "same")
    (same / "write.lock").touch()
    assert hash_folder(one) == hash_folder(same)


@pytest.mark.parametrize("change", [{"commit": b"two"}, {"terms": b"more terms"}])
def test_an_index_that_was_made_anew_is_another(tmp_path: Path, change: dict[str, bytes]) -> None:
    assert hash_folder(make_index(tmp_path / "one")) != hash_folder(make_index(tmp_path / "other", **change))


def test_a_folder_without_an_index_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no Lucene index in this folder \(no file segments_N\)"):
        hash_folder(tmp_path)


def make_program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(0o755)
    return path


@pytest.mark.parametrize("name", ["JAVA_HOME", "JDK_HOME", "JRE_HOME"])
def test_a_named_java_comes_before_that_on_path(tmp_path: Path, name: str) -> None:
    java = make_program(tmp_path / "jdk" / "bin" / "java")
    other = make_program(tmp_path / "other" / "java")
    assert find_java({name: str(tmp_path / "jdk"), "PATH": str(other.parent)}) == java


def test_a_link_on_path_leads_to_the_java_beside_its_javac(tmp_path: Path) -> None:
    java, javac = (make_program(tmp_path / "jdk" / "bin" / program) for program in ("java", "javac"))
    links = tmp_path / "links"
    links.mkdir()
    (links / "javac").symlink_to(javac)
    assert find_java({"PATH": str(links)}) == java


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({}, r"JAVA_HOME is not set, and no java is on PATH\. Install a full JDK 21"),
        ({"JAVA_HOME": "nowhere"}, r"JAVA_HOME is 'nowhere', but there is no bin/java in it\. Install a full JDK 21"),
    ],
)
def test_a_missing_java_is_told(environment: dict[str, str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        find_java(environment)


@pytest.mark.parametrize("listing", [JAVA_21, JAVA_26_EARLY])
def test_a_new_and_whole_java_will_do(listing: str) -> None:
    check_modules(Path("java"), listing)


@pytest.mark.parametrize(
    ("listing", "message"),
    [
        (JAVA_17, r"java: this is Java 17\.0\.15; Lucene needs 21 or newer\. Install"),
        ("", r"java: this is Java before 9; Lucene needs 21 or newer\. Install"),
        (JAVA_25_CUT, r"java: this Java 25\.0\.1 comes without the module jdk\.incubator\.vector"),
    ],
)
def test_a_java_that_will_not_do_is_told(listing: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        check_modules(Path("java"), listing)


def test_the_engine_in_memory_has_no_index_of_its_own() -> None:
    assert CandidateSettings().model_dump()["index"] == ""


@pytest.mark.parametrize("engine", ["lucene", "lucene:", "lucene: ", "bm25:x", "elastic:x"])
def test_an_unknown_engine_is_refused(engine: str) -> None:
    with pytest.raises(ValidationError, match="engine"):
        CandidateSettings(engine=engine)


@pytest.mark.parametrize("setting", [{"stop_list": "none"}, {"stem": False}])
def test_settings_that_lucene_would_ignore_are_refused(setting: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="stop_list and stem belong to the engine bm25"):
        CandidateSettings.model_validate({"engine": "lucene:x", **setting})


def test_without_the_extra_a_recipe_cannot_be_recorded_and_says_why() -> None:
    code = (
        "import sys; sys.modules['pyserini'] = None\n"
        "from constraintsuite.suites.recipe import CandidateSettings\n"
        "CandidateSettings(engine='lucene:x').model_dump(mode='json')"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert f"{MissingExtraError.__name__}: Searching a Lucene index needs the extra [lucene]" in result.stderr
    assert "pip install 'constraintsuite[lucene]'" in result.stderr
