"""The recipe of a training: every setting, typed and frozen; an unknown key is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.statistics.pairwise import METRICS
from constraintsuite.core.store.jsonl import describe
from constraintsuite.core.store.yaml_files import read_yaml
from constraintsuite.experiments.ranking.summary import metric_of
from constraintsuite.tuning.losses import LOSSES, ModelKind
from constraintsuite.tuning.settings import (
    NAME,
    Data,
    DistilSettings,
    Evaluation,
    LossSettings,
    RankingEvaluation,
    SuiteEvaluation,
)

HeadChoice = Literal["auto", "fresh"]


class ShrinkSettings(StrictModel):
    """A smaller model made from a larger one; training has to recover its quality."""

    layers: int | None = Field(None, ge=1, description="how many layers stay, evenly spaced, including the last")
    hidden: int | None = Field(
        None, ge=8, description="width; a smaller one keeps only the main directions of the words"
    )
    heads: int | None = Field(None, ge=1, description="attention heads; by default as wide as they were")
    inner: int | None = Field(None, ge=8, description="width inside a layer; by default in the same proportion")
    positions: int | None = Field(None, ge=16, description="longest input in tokens")
    vocabulary: int | None = Field(None, ge=1, description="how many word pieces stay: the most frequent ones")
    vocabulary_from: tuple[str, ...] = Field((), description="corpora whose word pieces are counted")

    @model_validator(mode="after")
    def _counted_somewhere(self) -> ShrinkSettings:
        if (self.vocabulary is None) != (not self.vocabulary_from):
            raise ValueError("vocabulary and vocabulary_from belong together: how many pieces, and counted where")
        return self


class StartSettings(StrictModel):
    """The model that training starts from."""

    kind: ModelKind = "cross"
    model: str = Field(min_length=1, description="a folder, or a name that `csuite models` knows")
    head: HeadChoice = Field(
        "auto", description="of a cross-encoder; auto: the folder's own where it has one, else fresh"
    )
    shrink: ShrinkSettings | None = None

    @model_validator(mode="after")
    def _shrinks_alone(self) -> StartSettings:
        if self.shrink is not None and self.kind != "cross":
            raise ValueError("only a cross-encoder can be made smaller here; leave shrink out")
        return self


class LoraSettings(StrictModel):
    """Low-rank additions are trained instead of the weights, and merged into checkpoints."""

    rank: int = Field(8, ge=1)
    alpha: int = Field(16, ge=1)
    dropout: float = Field(0.0, ge=0, lt=1)
    targets: tuple[str, ...] = Field(("query", "key", "value", "dense"), min_length=1, description="names of layers")


class TaskSettings(StrictModel):
    """One task: its data, its loss, and how it is trained."""

    name: str = Field(pattern=NAME)
    data: Data
    loss: LossSettings
    epochs: int = Field(1, ge=1)
    batch: int = Field(32, ge=1, description="lists (pairs, triples) in a step")
    rate: float = Field(2e-5, gt=0, description="largest learning rate")
    warmup: float = Field(0.1, ge=0, lt=1, description="share of the steps in which the rate rises")
    schedule: Literal["linear", "cosine", "constant"] = "linear"
    decay: float = Field(0.01, ge=0, description="weight decay")
    clip: float = Field(1.0, gt=0, description="longest gradient")
    length: int = Field(256, ge=8, description="tokens of an input, special ones included")
    replay: float = Field(
        0.0, ge=0, le=4, description="lists of earlier tasks in an epoch, as a share of this task's own"
    )
    lora: LoraSettings | None = None
    freeze: tuple[str, ...] = Field((), description="parts that are not trained: embeddings, layer.0, ...")


class SelectionSettings(StrictModel):
    """Which checkpoint of a task is selected: the best on one of the evaluations, the earliest of equals."""

    evaluation: str
    metric: str = "paired_accuracy"
    part: str = "overall"


class TuneRecipe(StrictModel):
    """Everything that decides a training."""

    name: str = Field("tuned", pattern=NAME)
    start: StartSettings
    tasks: tuple[TaskSettings, ...] = Field(min_length=1)
    seeds: tuple[Annotated[int, Field(ge=0)], ...] = Field((0,), min_length=1)
    evaluation: tuple[Evaluation, ...] = ()
    selection: SelectionSettings | None = Field(None, description="none: the last epoch of each task is selected")
    exclude: tuple[Path, ...] = Field(
        (), description="files or folders of JSON lines whose texts must not be trained on"
    )
    device: Literal["auto", "cpu", "cuda"] = "auto"
    precision: Literal["auto", "fp32", "bf16"] = Field("auto", description="auto: bf16 where there is a GPU, else fp32")
    save: Literal["fp32", "fp16"] = Field("fp32", description="numbers in the checkpoints")
    threads: int | None = Field(None, ge=1, description="processor threads; results can depend on their number")

    @model_validator(mode="after")
    def _consistent(self) -> TuneRecipe:
        _refuse_repeated("tasks", [task.name for task in self.tasks])
        _refuse_repeated("evaluation", [one.name for one in self.evaluation])
        _refuse_repeated("seeds", [str(seed) for seed in self.seeds])
        if "start" in {task.name for task in self.tasks}:
            raise ValueError("a task cannot be called start: that is the model before the first one")
        for place, task in enumerate(self.tasks):
            self._check_loss(f"tasks.{place}.loss", task.loss)
        if self.tasks[0].replay:
            raise ValueError("tasks.0.replay: before the first task there is nothing to replay")
        self._check_selection()
        return self

    def _check_loss(self, where: str, loss: LossSettings) -> None:
        losses = LOSSES[self.start.kind]
        if loss.kind not in losses:
            models = "cross-encoders" if self.start.kind == "cross" else "bi-encoders"
            raise ValueError(f"{where}: no loss of {models} is called {loss.kind!r}; there are: {', '.join(losses)}")
        weighted = isinstance(loss, DistilSettings) and (loss.teacher, loss.source) != (None, None)
        if self.start.kind == "dense" and weighted:
            raise ValueError(
                f"{where}: teacher and source weigh the two parts of a cross-encoder's loss; a bi-encoder's loss has one"
            )

    def _check_selection(self) -> None:
        if self.selection is None:
            return
        chosen = next((one for one in self.evaluation if one.name == self.selection.evaluation), None)
        if chosen is None:
            named = ", ".join(one.name for one in self.evaluation) or "none"
            raise ValueError(
                f"selection.evaluation: no evaluation is called {self.selection.evaluation!r}; there are: {named}"
            )
        if not _is_goal(self.selection.metric):
            raise ValueError(
                f"selection.metric: more {self.selection.metric} is not better. Take one that is, such as paired_accuracy"
            )
        if isinstance(chosen, SuiteEvaluation) and chosen.split != "dev":
            raise ValueError(
                f"selection.evaluation: {chosen.name} is not of the split dev. The peak of a test curve says nothing: "
                "give an evaluation with `split: dev`"
            )
        if isinstance(chosen, RankingEvaluation) and not chosen.dev:
            raise ValueError(
                f"selection.evaluation: {chosen.name} would be selected on. If its judgments are for development, say `dev: true`"
            )

    @classmethod
    def read(cls, path: Path) -> TuneRecipe:
        """Read a recipe from a YAML file. Raises UserError that names a wrong or unknown key."""
        data: Any = read_yaml(path, "recipe")
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise UserError(f"{path}: {describe(error)}") from None


def _is_goal(metric: str) -> bool:
    """Whether more is better: not for metrics that should be low, nor for those in the unit of the scores, which grow."""
    known = METRICS.get(metric) or metric_of(metric)
    return not (known.lower_is_better or known.own_unit)


def _refuse_repeated(what: str, names: list[str]) -> None:
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise ValueError(f"{what}: {repeated!r} occurs twice")
