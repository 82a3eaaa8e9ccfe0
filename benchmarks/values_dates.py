"""Readers of dates to compare, for `values.py`, and how often the softer fields of a date are right:

    python benchmarks/values_dates.py DATA [--half dev|test] [--errors]

prints, among the dates that are found with the right value, how often bound, approximation, event and `of` are those of the label.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from constraintsuite.core.records.figures import percent
from constraintsuite.core.statistics.intervals import wilson
from constraintsuite.text.dates.read import read_dates
from constraintsuite.text.dates.record import Date
from values import Found, Reader, read_sentences

_ARTICLES = ("the ", "a ", "an ", "his ", "her ", "its ", "their ", "our ")


def label(item: Mapping[str, Any]) -> Found:
    """A labelled date in the form that is compared."""
    return Found(item["start"], item["end"], (item["from"], item["to"]))


def _found(one: Date) -> Found:
    return Found(one.start, one.end, (one.first.isoformat(), one.last.isoformat()))


def _ours(texts: Sequence[str]) -> list[list[Found]]:
    return [[_found(one) for one in read_dates(text)] for text in texts]


READERS: dict[str, Reader] = {"ours": _ours}


def _same_thing(one: str, other: str) -> bool:
    """Whether one of two names holds the other: "the footbridge" and "The footbridge across the canal"."""
    first, second = (_bare(name) for name in (one, other))
    return first == second or bool(first and second and (first in second or second in first))


def _bare(name: str) -> str:
    name = name.lower().strip(" \"'.,")
    return next((name.removeprefix(word) for word in _ARTICLES if name.startswith(word)), name)


def main() -> None:
    """Print how often each softer field is right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--half", choices=["dev", "test"], default="test")
    parser.add_argument("--errors", action="store_true")
    options = parser.parse_args()
    if options.errors and options.half == "test":
        parser.error("--errors is for --half dev: the test half is not for reading")
    fields: dict[str, list[bool]] = {name: [] for name in ("bound", "approximate", "event", "of")}
    for sentence in read_sentences(options.data, "dates"):
        if sentence.half != options.half:
            continue
        dates = read_dates(sentence.text)
        for item in sentence.items:
            same = [one for one in dates if _found(one).value == label(item).value and one.start < item["end"] and item["start"] < one.end]
            for one in same[:1]:
                right = {
                    "bound": one.bound == item["bound"],
                    "approximate": one.approximate == item["approximate"],
                    "event": one.event == item["event"],
                    "of": _same_thing(one.of, item["of"]),
                }
                for name, value in right.items():
                    fields[name].append(value)
                    if options.errors and not value:
                        print(f"{sentence.id} {name}: {getattr(one, name)!r}, not {item[name]!r} | {item['text']} | {sentence.text}")
    for name, values in fields.items():
        figure = wilson(sum(values), len(values))
        print(f"{name:<12} {percent(figure.value or 0)} [{percent(figure.low or 0)}, {percent(figure.high or 0)}] n={figure.n}")


if __name__ == "__main__":
    main()
