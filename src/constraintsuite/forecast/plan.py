"""Time, memory, storage and money of a recipe on a cluster, from samples that are really built here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.execution.progress import Reporter
from constraintsuite.experiments.scoring import documents_of, pairs_of
from constraintsuite.forecast import lines as made
from constraintsuite.forecast.alarms import alarms_of
from constraintsuite.forecast.building import SampleFolder, build_samples
from constraintsuite.forecast.cluster import Cluster, Prices
from constraintsuite.forecast.forecast import BuildForecast
from constraintsuite.forecast.lines import ForecastLine, total
from constraintsuite.forecast.memory_lines import memory_lines
from constraintsuite.forecast.model_lines import check_threads, rate_line
from constraintsuite.forecast.notes import notes_on
from constraintsuite.forecast.rates import TEXTS, Rate, made_up_pairs, measure_encoder, measure_scorer
from constraintsuite.forecast.sampling import READ_SECONDS, Taken, reading_seconds, take
from constraintsuite.forecast.steps import Samples, StepCost, foretell_pairs, foretell_steps
from constraintsuite.models.naming import check_models
from constraintsuite.suites.build import resolve
from constraintsuite.suites.examples import read_examples
from constraintsuite.suites.recipe import Recipe


@dataclass(frozen=True)
class Sampling:
    """What is looked at here."""

    size: int = 2_000
    """Documents of the larger samples."""
    draws: int = 2
    """Samples of that size, each with a part of it: a quarter of one, a half of the next, and so on in turn."""


@dataclass(frozen=True)
class Models:
    """What else will be done."""

    embed: str | None = None
    evaluate: str | None = None

    @property
    def named(self) -> list[str]:
        """Those there are."""
        return [model for model in (self.embed, self.evaluate) if model is not None]


@dataclass(frozen=True)
class _Measured:
    """All that was found out here."""

    recipe: Recipe
    documents: int
    given: bool
    """Whether somebody said how many documents there are."""
    taken: Taken
    samples: Samples
    slower: float
    """Seconds a document by which the source is slower to read than the samples."""
    embed: Rate | None
    evaluate: Rate | None


def plan_recipe(
    recipe: Recipe,
    cluster: Cluster,
    scratch: Path,
    reporter: Reporter,
    *,
    prices: Prices | None = None,
    models: Models | None = None,
    documents: int | None = None,
    sampling: Sampling | None = None,
) -> BuildForecast:
    """Build samples in the folder `scratch`, measure the models, and work out the rest."""
    models = models or Models()
    check_models(models.named)
    for model in models.named:
        check_threads(model, cluster)
    found = _measure(
        resolve(recipe), cluster, SampleFolder(scratch), reporter, models, documents, sampling or Sampling()
    )
    return _work_out(found, cluster, prices or Prices())


def _measure(
    recipe: Recipe,
    cluster: Cluster,
    ground: SampleFolder,
    reporter: Reporter,
    models: Models,
    documents: int | None,
    sampling: Sampling,
) -> _Measured:
    reporter.note(f"{recipe.name}: reading documents, for at most {READ_SECONDS:.0f} s")
    taken = take(recipe, sampling.size, sampling.draws)
    count = documents or (taken.read if taken.whole else taken.known or taken.read)
    if count <= sampling.size:
        reporter.note(
            f"{count:,} documents are no more than a sample has: building them takes less time than this plan."
        )
    samples = build_samples(recipe, taken, count, ground, reporter, spread=cluster.all_workers > 1)
    size = len(taken.draws[0])
    slower = taken.seconds - reading_seconds(ground.recipe(0, size))
    texts = [document.text for document in taken.draws[0]]
    embed = _rate(models.embed, _encoder_rate, texts, ground.suite(0, size), cluster, reporter)
    evaluate = _rate(models.evaluate, _scorer_rate, texts, ground.suite(0, size), cluster, reporter)
    return _Measured(recipe, count, documents is not None, taken, samples, slower, embed, evaluate)


def _rate(
    model: str | None,
    measure: Callable[[str, Sequence[str], Path], Rate],
    texts: Sequence[str],
    suite: Path,
    cluster: Cluster,
    reporter: Reporter,
) -> Rate | None:
    """The speed of a model, where one is named."""
    if model is None:
        return None
    reporter.note(f"{model}: measuring")
    rate = measure(model, texts, suite)
    if rate.on_gpu and not cluster.gpus:
        raise UserError(
            f"{model} was measured on a graphics card ({rate.device}): say with --gpus how many there will be."
        )
    return rate


def _encoder_rate(model: str, texts: Sequence[str], suite: Path) -> Rate:
    """On texts of the sample."""
    return measure_encoder(model, texts[: 4 * TEXTS])


def _scorer_rate(model: str, texts: Sequence[str], suite: Path) -> Rate:
    """On pairs of the suite that came of the sample."""
    examples = read_examples(suite)
    pairs = pairs_of(examples) if examples else made_up_pairs(texts[: 4 * TEXTS])
    return measure_scorer(model, pairs, documents_of(examples) if examples else texts)


def _work_out(found: _Measured, cluster: Cluster, prices: Prices) -> BuildForecast:
    """From what was measured to the whole."""
    steps = foretell_steps(found.recipe, found.samples, found.documents, cluster)
    time = tuple(_time_lines(found, steps, cluster))
    storage = made.storage_lines(steps, found.embed, found.documents)
    return BuildForecast(
        found.recipe.name,
        found.documents,
        len(found.taken.draws[0]),
        cluster,
        time,
        tuple(memory_lines(found.recipe, found.samples, found.documents, cluster)),
        tuple(storage),
        tuple(made.money_lines(total(time), total(storage), cluster, prices)),
        tuple(alarms_of(found.recipe, found.samples, found.documents, cluster)),
        notes_on(
            found.recipe,
            found.taken,
            found.samples,
            steps,
            (found.embed, found.evaluate),
            cluster,
            found.documents,
            given=found.given,
        ),
    )


def _time_lines(found: _Measured, steps: Sequence[StepCost], cluster: Cluster) -> Iterator[ForecastLine]:
    yield made.start_line(found.samples, cluster)
    if found.slower > 0:
        yield made.source_line(found.slower, found.documents)
    for step in steps:
        yield made.step_line(step, cluster)
    yield made.sweep_line(found.samples, found.documents)
    if found.embed is not None:
        yield rate_line("embed", found.embed, found.documents, cluster)
    pairs = foretell_pairs(found.recipe, found.samples, found.documents)
    if found.evaluate is not None and pairs:
        yield rate_line("eval", found.evaluate, pairs, cluster)
