"""Argilla 2: records as `Dataset.records.from_json` reads and `to_json` writes them; its settings are made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from constraintsuite.annotate.formats.base import Sheet, columns_of, read_json, write_json
from constraintsuite.annotate.tables import Fault, Row, refuse


class Argilla:
    """One dataset an annotator, with the questions of the guide under the same names; ids and text are text questions."""

    def write(self, file: Path, sheet: Sheet) -> None:
        """Write the records without responses."""
        write_json(
            file,
            [{"id": row["row"], "fields": {name: row.get(name, "") for name in sheet.shown}} for row in sheet.rows],
        )

    def read(self, file: Path) -> tuple[tuple[str, ...], list[Row]]:
        """The responses; two people's in one file are a fault, since each is asked in another order."""
        rows: list[Row] = []
        faults: list[Fault] = []
        for number, record in enumerate(read_json(file), 1):
            try:
                cells = {name: _text(said) for name, said in record["responses"].items() if said}
                people = {one.get("user_id") for said in record["responses"].values() for one in said}
                rows += [Row(number, {"row": record["id"], **cells})] if cells else []
            except (KeyError, TypeError, AttributeError):
                faults.append(Fault(number, "this record is not as Argilla's to_json writes it."))
            else:
                faults += [Fault(number, "several people have answered this record.")] if len(people) > 1 else []
        refuse(file, faults)
        return columns_of(rows), rows


def _text(said: list[dict[str, Any]]) -> str:
    value = said[-1]["value"]
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)
