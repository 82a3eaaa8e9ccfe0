"""Tables entry by entry, against the whole at once."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.suites.corpus.files import read_table, write_table

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


@given(st.dictionaries(TEXTS, TEXTS, max_size=5))
def test_a_table_is_one_json_object_and_comes_back(entries: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.json"
        write_table(path, entries.items())
        assert path.read_bytes().decode() == json.dumps(entries, ensure_ascii=False, indent=0) + "\n"
        assert dict(read_table(path)) == entries


@pytest.mark.parametrize("text", ['{"a": "x", "b": "y"}\n', "{\nsomething\n}\n"])
def test_a_file_that_was_written_otherwise_is_refused_with_the_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "table.json").write_text(text)
    with pytest.raises(UserError, match=r"table\.json:\d: "):
        list(read_table(tmp_path / "table.json"))
