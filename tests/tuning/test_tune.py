"""The whole training on tiny models: what is learnt, what is written, and what a killed process leaves."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.models.base import Workbench
from constraintsuite.models.model_names import load_scorer
from constraintsuite.tuning.tune import tune
from tuning.models import TOPICS
from tuning.trials import SPLITS, Noting, points, recipe, weights


def test_a_planted_rule_is_learnt_and_the_loss_goes_down(place: Path, tmp_path: Path) -> None:
    evaluation = [{"name": "dev", "suite": place / "suite", "split": "dev"}]
    artifact = tune(recipe(place, {"name": "rule", "epochs": 4}, evaluation=evaluation), tmp_path / "out", Silent())
    losses = [point.value for point in points(artifact, metric="loss") if point.value is not None]
    assert len(losses) == 4
    assert losses[-1] < 0.5 * losses[0]
    accuracy = [point.value for point in points(artifact, metric="accuracy", part="overall")]
    assert accuracy[-1] == 1.0


def test_the_same_seed_is_the_same_bytes_and_another_is_not(place: Path, tmp_path: Path) -> None:
    first, again, other = (
        tune(recipe(place, {"name": "rule", "epochs": 1}, seeds=[seed]), tmp_path / name, Silent())
        for name, seed in (("first", 3), ("again", 3), ("other", 4))
    )
    assert first.manifest.content == again.manifest.content
    assert weights(first.path)["seed3-01-rule-01"] != weights(other.path)["seed4-01-rule-01"]


KILLED = """
import os, signal, sys
from contextlib import contextmanager
from pathlib import Path
from constraintsuite.core.execution.progress import Silent
from constraintsuite.tuning.recipe import TuneRecipe
from constraintsuite.tuning.tune import tune

class Killing(Silent):
    @contextmanager
    def track(self, title, total):
        steps = []
        def advance(items=1):
            steps.append(items)
            if title == "seed0-01-rule-02" and len(steps) == 3:
                os.kill(os.getpid(), signal.SIGKILL)
        yield advance

