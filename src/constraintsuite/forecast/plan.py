"""Estimate time, memory, storage and money of a recipe on a cluster, from samples that are built here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.experiments.scoring import documents_of, pairs_of
from constraintsuite.forecast.amounts import AmountFormat, in_bytes, in_money, in_range, in_time
from constraintsuite.forecast.cluster import Cluster, Prices
from constraintsuite.forecast.growth import Range
from constraintsuite.forecast.lines import (
    ForecastLine,
    check_threads,
    memory_lines,
    money_lines,
    rate_line,
    source_line,
    start_line,
    step_line,
    storage_lines,
    total,
)
from constraintsuite.forecast.notes import alarms_of, notes_on
from constraintsuite.forecast.rates import TEXTS, Rate, made_up_pairs, measure_encoder, measure_scorer
from constraintsuite.forecast.sample_builds import build_samples, draw_samples
from constraintsuite.forecast.sampling import READ_SECONDS, draw_documents, reading_seconds
from constraintsuite.forecast.steps import estimate_pairs, estimate_steps
from constraintsuite.models.model_names import check_models
from constraintsuite.suites.build import resolve
from constraintsuite.suites.examples import read_examples
from constraintsuite.suites.recipe import Recipe

_NO_PRICES = Prices()


@dataclass(frozen=True)
class BuildForecast:
    """What a build will take, line by line."""

    recipe: str
    documents: int
    sample: int
    """Documents of the larger samples."""
    cluster: Cluster
    time: tuple[ForecastLine, ...]
    memory: tuple[ForecastLine, ...]
    storage: tuple[ForecastLine, ...]
    money: tuple[ForecastLine, ...]
    alarms: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def seconds(self) -> Range:
        """The time of all lines."""
        return total(self.time)

    @property
    def stored(self) -> Range:
        """The bytes of all lines."""
        return total(self.storage)

    def in_words(self) -> str:
        """The plan as text: sums, alarms, lines, notes."""
        parts = [
            f"{self.recipe}: {self.documents:,} documents on {self.cluster.in_words()}",
            f"{in_range(self.seconds, in_time)}; {in_range(self.stored, in_bytes)} of storage",
        ]
        parts += [f"\n{alarm}" for alarm in self.alarms]
        parts += _table("Time", self.time, in_time, self.seconds)
        parts += _table("Memory", self.memory, in_bytes)
        parts += _table("Storage", self.storage, in_bytes, self.stored)
        if self.money:
            parts += _table("Money", self.money, in_money, total(self.money))
        parts += ["", *(f"- {note}" for note in self.notes)]
        return "\n".join(parts)

    def as_record(self) -> dict[str, object]:
        """The plan as data, in seconds and bytes."""
        sums = {"seconds": self.seconds._asdict(), "bytes": self.stored._asdict()}
        record = asdict(self) | sums
        for name in ("time", "memory", "storage", "money"):
            record[name] = [
                {"name": line.name, "arithmetic": line.arithmetic, **line.amount._asdict()}
                for line in getattr(self, name)
            ]
        return record


def _table(title: str, lines: Sequence[ForecastLine], shown: AmountFormat, whole: Range | None = None) -> list[str]:
    rows = [f"  {line.name:<16} {line.arithmetic} = {in_range(line.amount, shown)}" for line in lines]
    if whole is not None:
        rows.append(f"  {'in all':<16} {in_range(whole, shown)}")
    return ["", title, *rows]


def plan_recipe(  # noqa: PLR0913 - one parameter per option of the command
    recipe: Recipe,
    cluster: Cluster,
    scratch: Path,
    reporter: Reporter,
    *,
    prices: Prices = _NO_PRICES,
    embed: str | None = None,
    evaluate: str | None = None,
    documents: int | None = None,
    sample: int = 2_000,
    draws: int = 2,
) -> BuildForecast:
    """Build samples in the folder `scratch`, measure the models `embed` and `evaluate`, and extrapolate.

    `documents` is the size of the corpus, counted if not given. There are `draws` larger samples of `sample` documents, each
    with a smaller one that is a part of it: a quarter or a half, in turn.
    """
    models = [model for model in (embed, evaluate) if model is not None]
    check_models(models)
    for model in models:
        check_threads(model, cluster)
    recipe = resolve(recipe)
    reporter.note(f"{recipe.name}: reading documents, for at most {READ_SECONDS:.0f} s")
    drawn = draw_documents(recipe, sample, draws)
    count = documents or (drawn.read if drawn.whole else drawn.known or drawn.read)
    if count <= sample:
        reporter.note(
            f"{count:,} documents are no more than a sample has: building the suite takes less time than this plan."
        )
    corpora = draw_samples(drawn, scratch)
    samples = build_samples(recipe, corpora, count, reporter, spread=cluster.all_workers > 1)
    texts = [document.text for document in corpora[1].documents]
    rates: dict[str, Rate] = {}
    if embed is not None:
        reporter.note(f"{embed}: measuring")
        rates["embed"] = measure_encoder(embed, texts[: 4 * TEXTS])
    if evaluate is not None:
        reporter.note(f"{evaluate}: measuring")
        examples = read_examples(corpora[1].suite)
        pairs = pairs_of(examples) if examples else made_up_pairs(texts[: 4 * TEXTS])
        rates["eval"] = measure_scorer(evaluate, pairs, documents_of(examples) if examples else texts)
    for rate in rates.values():
        if rate.on_gpu and not cluster.gpus:
            raise UserError(
                f"{rate.model} was measured on a GPU ({rate.device}). Say with --gpus how many there will be."
            )
    steps = estimate_steps(recipe, samples, count, cluster)
    slower = drawn.seconds - reading_seconds(corpora[1].recipe)
    pairs_to_score = estimate_pairs(recipe, samples, count)
    time = [
        start_line(samples, cluster),
        *([source_line(slower, count)] if slower > 0 else []),
        *(step_line(step, cluster) for step in steps),
        *([rate_line("embed", rates["embed"], count, cluster)] if "embed" in rates else []),
        *([rate_line("eval", rates["eval"], pairs_to_score, cluster)] if "eval" in rates and pairs_to_score else []),
    ]
    storage = storage_lines(steps, rates.get("embed"), count)
    return BuildForecast(
        recipe.name,
        count,
        len(texts),
        cluster,
        tuple(time),
        tuple(memory_lines(recipe, samples, count, cluster)),
        tuple(storage),
        tuple(money_lines(total(time), total(storage), cluster, prices)),
        tuple(alarms_of(recipe, samples, count, cluster)),
        notes_on(recipe, drawn, samples, steps, list(rates.values()), cluster, count, given=documents is not None),
    )
