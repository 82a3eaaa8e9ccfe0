"""JSON, for programs."""

from __future__ import annotations

import json

from constraintsuite.core.records.tables import Table


def json_table(table: Table) -> str:
    """The name, the caption, the kinds of the columns, and one object per row."""
    columns = [{"title": column.title, "kind": column.kind} for column in table.columns]
    content = {"name": table.name, "caption": table.caption, "columns": columns, "rows": table.to_records()}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
