"""What a model is run from: a graph that is written once, or an ONNX file that the options name."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file, save_file

from constraintsuite.core.errors import UserError
from constraintsuite.models.base import Scorer, Workbench
from constraintsuite.models.model_names import load_scorer
from models.reading import characters_read

tiny = pytest.importorskip("models.onnx.tiny_transformers")

PAIRS = [("soup without cream", "soup with leeks and no cream"), ("soup without cream", "a rich soup with cream")]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved")
    tiny.save_encoder(folder / "dense")
    tiny.save_cross(folder / "cross")
    tiny.save_cross(folder / "nli", labels=("contradiction", "entailment", "neutral"))
    return folder


@pytest.fixture
def models(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders of one's own, and an empty cache."""
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    shutil.copytree(saved, tmp_path / "models")
    return tmp_path / "models"


def load(name: str, bench: Workbench | None = None) -> Scorer:
    return load_scorer(name, bench or Workbench())


def written(models: Path) -> list[Path]:
    return sorted((models.parent / "cache" / "onnx").glob("*/model.onnx"))


def test_making_a_scorer_reads_no_weights_and_imports_nothing_heavy(models: Path) -> None:
    code = (
        "import sys; from constraintsuite.models.model_names import check_models; check_models(sys.argv[1:]);"
        "assert not {'onnxruntime', 'onnx', 'torch', 'transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, f"dense:{models}/dense", f"cross:{models}/cross"], check=True)
    assert written(models) == []


def test_a_graph_is_written_once_and_kept(models: Path) -> None:
    scores = load(f"dense:{models}/dense").score(PAIRS)
    (file,) = written(models)
    before = file.stat().st_mtime_ns
    assert load(f"dense:{models}/dense").score(PAIRS).tolist() == scores.tolist()
    assert file.stat().st_mtime_ns == before
    assert sorted(path.name for path in file.parent.iterdir()) == ["model.onnx", "weights.bin"]
    onnx.checker.check_model(str(file), full_check=True)


def test_weights_that_changed_are_another_model(models: Path) -> None:
    before = load(f"cross:{models}/cross")
    scores = before.score(PAIRS)
    shutil.copy(models / "nli" / "model.safetensors", models / "cross" / "model.safetensors")
    after = load(f"cross:{models}/cross,label=1")
    assert after.fingerprint != before.fingerprint
    assert after.score(PAIRS).tolist() != scores.tolist()
    assert len(written(models)) == 2


@pytest.mark.parametrize("option", ["length=20", "similarity=dot", "query_prompt=soup ", "batch_tokens=64"])
def test_the_fingerprint_knows_what_decides_a_score(models: Path, option: str) -> None:
    plain, other = f"dense:{models}/dense", f"dense:{models}/dense,{option}"
    assert load(plain).fingerprint == load(plain).fingerprint != load(other).fingerprint


def test_the_label_is_a_column_of_the_same_logits(models: Path, tmp_path: Path) -> None:
    bench = Workbench(cache=tmp_path / "scores")
    with pytest.raises(UserError, match=r"3 labels: 0 \(contradiction\)"):
        load(f"cross:{models}/nli")
    by_name = load(f"cross:{models}/nli,label=entailment", bench).score(PAIRS)
    assert load(f"cross:{models}/nli,label=1", bench).score(PAIRS).tolist() == by_name.tolist()
    assert load(f"cross:{models}/nli,label=2", bench).score(PAIRS).tolist() != by_name.tolist()
    assert len(list((tmp_path / "scores").iterdir())) == 1


def test_a_cross_encoder_knows_what_it_cuts(models: Path) -> None:
    scorer = load(f"cross:{models}/cross,length=9")
    assert characters_read(scorer, [("soup", "the soup is rich and very"), ("soup", "a pie")]) == [20, 5]


def quantise(models: Path, kind: str, place: str) -> Path:
    load(f"{kind}:{models}/{kind}").score(PAIRS)
    (source,) = written(models)
    target = models / kind / place
    target.parent.mkdir(exist_ok=True)
    quantize_dynamic(str(source), str(target), weight_type=QuantType.QInt8)
    return target


def test_int8_is_used_only_when_it_is_asked_for(models: Path) -> None:
    whole = load(f"dense:{models}/dense").score(PAIRS)
    with pytest.raises(UserError, match="no quantised ONNX file for precision=int8"):
        load(f"dense:{models}/dense,precision=int8")
    quantise(models, "dense", "model_quantized.onnx")
    assert load(f"dense:{models}/dense").score(PAIRS).tolist() == whole.tolist()
    rounded = load(f"dense:{models}/dense,precision=int8").score(PAIRS)
    assert rounded.tolist() != whole.tolist()
    assert np.allclose(rounded, whole, atol=0.1)


def test_a_file_must_compute_in_the_precision_that_is_said(models: Path) -> None:
    quantise(models, "cross", "onnx/small.onnx")
    load(f"cross:{models}/cross,file=onnx/small.onnx,precision=int8").score(PAIRS)
    with pytest.raises(UserError, match=r"small\.onnx: it computes in int8\. Say so: precision=int8"):
        load(f"cross:{models}/cross,file=onnx/small.onnx").score(PAIRS)
    with pytest.raises(UserError, match=r"no such file\. There are: onnx/small\.onnx\."):
        load(f"cross:{models}/cross,file=large.onnx")


def test_an_int8_result_does_not_depend_on_its_neighbours(models: Path) -> None:
    quantise(models, "cross", "model_quantized.onnx")
    scorer = load(f"cross:{models}/cross,precision=int8")
    assert scorer.score(PAIRS).tolist() == [scorer.score([pair])[0] for pair in PAIRS]


def test_an_onnx_file_alone_is_offered_but_not_taken(models: Path) -> None:
    scores = load(f"cross:{models}/cross").score(PAIRS)
    (source,) = written(models)
    for file in source.parent.iterdir():
        shutil.copy(file, models / "cross")
    (models / "cross" / "model.safetensors").unlink()
    with pytest.raises(UserError, match=r"no model\.safetensors\. An ONNX file is there: file=model\.onnx"):
        load(f"cross:{models}/cross,backend=onnx")
    assert load(f"cross:{models}/cross,file=model.onnx").score(PAIRS).tolist() == scores.tolist()


def change_config(folder: Path, **values: object) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **values}))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"model_type": "gpt2"}, r"a gpt2 model cannot be run by ONNX Runtime here \(these can: bert"),
        ({"hidden_act": "silu"}, "activation 'silu'"),
        ({"position_embedding_type": "relative_key"}, "'relative_key' positions"),
        ({"is_decoder": True}, "a decoder"),
        ({"num_attention_heads": 0}, "how many layers and heads"),
        ({"model_type": "distilbert"}, "no scoring head|do not have the names of a distilbert"),
        ({"model_type": None}, r"config\.json: model_type"),
    ],
)
def test_a_model_that_cannot_be_written_says_why(models: Path, values: dict[str, object], words: str) -> None:
    change_config(models / "cross", **values)
    with pytest.raises(UserError, match=words):
        load(f"cross:{models}/cross,backend=onnx")


