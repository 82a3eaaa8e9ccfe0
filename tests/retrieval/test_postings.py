"""What is kept of the documents of a part: all of it comes back from a file, and it counts right."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.retrieval.postings import CorpusStatistics, collect_postings, read_postings, write_postings

ASKED = ("leek", "soup", "é")
DOCUMENTS = st.dictionaries(
    st.text(max_size=4), st.lists(st.sampled_from([*ASKED, "pasta", "the"]), max_size=300), max_size=9
)


def test_only_what_is_asked_for_is_kept_and_all_terms_count_for_the_length() -> None:
    postings = collect_postings([("b", ["soup", "of", "leek", "soup"]), ("a", ["pasta"]), ("c", [])], ASKED)
    assert postings.ids == ["b", "a", "c"]
    assert postings.lengths.tolist() == [4, 1, 0]
    assert postings.held.tolist() == [2, 0, 0]
    assert list(zip(postings.terms.tolist(), postings.times.tolist(), strict=True)) == [(1, 2), (0, 1)]
    assert postings.counts(ASKED) == CorpusStatistics(3, 5, {"leek": 1, "soup": 1})


@given(DOCUMENTS)
def test_a_file_gives_back_what_was_written(documents: dict[str, list[str]]) -> None:
    written = collect_postings(documents.items(), ASKED)
    with tempfile.TemporaryDirectory() as folder:
        write_postings(Path(folder) / "postings.npz", written)
        read = read_postings(Path(folder) / "postings.npz")
    assert read.ids == written.ids
    for name in ("lengths", "held", "terms", "times"):
        assert getattr(read, name).tolist() == getattr(written, name).tolist()
    assert read.counts(ASKED) == written.counts(ASKED)


@pytest.mark.parametrize(("times", "kind"), [(1, "uint8"), (256, "uint16"), (65_536, "uint32")])
def test_numbers_take_as_few_bytes_as_will_do(tmp_path: Path, times: int, kind: str) -> None:
    write_postings(tmp_path / "postings.npz", collect_postings([("a", ["leek"] * times)], ASKED))
    read = read_postings(tmp_path / "postings.npz")
    assert (str(read.terms.dtype), str(read.times.dtype)) == ("uint8", kind)
    assert read.times.tolist() == [times]
