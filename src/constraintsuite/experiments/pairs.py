"""A suite of pairs as an outcome table: its items, its groups, and the examples that count in the headline.

The headline is the figure that ranks systems: paired accuracy over all main slices except Omission. A scorer that only counts
words can win Omission, because its violating texts name what its satisfying texts do not. That slice has figures of its own and
never counts in the headline. In a suite without opposite queries the headline is accuracy.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from constraintsuite.core.records.examples import OMISSIONS, SATISFYING, Example
from constraintsuite.core.statistics.intervals import FloatArray
from constraintsuite.core.statistics.metric import Metric
from constraintsuite.core.statistics.pairwise import METRICS, PairResult
from constraintsuite.experiments.outcome_table import Details, Item, ItemGroups, OutcomeTable
from constraintsuite.suites.audit.groups import narrow_links, wide_links

CONTROL_BY_TYPE = "control_by_type"
"""The grouping of controls by constraint type and kind."""
HEADLINE = "headline"
"""The name of the group of headline examples in policies, comparisons and JSON."""
MAX_VALUES = 50
"""A grouping by free text (cues, notes) with more values than this is left out: its groups would be single items."""
MIN_EXAMPLES = 10
"""Cues with fewer examples than this share the group `other`."""
_NOTE = re.compile(r"([A-Za-z][\w -]{0,39}): (\S.*)", re.DOTALL)
_CONTEXT = 60  # characters shown on each side of the evidence


def _type_of(example: Example) -> str:
    return example.constraint.type if example.constraint else "none"


Grouping = Callable[[Example], str | None]
"""Gives the group of an example, or None if it is in no group."""
_GROUPINGS: Mapping[str, Grouping] = {
    "split": lambda e: e.split,
    "domain": lambda e: e.domain or "none",
    "relation": lambda e: e.relation or "none",
    "edited": lambda e: "edited" if e.is_edited else "natural",
    "edit": lambda e: e.edit,
    "constraint": _type_of,
    "cue": lambda e: (e.constraint.cue if e.constraint else "") or "none",
    "template": lambda e: e.template_family or "none",
}


class PairTable(OutcomeTable):
    """The results of one system on examples and controls, in that order.

    Without results it has no system. It then describes the data alone, for questions that need no run.
    """

    metrics = METRICS

    def __init__(
        self, system: str, examples: Sequence[Example], controls: Sequence[Example], results: Sequence[PairResult]
    ) -> None:
        self.systems = (system,) if results else ()
        self.examples = (*examples, *controls)
        self.results = results
        self.items = tuple(Item(one.id, wide_links(one), narrow_links(one)) for one in self.examples)
        self.main = range(len(examples))
        self.headline = _headline_members(examples)
        paired = any(results[place].paired is not None for place in self.headline) if results else True
        self.headline_metric = headline_metric(examples).name if paired else "accuracy"

    @cached_property
    def groups(self) -> ItemGroups:
        """Positions by grouping and group; controls appear only under `slice` and groupings of their own."""
        main = len(self.main)
        return group_examples(self.examples[:main], self.examples[main:])

    def column(self, system: str, metric: str, members: Sequence[int]) -> FloatArray:
        """The values of some examples; couples are formed among these examples alone."""
        return METRICS[metric].column([self.results[i] for i in members])

    def describe_item(self, item: int) -> Details:
        """The slice, queries and documents of an example; around the first evidence in each document an excerpt, and the verdict."""
        example = self.examples[item]
        found: dict[str, str | float] = {"slice": example.slice}
        found |= {str(role): query for role, query in example.queries.items()}
        found |= {document.role: document.text for document in example.documents}
        constraint = example.constraint
        if constraint is not None:
            for one in constraint.evidence:
                excerpt = _excerpt(example.document(one.document).text, one.start, one.end)
                found.setdefault(f"{one.document} says", f"{excerpt} [{constraint.verdict(one)}]")
        return found

    def describe_outcome(self, system: str, item: int) -> Details:
        """The outcome and the score gap under each query."""
        result = self.results[item]
        found: dict[str, str | float] = {role: outcome for role, outcome in result.outcomes.items()}
        return found | {f"gap under {role}": gap for role, gap in result.gaps.items()}

    def gaps(self, system: str, item: int) -> Mapping[str, float]:
        """The score gap under each query that states a preference, in standard deviations of the system's scores."""
        result = self.results[item]
        return {role: result.gaps[role] / (result.unit or 1.0) for role in result.outcomes}


