"""The outcome table: everything that was measured, as items, systems, values, groups and clusters.

An item is one question to a system: an example, a query or a question. Under each system it has at most one value per metric.
Summaries, comparisons, gates and reports read only this table. Each kind of run has a function that makes one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from constraintsuite.core.errors import UserError, hint_for
from constraintsuite.core.statistics.intervals import FloatArray, ItemClusters, cluster_items
from constraintsuite.core.statistics.metric import Metric, find_metric

T = TypeVar("T")
OVERALL = "overall"
"""The name of the group of all main items."""
ItemGroups = Mapping[str, Mapping[str, Sequence[int]]]
"""Positions of items, by grouping and group."""
Details = Mapping[str, str | float]
"""Texts and numbers about an item, an outcome or a setting, for people to read, each under its name."""


def pick_grouping(groupings: Mapping[str, T], name: str) -> T:
    """The grouping that a user named. Raises UserError if the name is unknown."""
    if name not in groupings:
        raise UserError(f"No grouping named {name!r} in this suite. {hint_for(name, groupings)}")
    return groupings[name]


@dataclass(frozen=True, slots=True)
class Item:
    """One question to a system, and the names that it shares with other items.

    Items that share a name are not independent and form a cluster.
    """

    id: str
    wide: tuple[str, ...] = ()
    """All names that it may share with other items."""
    narrow: tuple[str, ...] = ()
    """The names that count if the wide ones join most of the items into one cluster."""


class OutcomeTable(ABC):
    """Items and systems with the value of every metric.

    `main` are the positions of the items that count in overall figures. Other items, such as controls, count only in their
    groups. `within` is a grouping whose groups are never pooled, such as the budget of a memory. Overall figures are then
    given for each of these groups, over its main items.
    """

    items: Sequence[Item]
    systems: Sequence[str]
    metrics: Mapping[str, Metric]
    main: Sequence[int]
    headline: Sequence[int]
    """The main items that decide the order of systems."""
    headline_metric: str
    within: str | None = None

    _groups: ItemGroups

    @property
    def groups(self) -> ItemGroups:
        """Positions of items by grouping and group."""
        return self._groups

    @abstractmethod
    def column(self, system: str, metric: str, members: Sequence[int]) -> FloatArray:
        """The values of some items, NaN for an item without a value."""

    def describe_item(self, item: int) -> Details:
        """The texts that a person must read to understand an item; empty if they are unknown."""
        return {}

    def describe_outcome(self, system: str, item: int) -> Details:
        """What a system did with an item, in addition to the values of its metrics."""
        return {}

    def settings_in(self, system: str, group: str) -> Details:
        """The settings of a system in a group, if they depend on the group; otherwise empty."""
        return {}

    def gaps(self, system: str, item: int) -> Mapping[str, float]:
        """How clearly a system decides about an item, in units that systems share; empty if unknown."""
        return {}

    def distance(self, first: str, second: str, metric: str, item: int) -> float:
        """How much two systems differ on an item. Lists of changed items begin with the largest distance."""
        before, after = self.gaps(first, item), self.gaps(second, item)
        distances = [abs(after[name] - before[name]) for name in before if name in after]
        if distances:
            return max(distances)
        old, new = (self.column(system, metric, [item]) for system in (first, second))
        return float(abs(new - old)[0])

    def metric(self, name: str) -> Metric:
        """The metric that a user named. Raises UserError if the name is unknown."""
        return find_metric(self.metrics, name)

    def has_values(self, metric: str, members: Sequence[int] | None = None) -> bool:
        """Whether any of `members` (by default the items of the headline) has a value under any system."""
        among = self.headline if members is None else members
        return any(np.isfinite(self.column(system, metric, among)).any() for system in self.systems)

    def clusters(self, members: Sequence[int]) -> ItemClusters:
        """The clusters of some items: items of one cluster are not independent of each other."""
        chosen = [self.items[i] for i in members]
        return cluster_items([item.wide for item in chosen], [item.narrow for item in chosen])

    def ids(self, members: Iterable[int]) -> list[str]:
        """The ids of some items."""
        return [self.items[i].id for i in members]

    def parts(self, by: str | None = None, *, total: str = OVERALL) -> dict[str, Sequence[int]]:
        """The groups to give figures for: the items of `total` (`overall` or `headline`), then each group of `by`.

        If some groups are never pooled, each of them has its own total and its own groups.
        """
        if self.within is None:
            return {total: self.members(total), **self._groups_of(by, range(len(self.items)))}
        parts: dict[str, Sequence[int]] = {}
        for value, members in self.groups[self.within].items():
            name = f"{self.within}={value}"
            parts |= {name: self.members(name), **self._groups_of(by, members, f"{name}, ")}
        return parts

    def _groups_of(self, by: str | None, within: Sequence[int], prefix: str = "") -> dict[str, Sequence[int]]:
        if by is None or by == self.within:
            return {}
        inside = set(within)
        groups = {
            f"{prefix}{by}={value}": [i for i in members if i in inside]
            for value, members in pick_grouping(self.groups, by).items()
        }
        return {name: members for name, members in groups.items() if members}

    def members(self, group: str) -> Sequence[int]:
        """The items of a group: `overall`, `headline`, or `grouping=value`. Groups joined by commas are intersected.

        A group of a grouping that is never pooled has main items only. A value that no item has
        gives no items. Raises UserError if the grouping is unknown.
        """
        grouping, _, value = group.partition("=")
        if value in self.groups.get(grouping, {}):  # as a whole, because a value may hold a comma
            members = self.groups[grouping][value]
            return [i for i in members if i in set(self.main)] if grouping == self.within else members
        found: Sequence[int] | None = None
        for part in group.split(", "):
            grouping, _, value = part.partition("=")
            named = {OVERALL: self.main, "headline": self.headline}.get(part)
            here = named if named is not None else pick_grouping(self.groups, grouping).get(value, ())
            found = here if found is None else sorted(set(found) & set(here))
        assert found is not None
        return found


class StoredTable(OutcomeTable):
    """A table of given values: by system and metric, one value per item, NaN for an item without a value.

    `described` holds the texts of items by id, `settings` the settings of systems by system and group. All items are main
    items unless `main` names some.
    """

    def __init__(  # noqa: PLR0913 - one parameter per part of a table
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

    def column(self, system: str, metric: str, members: Sequence[int]) -> FloatArray:
        """The given values; NaN for every item if the system does not have the metric."""
        columns = self._values[system]
        if metric not in columns:
            return np.full(len(members), np.nan)
        return columns[metric][np.asarray(members, dtype=np.int64)]

    def describe_item(self, item: int) -> Details:
        """The given texts of an item; empty if there are none."""
        return self._described.get(self.items[item].id, {})

    def settings_in(self, system: str, group: str) -> Details:
        """The given settings of a system in a group; empty if there are none."""
        return self._settings.get(system, {}).get(group, {})


class JoinedTable(OutcomeTable):
    """The systems of several tables over the items that all of them have.

    Groups, clusters and texts come from the first table. `labels` names the systems of the joined table: each label
    stands for a system of one of the tables, which is given by its number.
    """

    def __init__(self, tables: Sequence[OutcomeTable], labels: Mapping[str, tuple[int, str]]) -> None:
        self._tables = tables
        self._labels = labels
        positions = [{item.id: place for place, item in enumerate(table.items)} for table in tables]
        shared = [item.id for item in tables[0].items if all(item.id in known for known in positions)]
        if not shared:
            raise UserError("These runs have no item in common, so there is nothing to compare.")
        self._places = [np.array([known[name] for name in shared], dtype=np.int64) for known in positions]
        first = tables[0]
        here = {place: number for number, place in enumerate(self._places[0].tolist())}
        self.items = tuple(first.items[place] for place in here)
        self.left_out = len(first.items) - len(shared)
        self.systems = tuple(labels)
        self.metrics = {n: m for n, m in first.metrics.items() if all(n in table.metrics for table in tables)}
        self._groups = {
            grouping: {value: [here[i] for i in members if i in here] for value, members in values.items()}
            for grouping, values in first.groups.items()
        }
        self.main, self.headline = ([here[i] for i in some if i in here] for some in (first.main, first.headline))
        wanted = list(
            dict.fromkeys(table.headline_metric for table in tables)
        )  # people may have answered fewer queries
        self.headline_metric = next((n for n in wanted if all(t.has_values(n) for t in tables)), wanted[0])
        self.within = first.within

    def _find(self, system: str, members: Sequence[int]) -> tuple[OutcomeTable, str, list[int]]:
        """The table of a system, its name there, and the positions of some items there."""
        number, own = self._labels[system]
        return self._tables[number], own, self._places[number][np.asarray(members, dtype=np.int64)].tolist()

    def column(self, system: str, metric: str, members: Sequence[int]) -> FloatArray:
        """The values that the table of that system has."""
        table, own, places = self._find(system, members)
        return table.column(own, metric, places)

    def describe_item(self, item: int) -> Details:
        """The texts that the first table has."""
        return self._tables[0].describe_item(int(self._places[0][item]))

    def describe_outcome(self, system: str, item: int) -> Details:
        """The details that the table of that system has."""
        table, own, (place,) = self._find(system, [item])
        return table.describe_outcome(own, place)

    def settings_in(self, system: str, group: str) -> Details:
        """The settings that the table of that system has."""
        table, own, _ = self._find(system, [])
        return table.settings_in(own, group)

    def gaps(self, system: str, item: int) -> Mapping[str, float]:
        """The gaps that the table of that system has."""
        table, own, (place,) = self._find(system, [item])
        return table.gaps(own, place)
