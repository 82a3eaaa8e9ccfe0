"""The outcome table: whatever was measured, as items, systems, values, groups and clusters.

An item is what a system was asked: an example, a query, a question. Under a system it has one value of each metric, or none.
Summaries, comparisons, gates, power and reports work on this table alone; each kind of run says how it becomes one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.statistics.intervals import FloatArray, ItemClusters, cluster_items
from constraintsuite.core.statistics.metric import Metric, find_metric
from constraintsuite.experiments.groupings import OVERALL, pick

ItemGroups = Mapping[str, Mapping[str, Sequence[int]]]
"""Positions of items, by grouping and group."""
Details = Mapping[str, str | float]
"""What a person should read of an item or of an outcome, each part under its name."""


@dataclass(frozen=True, slots=True)
class Item:
    """What a system was asked."""

    id: str
    wide: tuple[str, ...] = ()
    """Names of all that it may share with other items: items that share one are not independent."""
    narrow: tuple[str, ...] = ()
    """The names that count where the wide ones join most of the items into one cluster."""


class OutcomeTable(ABC):
    """Items and systems with the value of every metric.

    `main` are the positions of the items that count in figures over all; others, such as controls, stand in their groups
    alone. `within` is a grouping whose groups are never pooled, such as the budget of a memory; the figures over all of such
    a group count its main items.
    """

    items: Sequence[Item]
    systems: Sequence[str]
    metrics: Mapping[str, Metric]
    main: Sequence[int]
    headline: Sequence[int]
    """Of the main items, those that decide the order of systems."""
    headline_metric: str
    within: str | None = None

    @property
    @abstractmethod
    def groups(self) -> ItemGroups:
        """Positions of items by grouping and group."""

    @abstractmethod
    def column(self, system: str, metric: str, members: Sequence[int]) -> FloatArray:
        """The values of some items, NaN for an item that has none."""

    def texts(self, item: int) -> Details:
        """What a person must read to understand an item; empty where that is not known."""
        return {}

    def seen(self, system: str, item: int) -> Details:
        """What a system did with an item, beside the values of its metrics."""
        return {}

    def setting(self, system: str, group: str) -> Details:
        """How a system was set in a group, where that depends on the group; empty where it does not."""
        return {}

    def gaps(self, system: str, item: int) -> Mapping[str, float]:
        """How decided a system is about an item, in units that can be compared between systems; empty if unknown."""
        return {}

    def move(self, first: str, second: str, metric: str, item: int) -> float:
        """How far two systems are apart on an item: the items where they are furthest apart are shown first."""
        before, after = self.gaps(first, item), self.gaps(second, item)
        apart = [abs(after[name] - before[name]) for name in before if name in after]
        if apart:
            return max(apart)
        old, new = (self.column(system, metric, [item]) for system in (first, second))
        return float(abs(new - old)[0])

    def metric(self, name: str) -> Metric:
        """The metric that a user named; an unknown one is a UserError."""
        return find_metric(self.metrics, name)

    def has_values(self, metric: str, members: Sequence[int] | None = None) -> bool:
        """Whether any of some items, of those of the headline unless given, has a value under any system."""
        among = self.headline if members is None else members
        return any(np.isfinite(self.column(system, metric, among)).any() for system in self.systems)

    def clusters(self, members: Sequence[int]) -> ItemClusters:
        """Which of some items are not independent of each other."""
        chosen = [self.items[i] for i in members]
        return cluster_items([item.wide for item in chosen], [item.narrow for item in chosen])

    def ids(self, members: Iterable[int]) -> list[str]:
        """The names of some items."""
        return [self.items[i].id for i in members]

    def parts(self, by: str | None = None, *, total: str = OVERALL) -> dict[str, Sequence[int]]:
        """The groups that figures are given for: the items of `total` (`overall` or `headline`), and then `by` group.

        Where some groups are never pooled, each of them has its own total and its own groups.
        """
        if self.within is None:
            return self._split("", total, self.members(total), by)
        parts: dict[str, Sequence[int]] = {}
        for value, members in self.groups[self.within].items():
            parts |= self._split(f"{self.within}={value}", "", members, by)
        return parts

    def members(self, group: str) -> Sequence[int]:
        """The items of a group: `overall`, `headline`, or `grouping=value`, joined by commas where all must hold.

        Of a grouping that is never pooled, a group has main items alone. An unknown grouping is a UserError; a value that no
        item has gives no items.
        """
        grouping, _, value = group.partition("=")
        if value in self.groups.get(grouping, {}):  # as a whole: a value may hold a comma
            members = self.groups[grouping][value]
            return [i for i in members if i in set(self.main)] if grouping == self.within else members
        found: Sequence[int] | None = None
        for part in group.split(", "):
            grouping, _, value = part.partition("=")
            named = {OVERALL: self.main, "headline": self.headline}.get(part)
            here = named if named is not None else pick(self.groups, grouping).get(value, ())
            found = here if found is None else sorted(set(found) & set(here))
        assert found is not None
        return found

    def _split(self, within: str, total: str, members: Sequence[int], by: str | None) -> dict[str, Sequence[int]]:
        main = set(self.main)
        parts: dict[str, Sequence[int]] = {within: [i for i in members if i in main]} if within else {total: members}
        if by is not None and by != self.within:
            wanted = set(range(len(self.items))) if not within else set(members)
            for value, those in pick(self.groups, by).items():
                here = [i for i in those if i in wanted]
                if here:
                    parts[f"{within}, {by}={value}" if within else f"{by}={value}"] = here
        return parts


class StoredTable(OutcomeTable):
    """A table whose values were stored: by system and metric one value for each item, NaN for none.

    `described` is what a person should read of an item, by its id; `settings` how a system was set, by system and group.
    All items are main items unless `main` says which are.
    """

    def __init__(  # noqa: PLR0913 - one parameter for each part of a table
        self,
        items: Sequence[Item],
        metrics: Mapping[str, Metric],
        values: Mapping[str, Mapping[str, FloatArray]],
        groups: ItemGroups,
        headline_metric: str,
        *,
        main: Sequence[int] | None = None,
        within: str | None = None,
        described: Mapping[str, Details] | None = None,
        settings: Mapping[str, Mapping[str, Details]] | None = None,
    ) -> None:
        self.items = items
        self.systems = tuple(values)
        self.metrics = metrics
        self.main = self.headline = range(len(items)) if main is None else main
        self.headline_metric = headline_metric
        self.within = within
        self._values = values
        self._groups = groups
        self._described = described or {}
        self._settings = settings or {}

    @property
    def groups(self) -> ItemGroups:
        """Positions of items by grouping and group, as they were given."""
        return self._groups

    def column(self, system: str, metric: str, members: Sequence[int]) -> FloatArray:
        """The values as they were given; a metric that the system does not have is NaN for every item."""
        columns = self._values[system]
        if metric not in columns:
            return np.full(len(members), np.nan)
        return columns[metric][np.asarray(members, dtype=np.int64)]

    def texts(self, item: int) -> Details:
        """What was given to be read of this item; empty where nothing was."""
        return self._described.get(self.items[item].id, {})

    def setting(self, system: str, group: str) -> Details:
        """How the system was set in this group, as it was given; empty where it was not."""
        return self._settings.get(system, {}).get(group, {})


class JoinedTable(OutcomeTable):
    """Several tables over the same items, side by side; items that one of them lacks are left out.

    Groups, clusters and texts are those of the first. `labels` name the systems of the joined table: for each label, which
    table and which of its systems are meant.
    """

    def __init__(self, tables: Sequence[OutcomeTable], labels: Mapping[str, tuple[int, str]]) -> None:
        self._tables = tables
        self._labels = labels
        places = [{item.id: place for place, item in enumerate(table.items)} for table in tables]
        shared = [item.id for item in tables[0].items if all(item.id in known for known in places)]
        if not shared:
            raise UserError("These runs have no item in common, so there is nothing to compare.")
        self._places = [np.array([known[name] for name in shared], dtype=np.int64) for known in places]
        first = tables[0]
        here = {place: number for number, place in enumerate(self._places[0].tolist())}
        self.items = tuple(first.items[place] for place in self._places[0].tolist())
        self.left_out = len(first.items) - len(shared)
        self.systems = tuple(labels)
        self.metrics = {n: m for n, m in first.metrics.items() if all(n in table.metrics for table in tables)}
        self._groups = {
            grouping: {value: [here[i] for i in members if i in here] for value, members in values.items()}
            for grouping, values in first.groups.items()
        }
        self.main = [here[i] for i in first.main if i in here]
        self.headline = [here[i] for i in first.headline if i in here]
        self.headline_metric = self._shared_headline()
        self.within = first.within

    @property
    def groups(self) -> ItemGroups:
        """Those of the first table, without the items that are left out."""
        return self._groups

    def _shared_headline(self) -> str:
        """The headline metric of the first table of which every table has a value: people may have been asked less."""
        wanted = dict.fromkeys(table.headline_metric for table in self._tables)
        return next(
            (name for name in wanted if all(table.has_values(name) for table in self._tables)), next(iter(wanted))
        )

    def column(self, system: str, metric: str, members: Sequence[int]) -> FloatArray:
        """As the table of that system has it."""
        number, own = self._labels[system]
        places = self._places[number][np.asarray(members, dtype=np.int64)]
        return self._tables[number].column(own, metric, places.tolist())

    def texts(self, item: int) -> Details:
        """As the first table has it."""
        return self._tables[0].texts(int(self._places[0][item]))

    def seen(self, system: str, item: int) -> Details:
        """As the table of that system has it."""
        number, own = self._labels[system]
        return self._tables[number].seen(own, int(self._places[number][item]))

    def setting(self, system: str, group: str) -> Details:
        """As the table of that system has it."""
        number, own = self._labels[system]
        return self._tables[number].setting(own, group)

    def gaps(self, system: str, item: int) -> Mapping[str, float]:
        """As the table of that system has it."""
        number, own = self._labels[system]
        return self._tables[number].gaps(own, int(self._places[number][item]))
