"""A plan as it is shown: to a person with all its arithmetic, to a program in seconds and bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from constraintsuite.forecast.amounts import AmountFormat, in_bytes, in_money, in_range, in_time
from constraintsuite.forecast.cluster import Cluster
from constraintsuite.forecast.growth import Range
from constraintsuite.forecast.lines import ForecastLine, total


@dataclass(frozen=True)
class BuildForecast:
    """What a build will take, line by line: time, memory, storage and money."""

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
        """Of all of it."""
        return total(self.time)

    @property
    def stored(self) -> Range:
        """Bytes of all of it."""
        return total(self.storage)

    def in_words(self) -> str:
        """The plan for a person: the whole first, then what stands in its way, then line by line."""
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
        """The plan as data: seconds and bytes."""
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
