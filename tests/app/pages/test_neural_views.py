"""What vectors and tokens show of an example, with real models that are tiny."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from app.pages.conftest import Reported
from constraintsuite.app.pages.run_report import (
    Extras,
    load_late_interaction,
    match_tokens,
    pair_similarity,
    pick_examples,
    write_report,
)
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.models.base import TextRole, Workbench
from constraintsuite.models.dense import load_encoder
from experiments.tiny_suite import CREAM, CREAMLESS, EXAMPLES, LEEKLESS, LEEKS

tiny = pytest.importorskip("models.torch.tiny_folders", reason="the extra [torch] is not installed")


@pytest.fixture(scope="module")
def dense(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"dense:{tiny.make_dense(tmp_path_factory.mktemp('dense'))},backend=torch,threads=1"


@pytest.fixture(scope="module")
def colbert(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"colbert:{tiny.make_colbert(tmp_path_factory.mktemp('colbert'))},threads=1"


class Directions:
    """Two texts at an angle of 60 degrees, of different lengths."""

    name = fingerprint = "directions"
    similarity = "dot"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str], role: TextRole) -> npt.NDArray[np.float32]:
        assert role == "document"
        self.asked += texts
        vectors = {LEEKS: (1.0, 0.0), CREAM: (1.0, 3**0.5)}
        return np.array([vectors[text] for text in texts], dtype=np.float32)


def test_the_likeness_is_the_cosine_of_the_two_documents() -> None:
    encoder = Directions()
    found = pair_similarity(encoder, [CREAMLESS, LEEKLESS])  # type: ignore[arg-type]
    assert found.tolist() == pytest.approx([0.5, 0.5])
    assert sorted(encoder.asked) == sorted([LEEKS, CREAM])  # each once


def test_a_real_encoder_gives_what_its_vectors_say(dense: str) -> None:
    encoder = load_encoder(dense, Workbench()).encoder
    satisfying, violating = (encoder.encode([text], "document")[0].astype(np.float64) for text in (LEEKS, CREAM))
    expected = satisfying @ violating / np.linalg.norm(satisfying) / np.linalg.norm(violating)
    assert pair_similarity(encoder, [CREAMLESS])[0] == pytest.approx(expected, abs=1e-6)


def test_both_documents_are_matched_with_the_query(colbert: str) -> None:
    scorer = load_late_interaction(colbert, Workbench())
    satisfying, violating = match_tokens(colbert, scorer, [CREAMLESS])
    assert (satisfying.document, violating.document) == ("satisfying", "violating")
    assert "without" in satisfying.query_tokens
    assert "leeks" in satisfying.text_tokens
    assert satisfying.matrix.shape == (len(satisfying.query_tokens), len(satisfying.text_tokens))


def test_the_report_shows_both_and_is_made_once(reported: Reported, tmp_path: Path, dense: str, colbert: str) -> None:
    extras = Extras(vectors=(dense,), maxsim=(colbert,), examples=("dogless0",))
    page = write_report(reported.suite, reported.runs, tmp_path / "report", extras)
    html, written = page.read_text(), page.stat().st_mtime_ns
    assert '<h2 id="likeness">' in html
    assert '<h2 id="tokens">' in html
    assert html.count('id="chart-tokens-') == 4  # a title and a description for each document
    (row,) = json.loads((page.parent / "tables" / "likeness.json").read_text())["rows"]
    assert (row["model"], row["examples"]) == (dense, 50)
    assert -1 <= row["lowest"] <= row["median"] <= row["highest"] <= 1.000001
    assert write_report(reported.suite, reported.runs, tmp_path / "report", extras).stat().st_mtime_ns == written
    write_report(reported.suite, reported.runs, tmp_path / "report")
    assert '<h2 id="tokens">' not in page.read_text()
    assert Artifact.open(page.parent).verify() == []


@pytest.mark.parametrize(
    ("extras", "words"),
    [
        (Extras(vectors=("bm25",)), "gives no vectors"),
        (Extras(maxsim=("bm25",), examples=("dogless",)), "this model does not compare tokens"),
        (Extras(examples=("dogless",)), "go together"),
        (Extras(maxsim=("colbert:none",)), "go together"),
    ],
)
def test_a_model_that_cannot_be_shown_so_is_refused(
    reported: Reported, tmp_path: Path, extras: Extras, words: str
) -> None:
    with pytest.raises(UserError, match=words):
        write_report(reported.suite, reported.runs, tmp_path / "report", extras)
    assert not (tmp_path / "report").exists()


def test_an_example_that_is_not_there_is_answered_with_the_nearest() -> None:
    assert pick_examples(EXAMPLES, ["dogless", "nutless", "dogless"]) == [EXAMPLES[2], EXAMPLES[4]]
    with pytest.raises(UserError, match="Did you mean 'dogless'"):
        pick_examples(EXAMPLES, ["dogles"])
