from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.text.sentences import split_sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["Dr. Smith met Mr. Jones.", "They ate 3.5 pies."],
        ["Some fruit, e.g. figs, is sweet.", "It grows in the U.S. and the U.K. too."],
        ["He moved to the U.S.", "The plan failed."],
        ["J. R. R. Tolkien wrote it.", "Vitamin C.", "It helps."],
        ["The hut (see p. 5. It is small) has no door.", "Bring a tent."],
        ['He said "No pets."', "Then he left."],
        ['"Really?" he asked.', "Yes."],
        ["Wait... what?", "Yes…", "But no."],
        ["no pets allowed.", "free wifi."],
        ["No. 7 is closed.", "Pets: no."],
        ["1. Mix the flour.", "2. Stir."],
        ["Yahoo! is a name.", "(No dogs.)", "Cats are fine."],
        ["It costs 5.50.", "Version 2.0.", "Next."],
    ],
)
def test_sentences_on_one_line(sentences: list[str]) -> None:
    text = "  ".join(sentences)
    assert [span.of(text) for span in split_sentences(text)] == sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Ingredients:\n- flour\n- oil\n\nNo egg.", ["Ingredients:", "- flour", "- oil", "No egg."]),
        ("a line that was\nwrapped by hand.", ["a line that was\nwrapped by hand."]),
        ("Facilities • sauna • no pool", ["Facilities", "• sauna", "• no pool"]),
        ("   ", []),
    ],
)
def test_lines_and_bullets(text: str, sentences: list[str]) -> None:
    assert [span.of(text) for span in split_sentences(text)] == sentences


@given(st.text(st.characters() | st.sampled_from(".!?…\n \"'()[]•No1"), max_size=80))
def test_sentences_partition_what_is_not_white_space(text: str) -> None:
    spans = split_sentences(text)
    covered = [at for span in spans for at in range(span.start, span.end)]
    assert covered == sorted(set(covered))
    assert {at for at, character in enumerate(text) if not character.isspace()} <= set(covered)
    assert all(span.of(text).strip() == span.of(text) != "" for span in spans)