def pair_table(
    system: str, examples: Sequence[Example], controls: Sequence[Example], results: Sequence[PairResult]
) -> PairTable:
    """The table of those examples and controls that have a result; the results may be in any order."""
    known = {result.id: result for result in results}
    main, rest = ([example for example in part if example.id in known] for part in (examples, controls))
    return PairTable(system, main, rest, [known[example.id] for example in (*main, *rest)])


def _excerpt(text: str, start: int, end: int) -> str:
    first, last = max(0, start - _CONTEXT), min(len(text), end + _CONTEXT)
    return f"{'… ' if first else ''}{text[first:last].strip()}{' …' if last < len(text) else ''}"


def is_nevir(examples: Sequence[Example]) -> bool:
    """Whether all examples were imported from NevIR."""
    return all(example.slice == "nevir" for example in examples)


def is_chance(system: str) -> bool:
    """Whether a system only guesses. Charts and tables show it as the chance level and never rank it."""
    return system.partition(":")[0] == "random"


def _headline_members(examples: Sequence[Example]) -> list[int]:
    """Positions of the examples that count in the headline; all of them if the suite has no slice but Omission."""
    counted = [place for place, example in enumerate(examples) if example.slice not in OMISSIONS]
    return counted or list(range(len(examples)))


def headline_metric(examples: Sequence[Example]) -> Metric:
    """Paired accuracy, or accuracy if no example of the headline has an opposite query."""
    paired = any(examples[place].is_paired for place in _headline_members(examples))
    return METRICS["paired_accuracy" if paired else "accuracy"]


def headline_slices(examples: Sequence[Example]) -> tuple[str, ...]:
    """The slices that count in the headline, in the order of the suite."""
    return tuple(dict.fromkeys(examples[place].slice for place in _headline_members(examples)))


def group_examples(examples: Sequence[Example], controls: Sequence[Example]) -> dict[str, dict[str, list[int]]]:
    """Positions by grouping and group, with groups sorted; the positions of controls follow the positions of the examples.

    Every tag is a grouping. Controls appear only under `slice` and `control`, and by type if they are of several types.
    """
    tags = dict.fromkeys(tag for e in examples for tag in e.tags if tag not in {*_GROUPINGS, "slice", "control"})
    notes = sorted({key for example in examples for key in _notes(example)})
    free_text = {"document_cue": _cue_grouping(examples), **{f"notes.{key}": _note_grouping(key) for key in notes}}
    groups = {"slice": _split([*examples, *controls], lambda e: e.slice)}
    groups |= {name: _split(examples, grouping) for name, grouping in _GROUPINGS.items()}
    groups |= {tag: _split(examples, _tag_grouping(tag)) for tag in tags}
    for name, grouping in free_text.items():
        found = _split(examples, grouping)
        if 1 <= len(found) <= MAX_VALUES:
            groups[name] = found
    groups["control"] = _split(controls, lambda e: e.control.kind if e.control else "none", first=len(examples))
    if len({_type_of(control) for control in controls}) > 1:
        groups[CONTROL_BY_TYPE] = _split(
            controls, lambda e: f"{_type_of(e)} {e.control.kind}" if e.control else None, first=len(examples)
        )
    return groups


def _split(examples: Sequence[Example], grouping: Grouping, first: int = 0) -> dict[str, list[int]]:
    """Positions, counted from `first`, by group."""
    groups = defaultdict(list)
    for place, example in enumerate(examples, first):
        group = grouping(example)
        if group is not None:
            groups[group].append(place)
    return dict(sorted(groups.items()))


def _tag_grouping(name: str) -> Grouping:
    return lambda example: example.tags.get(name)


def _note_grouping(key: str) -> Grouping:
    return lambda example: _notes(example).get(key)


def _notes(example: Example) -> dict[str, str]:
    """Notes of the form `key: value`; of several with one key, the first."""
    pairs = [match.groups() for note in example.notes if (match := _NOTE.fullmatch(note))]
    return {key: value for key, value in reversed(pairs)}


def _cue_grouping(examples: Sequence[Example]) -> Grouping:
    """By the words that decide in the satisfying document; rare ones are in the group `other`."""
    counts = Counter(map(_document_cue, examples))

    def group(example: Example) -> str | None:
        cue = _document_cue(example)
        return cue if cue is None or counts[cue] >= MIN_EXAMPLES else "other"

    return group


def _document_cue(example: Example) -> str | None:
    evidence = example.constraint.evidence if example.constraint else ()
    cues = {one.cue.casefold() for one in evidence if one.document == SATISFYING and one.cue}
    return " + ".join(sorted(cues)) or None
