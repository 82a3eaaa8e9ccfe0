"""A set of digests, against one of Python's."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.suites.stages.documents import DIGEST_BYTES, DigestSet, digest_of

# Two different bytes only, so that one digest often ends as another begins, and many share a bucket.
DIGESTS = st.lists(st.integers(0, 1), min_size=DIGEST_BYTES, max_size=DIGEST_BYTES).map(bytes)


@given(st.lists(DIGESTS), DIGESTS)
def test_what_was_put_in_is_in_and_nothing_else(digests: list[bytes], other: bytes) -> None:
    found = DigestSet()
    expected: set[bytes] = set()
    for digest in digests:
        assert (digest in found) == (digest in expected)
        if digest not in expected:
            found.add(digest)
            expected.add(digest)
    assert (other in found) == (other in expected)


def test_the_end_of_one_and_the_beginning_of_the_next_are_no_digest() -> None:
    bucket, tail = b"\0\0", b"\1" * 7
    digests = [bucket + b"\2" * 7 + tail, bucket + tail + b"\3" * 7]
    found = DigestSet()
    for digest in digests:
        found.add(digest)
    assert bucket + tail + tail not in found
    assert all(digest in found for digest in digests)


def test_texts_have_digests_of_their_own() -> None:
    assert len({digest_of(text) for text in ("", "a", "A", "é", "\ud800")}) == 5
    assert all(len(digest_of(text)) == DIGEST_BYTES for text in ("", "a"))
