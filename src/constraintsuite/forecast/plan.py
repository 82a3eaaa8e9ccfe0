"""Time, memory, storage and money of a recipe on a cluster, from samples that are really built here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from constraintsuite.build.build import resolve
from constraintsuite.build.recipe import Recipe
from constraintsuite.build.stages.viewing import read_examples
from constraintsuite.errors import UserError
from constraintsuite.evaluate.scoring import documents_of, pairs_of
from constraintsuite.execution.progress import Reporter
from constraintsuite.forecast import lines as made
from constraintsuite.forecast.amounts import Shown, in_bytes, in_money, in_range, in_time
from constraintsuite.forecast.cluster import Cluster, Prices
from constraintsuite.forecast.costs import BuildCost
from constraintsuite.forecast.growth import Range
from constraintsuite.forecast.lines import Line, total
from constraintsuite.forecast.notes import notes_on
from constraintsuite.forecast.probe import watch_build
from constraintsuite.forecast.rates import TEXTS, Rate, made_up_pairs, measure_encoder, measure_scorer
from constraintsuite.forecast.sampling import Taken, reading_seconds, take, write_sample
from constraintsuite.forecast.steps import Samples, foretell_examples, foretell_steps
from constraintsuite.models.naming import check_models

_PARTS = (4, 2)
_PAIRS = 6
"""Of an example: three queries, two texts."""
_LEAST_EFFICIENCY = 0.3


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


@dataclass(frozen=True)
class Forecast:
    """The plan."""

    recipe: str
    documents: int
    sample: int
    """Documents of the larger samples."""
    cluster: Cluster
    time: tuple[Line, ...]
    memory: tuple[Line, ...]
    storage: tuple[Line, ...]
    money: tuple[Line, ...]
    alarms: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def seconds(self) -> Range:
        """Of all of it."""
        return total(self.time)

    @property
    def stored(self) -> Range:
        """Bytes of all of it."""
        return total(self.storage)

    def in_words(self) -> str:
        """The plan for a person."""
        parts = [f"{self.recipe}: {self.documents:,} documents"]
        parts += _table("Time", self.time, in_time, total(self.time))
        parts += _table("Memory", self.memory, in_bytes)
        parts += _table("Storage", self.storage, in_bytes, total(self.storage))
        if self.money:
            parts += _table("Money", self.money, in_money, total(self.money))
        parts += ["", *self.alarms, *(f"- {note}" for note in self.notes)]
        return "\n".join(parts)

    def as_json(self) -> str:
        """The plan for a program: seconds and bytes."""
        sums = {"seconds": self.seconds._asdict(), "bytes": self.stored._asdict()}
        record = asdict(self) | sums
        for name in ("time", "memory", "storage", "money"):
            record[name] = [
                {"name": line.name, "arithmetic": line.arithmetic, **line.amount._asdict()}
                for line in getattr(self, name)
            ]
        return json.dumps(record, indent=2, ensure_ascii=False)


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
) -> Forecast:
    """Build samples in the folder `scratch`, measure the models, and work out the rest."""
    recipe, models, sampling = resolve(recipe), models or Models(), sampling or Sampling()
    check_models([model for model in (models.embed, models.evaluate) if model is not None])
    taken = take(recipe, sampling.size, sampling.draws)
    count = documents or (taken.read if taken.whole else taken.known or taken.read)
    samples = _watch(recipe, taken, count, cluster, scratch, reporter)
    steps = foretell_steps(recipe, samples, count, cluster)
    size = len(taken.draws[0])
    embed, scorer = _measure(models, taken, _built(scratch, 0, size), cluster, reporter)
    slower = taken.seconds - reading_seconds(_sample(scratch, 0, size) / "recipe.yaml")
    time = [*_before(samples, slower, count), *(made.step_line(step, cluster) for step in steps)]
    if embed is not None:
        time.append(made.rate_line("embed", embed, count, cluster))
    if scorer is not None:
        time.append(made.rate_line("eval", scorer, _pairs(recipe, samples, count), cluster))
    memory = made.memory_lines(samples, count, cluster)
    storage = made.storage_lines(steps, embed, count)
    alarm = made.memory_alarm(memory, cluster)
    return Forecast(
        recipe.name,
        count,
        size,
        cluster,
        tuple(time),
        tuple(memory),
        tuple(storage),
        tuple(made.money_lines(total(time), total(storage), cluster, prices or Prices())),
        () if alarm is None else (alarm,),
        notes_on(recipe, taken, samples, steps, (embed, scorer), cluster, count, given=documents is not None),
    )


def _before(samples: Samples, slower: float, documents: int) -> Iterator[Line]:
    """What comes before the first step, and with it where the source is slower to read than the samples."""
    start = samples.mean(lambda build: build.start.own)
    yield Line("start", "the program is loaded", Range(start, start, start))
    if slower > 0:
        yield made.source_line(slower, documents)


def _watch(recipe: Recipe, taken: Taken, count: int, cluster: Cluster, scratch: Path, reporter: Reporter) -> Samples:
    """Build every draw, and a part of it; and where several workers are planned, one once more alone, to compare."""
    workers = 1 if cluster.all_workers == 1 else 2
    large = len(taken.draws[0])
    plan = [(number, size) for number in range(len(taken.draws)) for size in (large // _PARTS[number % 2], large)]
    for number, size in plan:
        write_sample(recipe, taken.draws[number][:size], size / count, _sample(scratch, number, size))
    with reporter.track("samples", len(plan) + (workers > 1)) as advance:

        def build(number: int, size: int, workers: int, name: str = "") -> BuildCost:
            out = _built(scratch, number, size)
            folder = out.with_name(f"{out.name}{name}")
            cost = watch_build(_sample(scratch, number, size) / "recipe.yaml", folder, workers, size)
            advance()
            return cost

        costs = [build(number, size, workers) for number, size in plan]
        alone = build(0, large, 1, "-alone") if workers > 1 else costs[1]
    efficiency = min(1.0, max(_LEAST_EFFICIENCY, _warm(alone) / _warm(costs[1])))
    return Samples(tuple(costs[::2]), tuple(costs[1::2]), efficiency)


def _warm(build: BuildCost) -> float:
    return max(1e-9, sum(each.warm for stage in build.stages for each in stage.maps))


def _sample(scratch: Path, number: int, size: int) -> Path:
    return scratch / f"sample-{number}-{size}"


def _built(scratch: Path, number: int, size: int) -> Path:
    return scratch / f"suite-{number}-{size}"


def _measure(
    models: Models, taken: Taken, suite: Path, cluster: Cluster, reporter: Reporter
) -> tuple[Rate | None, Rate | None]:
    """The encoder on texts of the sample, the scorer on pairs of its suite."""
    texts = [document.text for document in taken.draws[0]]
    rates: list[Rate | None] = []
    for model, measure in ((models.embed, _measure_encoder), (models.evaluate, _measure_scorer)):
        if model is None:
            rates.append(None)
            continue
        reporter.note(f"{model}: measuring")
        rate = measure(model, texts, suite)
        if rate.on_gpu and not cluster.gpus:
            raise UserError(
                f"{model} was measured on a graphics card ({rate.device}): say with --gpus how many there will be."
            )
        rates.append(rate)
    return rates[0], rates[1]


def _measure_encoder(model: str, texts: Sequence[str], suite: Path) -> Rate:
    return measure_encoder(model, texts[: 3 * TEXTS])


def _measure_scorer(model: str, texts: Sequence[str], suite: Path) -> Rate:
    examples = read_examples(suite)
    pairs = pairs_of(examples) if examples else made_up_pairs(texts[: 3 * TEXTS])
    return measure_scorer(model, pairs, documents_of(examples) if examples else texts)


def _pairs(recipe: Recipe, samples: Samples, documents: int) -> float:
    """Pairs that an evaluation will score."""
    examples = sum(build.examples for build in samples.large)
    if not examples:
        return float(_PAIRS * recipe.sizes.main)
    return sum(build.pairs for build in samples.large) / examples * foretell_examples(recipe, samples, documents)


def _table(title: str, lines: Sequence[Line], shown: Shown, whole: Range | None = None) -> list[str]:
    rows = [f"  {line.name:<16} {line.arithmetic} = {in_range(line.amount, shown)}" for line in lines]
    if whole is not None:
        rows.append(f"  {'in all':<16} {in_range(whole, shown)}")
    return ["", title, *rows]
