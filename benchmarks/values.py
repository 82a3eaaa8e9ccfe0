"""How well quantities, dates and places are read from sentences that no rule was written for.

    python benchmarks/values.py DATA quantities|dates|places [--half dev|test] [--reader NAME ...] [--errors] [--json]

The labels are in `benchmarks/values/SET`: `own.jsonl` holds sentences that were written for this purpose, and `real.jsonl` points
to sentences of the data folder DATA, which may not be copied. One reader labelled them without running a program, and they are
older than the rules. A fixed seed dealt the sentences of every kind to two halves: rules are written on `dev`, and `test` is run
once when they are finished. `--errors` prints wrong and missing items, for `dev` only.

An item that was found is right if it overlaps a label and has its value: for a quantity both bounds and the unit, for a date the
first and the last day, for a place its name and country. Each set has a module, `values_SET.py`, with the readers to compare.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from constraintsuite.core.records.figures import percent
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import wilson
from scope import read_records

HERE = Path(__file__).parent / "values"
SETS = ("quantities", "dates", "places")


class Found(NamedTuple):
    """An item of a sentence: where it is, and its value in a form that can be compared."""

    start: int
    end: int
    value: Hashable


Reader = Callable[[Sequence[str]], list[list[Found]]]
"""Reads sentences: the items of each, in order."""


@dataclass(frozen=True)
class Sentence:
    """A labelled sentence."""

    id: str
    kind: str
    half: str
    text: str
    items: tuple[Mapping[str, Any], ...]


def read_sentences(data: Path, name: str) -> Iterator[Sentence]:
    """All sentences of a set. Stops if a real one is not the text that was labelled."""
    records = read_records(data)
    for file in ("own", "real"):
        for line in (HERE / name / f"{file}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            text = row.get("text")
            if text is None:
                place = row["source"]
                record = records[place["dataset"]][place["record"]]
                text = record[place.get("field") or "text"][place["start"] : place["start"] + place["length"]]
                if hashlib.sha256(text.encode()).hexdigest()[:16] != place["sha256"]:
                    raise SystemExit(f"{row['id']}: the text in {place['dataset']} is not the one that was labelled.")
            yield Sentence(f"{file}/{row['id']}", row["kind"], row["half"], text, tuple(row["items"]))


@dataclass
class Tally:
    """What one group of sentences gave."""

    right: int = 0
    found: int = 0
    labelled: int = 0

    def row(self) -> tuple[Interval, Interval]:
        """Precision and recall."""
        return wilson(self.right, self.found), wilson(self.right, self.labelled)


def match(found: Sequence[Found], labelled: Sequence[Found]) -> tuple[list[Found], list[Found]]:
    """The found items that are wrong and the labels that are missed; every label is used once."""
    left = list(labelled)
    wrong: list[Found] = []
    for one in found:
        hit = next((label for label in left if _overlap(one, label) and one.value == label.value), None)
        if hit is None:
            wrong.append(one)
        else:
            left.remove(hit)
    return wrong, left


def _overlap(one: Found, other: Found) -> bool:
    return one.start < other.end and other.start < one.end


def tally(
    sentences: Sequence[Sentence], found: Sequence[Sequence[Found]], label: Callable[[Mapping[str, Any]], Found]
) -> tuple[dict[str, Tally], list[str]]:
    """The counts by source and kind, and a line for every error."""
    groups: dict[str, Tally] = defaultdict(Tally)
    errors: list[str] = []
    for sentence, items in zip(sentences, found, strict=True):
        labelled = [label(item) for item in sentence.items]
        wrong, missed = match(items, labelled)
        for name in ("all", sentence.id.partition("/")[0], sentence.kind):
            group = groups[name]
            group.right += len(items) - len(wrong)
            group.found += len(items)
            group.labelled += len(labelled)
        for word, part in (("wrong", wrong), ("missed", missed)):
            errors += [
                f"{sentence.id} {word} {sentence.text[one.start : one.end]!r} {one.value} | {sentence.text}"
                for one in part
            ]
    return groups, errors


def main() -> None:
    """Print precision and recall of each reader by source and kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--half", choices=["dev", "test"], default="test")
    parser.add_argument("--reader", action="append")
    parser.add_argument("--errors", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.errors and options.half == "test":
        parser.error("--errors is for --half dev: the test half is not for reading")
    module = import_module(f"values_{options.set}")
    sentences = [one for one in read_sentences(options.data, options.set) if one.half == options.half]
    results = {}
    for name in options.reader or list(module.READERS):
        groups, errors = tally(sentences, module.READERS[name]([one.text for one in sentences]), module.label)
        results[name] = groups
        if options.errors:
            print("\n".join(errors))
    if options.json:
        print(json.dumps({name: {key: vars(one) for key, one in rows.items()} for name, rows in results.items()}))
        return
    for name, groups in results.items():
        print(f"\n{name}: precision and recall, {options.half} half, {len(sentences)} sentences")
        for key, one in groups.items():
            precision, recall = (_shown(interval) for interval in one.row())
            print(f"  {key:<24} {precision}   {recall}")


def _shown(interval: Interval) -> str:
    if interval.value is None:
        return f"{'-':>8} {'':<18} n=0"
    value, low, high = (percent(bound or 0.0) for bound in (interval.value, interval.low, interval.high))
    return f"{value:>8} {f'[{low}, {high}]':<18} n={interval.n}"


if __name__ == "__main__":
    main()
