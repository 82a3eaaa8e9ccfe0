"""Readers of dates to compare, for `values.py`, and how often the softer fields of a date are right:

    python benchmarks/values_dates.py DATA [--half dev|test] [--errors]

prints, among the dates that are found with the right value, how often bound, approximation, event and `of` are those of the label.
"""

from __future__ import annotations

import argparse
import re
from calendar import monthrange
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

from constraintsuite.core.records.figures import percent
from constraintsuite.core.statistics.intervals import wilson
from constraintsuite.text.dates.read import read_dates
from constraintsuite.text.dates.record import Date
from constraintsuite.text.parser import load_pipeline
from values import Found, Reader, read_sentences

_ARTICLES = ("the ", "a ", "an ", "his ", "her ", "its ", "their ", "our ")


def label(item: Mapping[str, Any]) -> Found:
    """A labelled date in the form that is compared."""
    return Found(item["start"], item["end"], (item["from"], item["to"]))


def _found(one: Date) -> Found:
    return Found(one.start, one.end, (one.first.isoformat(), one.last.isoformat()))


def _ours(texts: Sequence[str]) -> list[list[Found]]:
    return [[_found(one) for one in read_dates(text)] for text in texts]


def _library(module: str, packages: str) -> Any:  # noqa: ANN401 - a module without types
    """A library of a reader; without it, the command that installs it."""
    try:
        return import_module(module)
    except ImportError:
        raise SystemExit(f"{module} is not installed. Install it with: pip install {packages}") from None


def _dateparser(texts: Sequence[str]) -> list[list[Found]]:
    """`search_dates`, with the period (day, month, year) that the parser of the same library gives for each hit."""
    search_dates = _library("dateparser.search", "dateparser").search_dates
    read = _dateparser_period()
    found: list[list[Found]] = []
    for text in texts:
        items, at = [], 0
        for words, _ in search_dates(text, languages=["en"], settings=_DATEPARSER_SETTINGS) or []:
            at = max(text.find(words, at), at)
            value = read(words)
            if value is not None:
                items.append(Found(at, at + len(words), value))
            at += len(words)
        found.append(items)
    return found


_DATEPARSER_SETTINGS = {
    "REQUIRE_PARTS": ["year"],
    "PREFER_DAY_OF_MONTH": "first",
    "RELATIVE_BASE": datetime(2020, 6, 15),
}


def _dateparser_period() -> Callable[[str], tuple[str, str] | None]:
    """The value of an expression that was found: the parser wants it without the words around it."""
    parser = _library("dateparser.date", "dateparser").DateDataParser(languages=["en"], settings=_DATEPARSER_SETTINGS)
    edges = re.compile(
        r"^(?:(?:in|on|from|the|at|of|since|by|until|between)\s+)+|[\s,.]+(?:the|a|of|by)?$", re.IGNORECASE
    )

    def read(words: str) -> tuple[str, str] | None:
        data = parser.get_date_data(edges.sub("", words))
        return _of_period(data.date_obj.date(), str(data.period)) if data.date_obj else None

    return read


def _of_period(day: date, period: str) -> tuple[str, str]:
    if period == "year":
        return f"{day.year:04}-01-01", f"{day.year:04}-12-31"
    if period == "month":
        last = day.replace(day=monthrange(day.year, day.month)[1])
        return day.replace(day=1).isoformat(), last.isoformat()
    return day.isoformat(), day.isoformat()


def _recognizers(texts: Sequence[str]) -> list[list[Found]]:
    """Microsoft's recognizers; what has no year of its own is left out, and the ends of periods are made inclusive."""
    library = _library("recognizers_date_time", 'recognizers-text-date-time "emoji<2"')
    found: list[list[Found]] = []
    for text in texts:
        items = []
        for one in library.recognize_datetime(text, library.Culture.English, reference=datetime(2020, 6, 15)):
            values = (one.resolution or {}).get("values") or []
            value = _recognized(one.text, values[0]) if len(values) == 1 else None
            if value is not None:
                items.append(Found(one.start, one.end + 1, value))
        found.append(items)
    return found


def _recognized(words: str, value: Mapping[str, str]) -> tuple[str, str] | None:
    if value.get("type") == "date" and "value" in value and re.search(r"\d{4}", words):
        return value["value"], value["value"]
    if value.get("type") != "daterange" or "start" not in value or "end" not in value or not re.search(r"\d{3}", words):
        return None
    if value["timex"].startswith("("):  # both ends are named, and a year means its first day
        return value["start"], re.sub(r"-01-01$", "-12-31", value["end"])
    return value["start"], (date.fromisoformat(value["end"]) - timedelta(days=1)).isoformat()


def _timexy(texts: Sequence[str]) -> list[list[Found]]:
    """Timexy's patterns in an empty spaCy pipeline."""
    _library("timexy", "timexy spacy")  # it registers its component
    pipeline = _library("spacy", "timexy spacy").blank("en")
    pipeline.add_pipe("timexy")
    found: list[list[Found]] = []
    for text in texts:
        items = []
        for one in pipeline(text).ents:
            value = re.search(r'type="DATE" value="(\d{4}-\d\d-\d\d)', one.kb_id_)
            if value is not None:
                period = "day" if len(re.findall(r"\d+", one.text)) > 1 else "month"
                items.append(
                    Found(one.start_char, one.end_char, _of_period(date.fromisoformat(value.group(1)), period))
                )
        found.append(items)
    return found


def _spacy_dateparser(texts: Sequence[str]) -> list[list[Found]]:
    """DATE entities of spaCy's small English model, read with dateparser."""
    read = _dateparser_period()
    found: list[list[Found]] = []
    for doc in load_pipeline().pipe(texts):
        pairs = ((one, read(one.text)) for one in doc.ents if one.label_ == "DATE" and re.search(r"\d{4}", one.text))
        found.append([Found(one.start_char, one.end_char, value) for one, value in pairs if value is not None])
    return found


READERS: dict[str, Reader] = {
    "ours": _ours,
    "dateparser": _dateparser,
    "recognizers": _recognizers,
    "timexy": _timexy,
    "spacy+dateparser": _spacy_dateparser,
}


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
            same = [
                one
                for one in dates
                if _found(one).value == label(item).value and one.start < item["end"] and item["start"] < one.end
            ]
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
                        print(
                            f"{sentence.id} {name}: {getattr(one, name)!r}, not {item[name]!r} | {item['text']} | {sentence.text}"
                        )
    for name, values in fields.items():
        figure = wilson(sum(values), len(values))
        print(
            f"{name:<12} {percent(figure.value or 0)} [{percent(figure.low or 0)}, {percent(figure.high or 0)}] n={figure.n}"
        )


if __name__ == "__main__":
    main()