def test_a_layer_that_is_not_there_is_named(models: Path) -> None:
    change_config(models / "cross", num_hidden_layers=3)
    with pytest.raises(UserError, match=r"no tensor 'bert\.encoder\.layer\.2\..*config\.json calls for"):
        load(f"cross:{models}/cross").score(PAIRS)
    assert written(models) == []


def test_words_that_the_weights_do_not_have_are_an_error_of_the_folder(models: Path) -> None:
    file = models / "cross" / "tokenizer.json"
    content = json.loads(file.read_text())
    content["model"]["vocab"]["soup"] = 999
    file.write_text(json.dumps(content))
    with pytest.raises(UserError, match=r"model\.onnx: ONNX Runtime could not run a batch"):
        load(f"cross:{models}/cross").score(PAIRS)


def test_a_place_outside_the_folder_is_refused(models: Path) -> None:
    with pytest.raises(UserError, match=r"'\.\./dense/model\.onnx' leads out of the folder"):
        load(f"cross:{models}/cross,file=../dense/model.onnx")


def test_weights_in_several_files_are_one_model(models: Path) -> None:
    scores = load(f"cross:{models}/cross").score(PAIRS)
    whole = models / "cross" / "model.safetensors"
    tensors = load_file(whole)
    names = sorted(tensors)
    parts = {"model-1.safetensors": names[::2], "model-2.safetensors": names[1::2]}
    for part, some in parts.items():
        save_file({name: tensors[name] for name in some}, models / "cross" / part)
    index = {"weight_map": {name: part for part, some in parts.items() for name in some}}
    (models / "cross" / "model.safetensors.index.json").write_text(json.dumps(index))
    whole.unlink()
    assert load(f"cross:{models}/cross").score(PAIRS).tolist() == scores.tolist()


def test_a_bi_encoder_is_no_cross_encoder(models: Path) -> None:
    with pytest.raises(UserError, match=r"there is no scoring head, so this is not a cross-encoder"):
        load(f"cross:{models}/dense")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("model.safetensors", b"not weights", "not a safetensors file"),
        ("config.json", b"{", "Invalid JSON"),
        ("tokenizer.json", b"{}", "not a tokenizer that can be read"),
    ],
)
def test_a_broken_file_is_named(models: Path, name: str, content: bytes, words: str) -> None:
    (models / "cross" / name).write_bytes(content)
    with pytest.raises(UserError, match=rf"{name}: .*{words}"):
        load(f"cross:{models}/cross").score(PAIRS)
    assert written(models) == []


def test_a_rerun_computes_nothing(models: Path, tmp_path: Path) -> None:
    bench = Workbench(cache=tmp_path / "scores")
    scores = load(f"dense:{models}/dense", bench).score(PAIRS)
    again = load(f"dense:{models}/dense", bench)
    assert again.score(PAIRS).tolist() == scores.tolist()
    assert "session" not in vars(again.encoder)  # type: ignore[attr-defined]


def test_a_batch_that_is_too_large_is_halved(models: Path) -> None:
    """In a process that may not have more memory than it has, plus a little."""
    code = """
import resource, sys
from pathlib import Path
from constraintsuite.models.base import Workbench
from constraintsuite.models.model_names import load_scorer
bench = Workbench()
scorer = load_scorer(sys.argv[1], bench)
pairs = [("soup", f"{'soup with cream ' * 60} {'leeks ' * (n % 7)}{n}") for n in range(600)]
scorer.score(pairs[:2])
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 200 * 2**20,) * 2)
scores = scorer.score(pairs)
print(len(scores), len(bench.events), bench.events[:1])
"""
    command = [sys.executable, "-c", code, f"cross:{models}/cross,batch_tokens=200000,threads=1"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    count, events, first = result.stdout.split(maxsplit=2)
    assert count == "600"
    assert int(events) > 0
    assert "did not fit into memory and was halved" in first
