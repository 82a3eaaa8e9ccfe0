"""Vectors are those of the encoder, whatever the shards, and stopping the work at any moment changes nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.core.execution.progress import Silent
from constraintsuite.models import worker_model
from constraintsuite.models.dense import load_encoder
from constraintsuite.models.onnx.encoder import OnnxEncoder
from constraintsuite.models.onnx.session import OnnxSession
from constraintsuite.models.tokenization import TokenBatch
from constraintsuite.vectors import LAYOUTS, embedding_shard
from constraintsuite.vectors.bundle import Bundle, open_vectors, zero_vectors
from constraintsuite.vectors.embed import embed_bundle
from constraintsuite.vectors.matrices import check_lengths, length_tolerance
from constraintsuite.vectors.msmarco_import import import_folder
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.subset import build_subset
from constraintsuite.vectors.verify import verify_folder
from tiny_bundle import make_bundle, save_model, write_json_lines, write_source


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def model(tmp_path: Path) -> str:
    return save_model(tmp_path / "model")


def test_row_by_row_the_vectors_are_those_of_the_encoder(tmp_path: Path, model: str) -> None:
    bundle = make_bundle(tmp_path)
    embed_bundle(bundle, model, Silent(), shard_rows=7)
    opened = Bundle.open(bundle)
    vectors = open_vectors(opened)
    encoder = load_encoder(model).encoder
    passages = [row.passage for row in opened.rows()]
    np.testing.assert_allclose(vectors.documents, encoder.encode(passages, "document"), atol=1e-6)
    np.testing.assert_allclose(
        vectors.queries, encoder.encode([query.text or "" for query in opened.queries], "query"), atol=1e-6
    )
    assert vectors.similarity == "cosine"
    np.testing.assert_allclose(np.linalg.norm(vectors.documents, axis=1), 1, atol=1e-5)


def test_texts_that_are_not_read_to_the_end_are_counted(tmp_path: Path, model: str) -> None:
    """The encoder reads 24 tokens, two of them its own; every word here is one token."""
    bundle = make_bundle(tmp_path)
    counts = embed_bundle(bundle, model, Silent()).manifest.counts
    texts = [row.text or "" for row in Bundle.open(bundle).rows()]
    assert counts["documents_truncated"] == sum(len(text.split()) > 22 for text in texts) > 0
    assert counts["document_characters_unread"] == sum(len(text) - len(" ".join(text.split()[:22])) for text in texts)


def test_the_number_of_workers_does_not_matter(tmp_path: Path, model: str) -> None:
    alone = embed_bundle(make_bundle(tmp_path / "a"), model, Silent(), shard_rows=11)
    together = embed_bundle(make_bundle(tmp_path / "b"), model, Silent(), shard_rows=11, engine=LocalEngine(2))
    assert together.manifest.content == alone.manifest.content


def test_the_encoder_is_loaded_once_however_many_shards_there_are(
    tmp_path: Path, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []

    class Counting(OnnxSession):
        def __init__(self, graph: Path, threads: int) -> None:
            opened.append(graph)
            super().__init__(graph, threads)

    monkeypatch.setattr("constraintsuite.models.onnx.session.OnnxSession", Counting)
    embed_bundle(
        make_bundle(tmp_path / "a"), model, Silent(), shard_rows=4
    )  # eight shards of documents, two of queries
    assert len(opened) == 1
    monkeypatch.setattr(worker_model, "_MOST_CHARACTERS", 500)  # what it keeps of texts is let go now and then
    embed_bundle(make_bundle(tmp_path / "b"), model, Silent(), shard_rows=4)
    assert len(opened) > 2
    assert Bundle.open(tmp_path / "a" / "bundle").id == Bundle.open(tmp_path / "b" / "bundle").id


def test_weights_that_change_while_they_are_in_use_are_refused(tmp_path: Path, model: str) -> None:
    with pytest.raises(UserError, match="differs from the one that planned the run"):
        worker_model.cached_model(model, "0" * 64, ["soup"])
    assert worker_model._cached == {}


def test_vectors_that_are_zero_are_counted_and_told(tmp_path: Path) -> None:
    """Weights of zero in the last layer norm: every vector is zero, and cannot be made one of length 1."""
    folder = tmp_path / "zero"
    save_model(folder)
    weights = load_file(folder / "model.safetensors")
    for name in ("weight", "bias"):
        weights[f"encoder.layer.1.output.LayerNorm.{name}"][:] = 0
    save_file(weights, folder / "model.safetensors")
    path = make_bundle(tmp_path)
    counts = embed_bundle(path, f"dense:{folder}", Silent()).manifest.counts
    assert (counts["documents_of_length_zero"], counts["queries_of_length_zero"]) == (30, 6)
    assert verify_folder(path) == []
    (first, second) = zero_vectors(Bundle.open(path))
    assert first.endswith("the vectors of 30 documents are zero")
    assert second.endswith("the vectors of 6 queries are zero")


@pytest.mark.parametrize(
    ("rows", "slack", "expected"),
    [
        ([[3, 4], [0, 0]], None, (1, "")),
        ([[0.6, 0.8], [0, 0]], 1e-3, (1, "")),
        ([[0.6, 0.8], [3, 4]], 1e-3, (0, "is not of length 1, though the encoder normalises")),
        ([[0.6, 0.803], [1, 0]], 1e-2, (0, "")),
        ([[1, 0], [np.inf, 0]], None, (0, "is not finite")),
    ],
)
def test_lengths(rows: list[list[float]], slack: float | None, expected: tuple[int, str]) -> None:
    found = check_lengths(np.array(rows, dtype=np.float32), slack)
    assert (found.zeros, found.fault) == expected


@pytest.mark.parametrize(
    ("facts", "slack"),
    [
        ({"after_pooling": ["normalize"], "precision": "fp32"}, 1e-3),
        ({"after_pooling": ["2_Dense", "normalize"]}, 1e-3),
        ({"layers": ["Transformer", "Pooling", "Normalize"], "precision": "bf16"}, 1e-2),
        ({"after_pooling": ["normalize", "2_Dense"]}, None),
        ({"layers": ["DPRQuestionEncoder"]}, None),
        ({}, None),
    ],
)
def test_an_encoder_says_whether_it_normalises(facts: dict[str, object], slack: float | None) -> None:
    assert length_tolerance(facts) == slack


def test_a_text_that_breaks_the_encoder_is_zero_named_and_counted(
    tmp_path: Path, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_bundle(tmp_path)
    broken = list(Bundle.open(path).rows())[4]
    own = OnnxEncoder.prepare

    def fragile(encoder: OnnxEncoder, items: Sequence[tuple[str, ...]]) -> TokenBatch:
        if (broken.passage,) in items:
            raise RuntimeError("cannot be read")
        return own(encoder, items)

    monkeypatch.setattr(OnnxEncoder, "prepare", fragile)
    artifact = embed_bundle(path, model, Silent(), shard_rows=7)
    assert artifact.manifest.rejects == {"unworkable": 1}
    assert artifact.manifest.counts["documents_of_length_zero"] == 1
    documents = open_vectors(Bundle.open(path)).documents
    assert np.flatnonzero(np.linalg.norm(documents, axis=1) == 0).tolist() == [4]
    (event,) = json.loads((artifact.path / "environment.json").read_text())["events"]
    assert event.startswith(f"left out document {broken.id}: RuntimeError (test_embed.py:")
    assert verify_folder(path) == []


def test_what_is_finished_is_not_computed_again(tmp_path: Path, model: str) -> None:
    bundle = make_bundle(tmp_path)
    first = embed_bundle(bundle, model, Silent())
    before = (first.path / "docs.npy").stat().st_mtime_ns
    assert embed_bundle(bundle, model, Silent(), shard_rows=5).manifest == first.manifest
    assert (first.path / "docs.npy").stat().st_mtime_ns == before


def test_vectors_that_were_copied_from_other_texts_are_made_anew(tmp_path: Path, model: str) -> None:
    small = embed_bundle(make_bundle(tmp_path / "small", size=20), model, Silent())
    large = make_bundle(tmp_path / "large", size=40)
    shutil.copytree(small.path, large / "vectors" / small.path.name)
    assert embed_bundle(large, model, Silent()).manifest.counts["documents"] == 40


def test_vectors_of_equal_texts_are_taken_over(tmp_path: Path, model: str) -> None:
    small, large = make_bundle(tmp_path / "small", size=20), make_bundle(tmp_path / "large", size=40)
    embed_bundle(small, model, Silent())
    again = embed_bundle(large, model, Silent(), reuse=[small], shard_rows=9)
    assert again.manifest.counts["documents_reused"] == 20
    old, new = (open_vectors(Bundle.open(path)).documents for path in (small, large))
    ids = {name: row for row, name in enumerate(Bundle.open(large).ids())}
    for row, name in enumerate(Bundle.open(small).ids()):
        assert np.array_equal(old[row], new[ids[name]])
    fresh = load_encoder(model).encoder.encode([row.passage for row in Bundle.open(large).rows()], "document")
    np.testing.assert_allclose(new, fresh, atol=1e-6)


def test_another_bundle_is_read_once_however_many_shards_there_are(
    tmp_path: Path, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    small, large = make_bundle(tmp_path / "small", size=20), make_bundle(tmp_path / "large", size=40)
    embed_bundle(small, model, Silent())
    readings: list[Path] = []
    own = Bundle.text_hashes

    def counting(bundle: Bundle) -> bytes:
        readings.append(bundle.path)
        return own(bundle)

    monkeypatch.setattr(Bundle, "text_hashes", counting)
    embed_bundle(large, model, Silent(), reuse=[small], shard_rows=4)
    assert readings == [small]
    assert embedding_shard.open_known.cache_info().currsize == 0


def test_vectors_without_texts_are_not_taken_over(tmp_path: Path, model: str) -> None:
    known = make_bundle(tmp_path / "known", size=20)
    name = embed_bundle(known, model, Silent()).path.name
    LAYOUTS.load("msmarco-subset")(Bundle.open(known), tmp_path / "seven", None)
    imported = import_folder(tmp_path / "seven", tmp_path / "imported", "cosine").texts.path
    (vectors,) = (imported / "vectors").iterdir()
    vectors.rename(vectors.with_name(name))
    again = embed_bundle(make_bundle(tmp_path / "b"), model, Silent(), reuse=[imported])
    assert again.manifest.counts["documents_reused"] == 0


def test_every_document_that_is_taken_over_is_counted_also_twins(tmp_path: Path, model: str) -> None:
    bundles = []
    for name, texts in (("old", ["soup", "hot pie"]), ("new", ["soup", "soup", "red nuts"])):
        source = write_source(tmp_path / name)
        write_json_lines(
            tmp_path / name / "docs.jsonl", [{"id": f"d{i}", "text": text} for i, text in enumerate(texts)]
        )
        settings = SubsetSettings(size=len(texts), mode="uniform")
        build_subset(source, settings, tmp_path / name / "bundle", Silent(), accept_coverage=True)
        bundles.append(tmp_path / name / "bundle")
    embed_bundle(bundles[0], model, Silent())
    assert embed_bundle(bundles[1], model, Silent(), reuse=bundles[:1]).manifest.counts["documents_reused"] == 2


def test_only_vectors_of_the_same_encoder_are_taken_over(tmp_path: Path, model: str) -> None:
    other = save_model(tmp_path / "other", normalize=False)
    bundle = make_bundle(tmp_path / "a")
    embed_bundle(bundle, other, Silent())
    with pytest.raises(UserError, match="no vectors of this encoder"):
        embed_bundle(make_bundle(tmp_path / "b"), model, Silent(), reuse=[bundle])


def test_of_several_encoders_one_must_be_named(tmp_path: Path, model: str) -> None:
    bundle = make_bundle(tmp_path)
    names = [
        embed_bundle(bundle, each, Silent()).path.name for each in (model, save_model(tmp_path / "x", normalize=False))
    ]
    with pytest.raises(UserError, match="name one encoder with --encoder"):
        open_vectors(Bundle.open(bundle))
    assert open_vectors(Bundle.open(bundle), names[1][:6]).name == names[1]
    assert open_vectors(Bundle.open(bundle), model).name == names[0]


@pytest.mark.parametrize(("model", "message"), [("bm25", "gives no vectors"), ("dense:nowhere", "No model 'nowhere'")])
def test_a_model_without_vectors_is_refused(tmp_path: Path, model: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        embed_bundle(make_bundle(tmp_path), model, Silent())


# One process loads everything, and forks: each child embeds until it kills itself without warning, at a certain call of a
# function, so that the moment does not depend on the machine.
KILLING = """
import os, random, shutil, signal, sys
from pathlib import Path
import onnxruntime, pyarrow, constraintsuite.models.onnx.session
from constraintsuite.core.execution.progress import Silent
from constraintsuite.vectors.bundle import Bundle
from constraintsuite.vectors.embed import embed_bundle
from constraintsuite.models.dense import load_encoder