tune(TuneRecipe.model_validate_json(Path(sys.argv[1]).read_text()), Path(sys.argv[2]), Killing())
"""


def test_a_killed_training_goes_on_and_ends_with_the_same_bytes(place: Path, tmp_path: Path) -> None:
    settings = recipe(place, {"name": "rule", "epochs": 3}, {"name": "more", "epochs": 1, "replay": 0.5})
    whole, out = tune(settings, tmp_path / "whole", Silent()), tmp_path / "killed"
    (tmp_path / "recipe.json").write_text(settings.model_dump_json())
    command = [sys.executable, "-c", KILLED, str(tmp_path / "recipe.json"), str(out)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert not (out / "manifest.json").exists()
    first = out / "checkpoints" / "seed0-01-rule-01" / "model.safetensors"
    written = first.stat().st_mtime_ns
    resumed = tune(settings, out, Silent())
    assert first.stat().st_mtime_ns == written  # not trained again
    assert resumed.manifest.content == whole.manifest.content
    assert not resumed.verify()


def test_a_finished_training_is_not_done_again(place: Path, tmp_path: Path) -> None:
    settings = recipe(place, {"name": "rule", "epochs": 1})
    first = tune(settings, tmp_path / "out", Silent())
    manifest = tmp_path / "out" / "manifest.json"
    written = manifest.stat().st_mtime_ns
    assert tune(settings, tmp_path / "out", Silent()) == first
    assert manifest.stat().st_mtime_ns == written


def test_a_finished_training_of_which_a_file_was_changed_is_not_called_up_to_date(place: Path, tmp_path: Path) -> None:
    settings = recipe(place, {"name": "rule", "epochs": 1})
    tune(settings, tmp_path / "out", Silent())
    (tmp_path / "out" / "curves.jsonl").write_text("{}\n")
    with pytest.raises(
        UserError, match=r"changed since .* Move the folder away, then make it again with `csuite tune`"
    ):
        tune(settings, tmp_path / "out", Silent())


def test_other_settings_never_touch_what_lies_there(place: Path, tmp_path: Path) -> None:
    tune(recipe(place, {"name": "rule", "epochs": 1}), tmp_path / "out", Silent())
    before = weights(tmp_path / "out")
    with pytest.raises(UserError, match="made from other inputs, settings or versions"):
        tune(recipe(place, {"name": "rule", "epochs": 1, "rate": 1e-3}), tmp_path / "out", Silent())
    assert weights(tmp_path / "out") == before


def test_a_folder_with_something_else_is_left_as_it_is(place: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(UserError, match=r"mine\.txt: this is not part of the tune"):
        tune(recipe(place), tmp_path / "out", Silent())
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_tasks_follow_each_other_and_the_best_on_dev_is_handed_on(place: Path, tmp_path: Path) -> None:
    settings = recipe(
        place,
        {"name": "suite", "data": {"kind": "suite", "suite": place / "suite"}, "batch": 4},
        {"name": "rule", "epochs": 1},
        evaluation=[
            {"name": "dev", "suite": place / "suite", "split": "dev"},
            {"name": "test", "suite": place / "suite", "split": "test"},
        ],
        selection={"evaluation": "dev", "metric": "accuracy"},
    )
    artifact = tune(settings, tmp_path / "out", Silent())
    selected = json.loads((artifact.path / "selected.json").read_text())
    assert [(one["task"], one["by"]) for one in selected] == [
        ("suite", "dev accuracy overall"),
        ("rule", "dev accuracy overall"),
    ]
    for one in selected:
        own = points(artifact, task=one["task"], evaluation="dev", metric="accuracy", part="overall")
        assert one["value"] == max(point.value for point in own if point.value is not None)
    assert {point.checkpoint for point in points(artifact)} == {
        path.name for path in artifact.path.glob("checkpoints/*")
    }


def test_a_task_begins_with_what_the_one_before_it_selected(place: Path, tmp_path: Path) -> None:
    still = {"name": "still", "epochs": 1, "rate": 1e-30, "decay": 0}
    settings = recipe(
        place,
        {"name": "rule", "epochs": 5},
        still,
        evaluation=[{"name": "dev", "suite": place / "suite", "split": "dev"}],
        selection={"evaluation": "dev", "metric": "accuracy"},
    )
    artifact = tune(settings, tmp_path / "out", Silent())
    selected = json.loads((artifact.path / "selected.json").read_text())[0]["checkpoint"]
    assert selected not in ("seed0-01-rule-05", "seed0-00-start")  # the earliest of those that get all right
    own = weights(artifact.path)
    assert own["seed0-02-still-01"] == own[selected]


def test_earlier_tasks_are_replayed(place: Path, tmp_path: Path) -> None:
    suite = {"name": "suite", "data": {"kind": "suite", "suite": place / "suite"}, "batch": 4, "epochs": 1}
    said = Noting()
    artifact = tune(recipe(place, suite, {"name": "rule", "replay": 1.0, "epochs": 1}), tmp_path / "out", said)
    assert (
        points(artifact, task="rule", metric="loss")[0].steps == 6 + 1
    )  # its own triples, and a batch that is replayed
    assert "seed0-02-rule-01: replay asks for 120 lists, and the earlier tasks have 8" in said.notes


def test_several_seeds_are_trainings_of_their_own(place: Path, tmp_path: Path) -> None:
    both = tune(recipe(place, {"name": "rule", "epochs": 1}, seeds=[3, 4]), tmp_path / "both", Silent())
    alone = tune(recipe(place, {"name": "rule", "epochs": 1}, seeds=[4]), tmp_path / "alone", Silent())
    assert weights(both.path)["seed4-01-rule-01"] == weights(alone.path)["seed4-01-rule-01"]
    assert weights(both.path)["seed3-01-rule-01"] != weights(alone.path)["seed4-01-rule-01"]
    assert [(point.seed, point.epoch) for point in points(both, metric="loss") if point.value] == [(3, 1), (4, 1)]


def test_the_loss_of_an_epoch_is_the_mean_of_its_own_steps(place: Path, tmp_path: Path) -> None:
    artifact = tune(recipe(place, {"name": "rule", "epochs": 3}), tmp_path / "out", Silent())
    found = [(point.steps, point.n) for point in points(artifact, metric="loss")]
    assert found == [(0, 0), (6, 6), (12, 6), (18, 6)]


def test_training_reads_the_training_split_only(place: Path, tmp_path: Path) -> None:
    data = {"kind": "suite", "suite": place / "suite", "roles": ["query"]}
    artifact = tune(recipe(place, {"name": "suite", "data": data, "epochs": 1}), tmp_path / "out", Silent())
    texts = (artifact.path / "stages" / "data" / "suite" / "texts.jsonl").read_text()
    assert artifact.manifest.counts["suite lists"] == len(TOPICS)
    assert [word in texts for word in SPLITS.values()] == [True, False, False]


def test_forbidden_texts_are_left_out_and_counted(place: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (place / "triples.jsonl").read_text().splitlines()]
    (tmp_path / "test.jsonl").write_text(json.dumps({"id": "x", "doc": rows[0]["positive"].upper() + "!"}) + "\n")
    artifact = tune(
        recipe(place, {"name": "rule", "epochs": 1}, exclude=[tmp_path / "test.jsonl"]), tmp_path / "out", Silent()
    )
    gone = sum(row["positive"] == rows[0]["positive"] for row in rows)
    assert artifact.manifest.rejects["rule forbidden_list"] == gone
    assert artifact.manifest.counts["rule lists"] == len(rows) - gone


@pytest.mark.parametrize("kind", ["cross", "dense"])
def test_every_checkpoint_is_a_model_that_scores(place: Path, tmp_path: Path, kind: str) -> None:
    start = {"kind": kind, "model": str(place / kind)}
    artifact = tune(recipe(place, {"name": "rule", "epochs": 1}, start=start), tmp_path / "out", Silent())
    folders = sorted(artifact.path.glob("checkpoints/*"))
    pairs = [("soup without nuts", "the soup is rich in nuts ."), ("soup", "a fresh pie")]
    scores = [load_scorer(f"{kind}:{folder},backend=torch", Workbench()).score(pairs) for folder in folders]
    assert len(scores) == 2
    assert np.isfinite(scores).all()
    assert not np.allclose(scores[0], scores[1])


def test_plain_retrieval_is_measured_beside_the_task(place: Path, tmp_path: Path) -> None:
    corpus = [{"_id": f"d{n}", "text": f"the {topic} is rich"} for n, topic in enumerate(TOPICS)]
    beir = tmp_path / "beir"
    (beir / "qrels").mkdir(parents=True)
    (beir / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in corpus))
    queries = [{"_id": "q1", "text": "rich soup"}, {"_id": "q2", "text": "rich pie"}]
    (beir / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in queries))
    (beir / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td0\t1\nq2\td1\t1\n")
    plain = {"name": "plain", "ranking": {"source": str(beir)}, "first": "bm25", "depth": 4}
    artifact = tune(recipe(place, {"name": "rule", "epochs": 1}, evaluation=[plain]), tmp_path / "out", Silent())
    found = points(artifact, evaluation="plain", metric="nDCG@10", part="overall")
    assert [point.checkpoint for point in found] == ["seed0-00-start", "seed0-01-rule-01"]
    assert all(point.n == 2 and point.value is not None and 0 < point.value <= 1 for point in found)
    assert {point.value for point in points(artifact, metric="nDCG@10", part="first")} == {1.0}  # BM25 by itself


def test_checkpoints_of_half_precision_are_half_as_large_and_score_on_every_backend(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    whole, half = (
        tune(recipe(place, {"name": "rule", "epochs": 1}, save=save), tmp_path / save, Silent())
        for save in ("fp32", "fp16")
    )
    name = "checkpoints/seed0-01-rule-01"
    sizes = [(one.path / name / "model.safetensors").stat().st_size for one in (whole, half)]
    assert sizes[1] < 0.6 * sizes[0]
    pairs = [("soup without nuts", "the soup is rich in nuts ."), ("soup", "a fresh pie")]
    models = [(whole, "torch"), (half, "torch"), (half, "onnx")]
    scores = [load_scorer(f"cross:{one.path / name},backend={b}", Workbench()).score(pairs) for one, b in models]
    assert np.allclose(scores[0], scores[1], atol=0.02)
    assert np.allclose(scores[1], scores[2], atol=1e-4)


def test_a_metric_that_nothing_can_be_selected_by_is_told_before_the_first_epoch(place: Path, tmp_path: Path) -> None:
    evaluation = [{"name": "dev", "suite": place / "suite", "split": "dev"}]
    settings = recipe(place, evaluation=evaluation, selection={"evaluation": "dev", "metric": "nDCG@10"})
    with pytest.raises(UserError, match="dev has no nDCG@10 of overall"):
        tune(settings, tmp_path / "out", Silent())
    assert [folder.name for folder in (tmp_path / "out" / "checkpoints").iterdir()] == ["seed0-00-start"]
