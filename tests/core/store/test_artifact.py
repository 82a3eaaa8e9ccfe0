"""An artifact folder is finished when its manifest is there, and knows every byte that belongs to it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import (
    ENVIRONMENT,
    FORMAT,
    MANIFEST,
    Artifact,
    ArtifactOrigin,
    finish,
    read_manifest,
)
from constraintsuite.core.store.environment import library_versions
from constraintsuite.core.store.revisions import Revision

ORIGIN = ArtifactOrigin("suite", "tiny", {"source": "abc"}, {"seed": 0}, 0, Revision(1))


def make_artifact(folder: Path, origin: ArtifactOrigin = ORIGIN, seconds: float = 0.0) -> Artifact:
    folder.mkdir(parents=True)
    (folder / "examples.jsonl").write_text("{}\n")
    (folder / "parts").mkdir()
    (folder / "parts" / "one.txt").write_text("one")
    return finish(folder, origin, {"examples": 1}, {"too_long": 2}, seconds)


def test_a_finished_folder_can_be_opened(tmp_path: Path) -> None:
    made = make_artifact(tmp_path / "suite")
    assert Artifact.open(tmp_path / "suite", "suite") == made
    assert made.manifest.counts == {"examples": 1}
    assert made.manifest.rejects == {"too_long": 2}
    assert list(made.manifest.files) == ["examples.jsonl", "parts/one.txt"]


def test_a_finished_folder_verifies(tmp_path: Path) -> None:
    assert make_artifact(tmp_path / "suite").verify() == []


def test_a_changed_file_is_named(tmp_path: Path) -> None:
    made = make_artifact(tmp_path / "suite")
    (made.path / "examples.jsonl").write_text("[]\n")  # as long as before: only the hash can tell
    assert made.verify() == ["examples.jsonl: changed since it was written"]


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def exchange(file: Path) -> None:
    """With another file of the same length."""
    other = file.parent / "two.txt"
    kept = file.read_bytes()
    file.write_bytes(other.read_bytes())
    other.write_bytes(kept)


@pytest.mark.parametrize(("damage", "word"), [(cut, "changed"), (Path.unlink, "deleted"), (exchange, "changed")])
def test_an_artifact_with_another_content_than_its_manifest_is_not_opened(
    tmp_path: Path, damage: Callable[[Path], None], word: str
) -> None:
    (tmp_path / "parts").mkdir()
    for name in ("one", "two"):
        (tmp_path / "parts" / f"{name}.txt").write_text(name)
    finish(tmp_path, ORIGIN, {}, {}, 0.0)
    damage(tmp_path / "parts" / "one.txt")
    told = f"{tmp_path}/parts/one.txt: {word} since the suite was made. Make it again with `csuite build`, or get a good copy."
    with pytest.raises(UserError, match=f"^{re.escape(told)}$"):
        Artifact.open(tmp_path, "suite")
    Artifact.open_unverified(tmp_path, "suite").refuse_changed(["parts/two.txt"] if damage is not exchange else [])


def test_an_extra_file_is_refused_only_by_those_who_would_read_it(tmp_path: Path) -> None:
    made = make_artifact(tmp_path / "suite")
    (made.path / "parts" / "two.txt").write_text("two")
    opened = Artifact.open(made.path)
    with pytest.raises(UserError, match=r"parts/two\.txt: this file is not part of the suite"):
        opened.refuse_foreign()
    opened.refuse_foreign(separate=["parts"])


def test_a_file_that_the_manifest_does_not_name_is_not_trusted(tmp_path: Path) -> None:
    made = make_artifact(tmp_path / "suite")
    (made.path / "gold.jsonl").write_text("{}")
    with pytest.raises(UserError, match=r"gold\.jsonl: changed since the suite was made"):
        made.refuse_changed(["gold.jsonl"])


@pytest.mark.parametrize("name", ["../outside.txt", "parts/../../outside.txt", "/etc/hostname", ""])
def test_a_manifest_that_names_a_file_outside_its_folder_is_refused(tmp_path: Path, name: str) -> None:
    made = make_artifact(tmp_path / "suite")
    (tmp_path / "outside.txt").write_text("one")
    manifest = made.path / MANIFEST
    manifest.write_text(manifest.read_text().replace("parts/one.txt", name))
    with pytest.raises(UserError, match="is not in this folder"):
        Artifact.open(made.path)


def test_a_manifest_whose_list_of_files_was_shortened_is_refused(tmp_path: Path) -> None:
    made = make_artifact(tmp_path / "suite")
    short = made.manifest.model_copy(update={"files": {"parts/one.txt": made.manifest.files["parts/one.txt"]}})
    (made.path / MANIFEST).write_text(short.model_dump_json())
    with pytest.raises(UserError, match=r"manifest\.json: changed since the suite was made"):
        Artifact.open(made.path)


def test_an_artifact_of_an_older_revision_is_read(tmp_path: Path) -> None:
    made = make_artifact(tmp_path / "suite", replace(ORIGIN, revision=Revision(7)))
    assert Artifact.open(made.path).manifest.revision == 7


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    made = make_artifact(tmp_path / "suite")
    (made.path / "parts" / "one.txt").unlink()
    assert made.verify() == ["parts/one.txt: missing"]


def test_an_extra_file_is_named(tmp_path: Path) -> None:
    made = make_artifact(tmp_path / "suite")
    (made.path / "parts" / "two.txt").write_text("two")
    assert made.verify() == ["parts/two.txt: not in the manifest"]


def test_stages_kept_beside_an_artifact_are_not_part_of_it(tmp_path: Path) -> None:
    made = make_artifact(tmp_path / "suite")
    (made.path / "stages" / "documents").mkdir(parents=True)
    (made.path / "stages" / "documents" / "part.jsonl").write_text("{}\n")
    assert made.verify() == []


def test_a_folder_without_manifest_is_not_finished(tmp_path: Path) -> None:
    (tmp_path / "examples.jsonl").write_text("{}\n")
    assert read_manifest(tmp_path) is None
    with pytest.raises(UserError, match=r"no manifest\.json, so it is not a finished artifact"):
        Artifact.open(tmp_path)


def test_a_folder_that_is_not_there_is_a_user_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such folder"):
        Artifact.open(tmp_path / "none")


def test_an_artifact_of_another_kind_is_refused(tmp_path: Path) -> None:
    make_artifact(tmp_path / "suite")
    with pytest.raises(UserError, match="this is a suite, not a run"):
        Artifact.open(tmp_path / "suite", "run")


def test_an_edited_manifest_is_a_user_error(tmp_path: Path) -> None:
    made = make_artifact(tmp_path / "suite")
    manifest = made.path / MANIFEST
    manifest.write_text(manifest.read_text().replace('"seed": 0,', '"seeds": 0,', 1))
    with pytest.raises(UserError, match=r"manifest\.json: .*Was it edited"):
        Artifact.open(made.path)


def test_a_format_that_is_no_number_is_a_user_error(tmp_path: Path) -> None:
    made = make_artifact(tmp_path / "suite")
    manifest = made.path / MANIFEST
    manifest.write_text(manifest.read_text().replace(f'"format": {FORMAT}', '"format": true'))
    with pytest.raises(UserError, match=r"manifest\.json: format: .*valid integer.* Was it edited"):
        Artifact.open(made.path)


def test_the_same_files_and_origin_give_the_same_manifest_at_another_time(tmp_path: Path) -> None:
    first, second = make_artifact(tmp_path / "a", seconds=1.0), make_artifact(tmp_path / "b", seconds=9.0)
    assert (first.path / MANIFEST).read_bytes() == (second.path / MANIFEST).read_bytes()
    assert (first.path / ENVIRONMENT).read_bytes() != (second.path / ENVIRONMENT).read_bytes()


def test_what_a_killed_writer_left_is_swept_away(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / ".one.txt.tmp-4711").write_text("half")
    finish(tmp_path, ORIGIN, {}, {}, 0.0)
    assert list((tmp_path / "parts").iterdir()) == []


@pytest.mark.parametrize(
    "other",
    [
        replace(ORIGIN, kind="run"),
        replace(ORIGIN, name="small"),
        replace(ORIGIN, inputs={"source": "abd"}),
        replace(ORIGIN, settings={"seed": 1}),
        replace(ORIGIN, seed=1),
        replace(ORIGIN, revision=Revision(2)),
        replace(ORIGIN, revision=Revision(1, ("numpy",))),
    ],
    ids=["kind", "name", "inputs", "settings", "seed", "revision", "libraries"],
)
def test_the_fingerprint_depends_on_all_that_decides_the_content(other: ArtifactOrigin) -> None:
    assert other.fingerprint != ORIGIN.fingerprint


def test_the_fingerprint_does_not_depend_on_the_order_of_keys() -> None:
    a = replace(ORIGIN, inputs={"x": "1", "y": "2"}, settings={"p": 1, "q": 2})
    b = replace(ORIGIN, inputs={"y": "2", "x": "1"}, settings={"q": 2, "p": 1})
    assert a.fingerprint == b.fingerprint


@pytest.mark.parametrize("extra", ['"format": 3', '"format": 7, "unheard_of": true'])
def test_a_manifest_of_a_newer_format_is_refused_with_the_way_out(tmp_path: Path, extra: str) -> None:
    made = make_artifact(tmp_path / "suite")
    text = (made.path / MANIFEST).read_text()
    (made.path / MANIFEST).write_text(text.replace(f'"format": {FORMAT}', extra))
    with pytest.raises(UserError, match=r"in format \d by a newer version of constraintsuite.* Upgrade: pip install"):
        read_manifest(made.path)


@pytest.mark.parametrize(
    ("kind", "settings", "command"),
    [
        ("suite", {}, "csuite build"),
        ("suite", {"importer": "nevir"}, "csuite import nevir"),
        ("run", {}, "csuite eval"),
        ("bundle", {}, "csuite subset"),
        ("something", {}, "with the command that made it"),
    ],
)
def test_a_folder_of_an_earlier_format_is_refused_with_the_command_that_makes_it(
    tmp_path: Path, kind: str, settings: dict[str, str], command: str
) -> None:
    (tmp_path / MANIFEST).write_text(json.dumps({"format": 1, "kind": kind, "settings": settings}))
    with pytest.raises(UserError, match=rf"in format 1 by an earlier version .* make it again: {command}$"):
        Artifact.open(tmp_path, kind)


def test_a_stage_of_an_earlier_format_is_moved_away_with_the_whole_build(tmp_path: Path) -> None:
    stage = tmp_path / "suite" / "stages" / "kept"
    stage.mkdir(parents=True)
    (stage / MANIFEST).write_text(json.dumps({"format": 1, "kind": "stage", "name": "kept"}))
    with pytest.raises(UserError, match=rf"^{re.escape(str(tmp_path))}/suite: .* make it again: csuite build$"):
        read_manifest(stage)


@pytest.mark.parametrize(
    ("kind", "name", "told"),
    [
        ("run", "bm25", "Make it again with `csuite eval`, or get a good copy."),
        ("stage", "kept", "Make it again with `csuite build --from kept`, or get a good copy."),
        ("tune", "rule", "Move the folder away, then make it again with `csuite tune`, or get a good copy."),
        ("something", "odd", "Make it again, or get a good copy."),
    ],
)
def test_what_to_do_with_a_damaged_folder_is_something_that_helps(
    tmp_path: Path, kind: str, name: str, told: str
) -> None:
    made = make_artifact(tmp_path / "made", replace(ORIGIN, kind=kind, name=name))
    cut(made.path / "examples.jsonl")
    with pytest.raises(UserError, match=rf"was made\. {re.escape(told)}$"):
        made.refuse_changed()


@pytest.mark.parametrize("text", ["", "[]", '{"format": "new"}', "{broken"])
def test_a_manifest_that_is_none_is_refused_with_its_place(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(UserError, match=r"manifest\.json: .* Was it edited, or written by another version"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    ("kind", "command"), [("suite", "csuite build"), ("run", "csuite eval"), ("explain", "csuite explain")]
)
def test_a_folder_of_another_kind_is_answered_with_the_command_that_makes_the_right_one(
    tmp_path: Path, kind: str, command: str
) -> None:
    made = make_artifact(tmp_path / "report", replace(ORIGIN, kind="report"))
    article = "an" if kind == "explain" else "a"
    with pytest.raises(
        UserError, match=f"this is a report, not {article} {kind}. Give a folder that `{command}` wrote"
    ):
        Artifact.open(made.path, kind)


def test_versions_that_decide_neural_scores_are_told() -> None:
    neural = ["onnxruntime", "onnx", "tokenizers", "safetensors", "torch", "transformers", "sentence-transformers"]
    installed = {name: metadata.version(name) for name in neural if find_spec(name.replace("-", "_"))}
    assert installed.items() <= library_versions().items()
    assert "onnxruntime" in installed