bundle, model = Path(sys.argv[1]), sys.argv[2]
os.fsync = lambda file: None  # against a loss of power, which is not what happens here
pyarrow.array(["text"])  # what a first use loads is loaded here, once
load_encoder(model)

def embed(last):
    calls = 0
    def count(frame, event, argument):
        nonlocal calls
        calls += 1
        if calls == last:
            os.kill(os.getpid(), signal.SIGKILL)
    sys.setprofile(count)
    embed_bundle(bundle, model, Silent(), shard_rows=4)
    sys.setprofile(None)
    return calls

def in_child(last):
    # Whether it was killed.
    child = os.fork()
    if child == 0:
        (bundle.parent / "calls").write_text(str(embed(last)))
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])

in_child(0)
whole = int((bundle.parent / "calls").read_text())
chance, kills, resumed = random.Random(7), 0, 0
shutil.rmtree(bundle / "vectors")
while kills < 20:
    resumed += any(bundle.glob("vectors/*/stages/document-*.outcome.json"))
    if in_child(chance.randrange(1, whole // 2)):
        kills += 1
    else:  # done before the moment came: once more from the beginning
        print(Bundle.open(bundle).id)
        shutil.rmtree(bundle / "vectors")
in_child(0)
print(Bundle.open(bundle).id)
print(resumed)
"""


def test_killed_at_twenty_random_moments_the_bundle_is_the_same(tmp_path: Path, model: str) -> None:
    whole = make_bundle(tmp_path / "whole", size=60)
    embed_bundle(whole, model, Silent(), shard_rows=4)
    killed = make_bundle(tmp_path / "killed", size=60)
    command = [sys.executable, "-c", KILLING, str(killed), model]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    *ids, resumed = result.stdout.split()
    assert set(ids) == {Bundle.open(whole).id}
    assert int(resumed) > 5


def test_encoder_facts_stand_beside_the_vectors(tmp_path: Path, model: str) -> None:
    artifact = embed_bundle(make_bundle(tmp_path), model, Silent())
    facts = json.loads((artifact.path / "encoder.json").read_text())
    assert facts["model"] == model
    assert facts["fingerprint"][:16] == artifact.path.name
    assert (facts["dimensions"], facts["pooling"], facts["after_pooling"], facts["length"]) == (
        16,
        "mean",
        ["normalize"],
        24,
    )
    assert set(facts["prompts"]) == {"query", "document"}
