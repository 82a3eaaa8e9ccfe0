from __future__ import annotations

import numpy as np
import pytest

from constraintsuite.mechanism.contrasts.files import PlainContrast, mark_plain
from constraintsuite.mechanism.contrasts.records import ROLES
from constraintsuite.mechanism.contrasts.tokens import TokenContrast, TokenPair, tokenise
from constraintsuite.mechanism.patching.batches import PADDED, RunName, buckets, role_places, stack, transfer
from mechanism.contrasts.contrast_factory import exchange, make_tokenization, swap

LONGER = mark_plain(
    PlainContrast("longer", "soup that does not have cream", "a soup", "hot cream", "soup that has cream", y=("cream",))
)


def _pairs(*, left: bool = False) -> list[TokenPair]:
    return [pair for one in _made(left=left) for pair in one.pairs]


def _made(*, left: bool = False) -> tuple[TokenContrast, ...]:
    contrasts = [swap(), LONGER, exchange("coconut milk", "cream")]
    return tokenise(contrasts, make_tokenization(left=left)).contrasts


@pytest.mark.parametrize("left", [False, True])
def test_rows_are_filled_up_as_the_model_does(left: bool) -> None:
    tokenization = make_tokenization(left=left)
    pairs = _made(left=left)[1].pairs
    stacked = stack(pairs, tokenization.padding)
    contrast = LONGER
    batch = tokenization.batch(
        [(pair.query.text, pair.text.text) for pair in (contrast.better, contrast.worse)]  # the longest of both runs
    )
    for mine, expected in zip(stacked["clean"].tokens, batch, strict=True):
        assert mine.tolist() == expected.tolist()


@pytest.mark.parametrize("left", [False, True])
def test_roles_and_partners_move_with_their_rows(left: bool) -> None:
    pairs = _pairs(left=left)
    stacked = stack(pairs, make_tokenization(left=left).padding)
    for row, pair in enumerate(pairs):
        there = stacked["clean"].tokens.attention_mask[row] == 1
        assert (stacked["clean"].roles[row][~there] == PADDED).all()
        assert stacked["clean"].roles[row][there].tolist() == pair.clean.roles.tolist()
        for place, partner in zip(np.flatnonzero(there), pair.to_corrupt, strict=True):
            found = stacked["clean"].partners[row, place]
            if partner < 0:
                assert found == -1
            else:
                assert stacked["corrupt"].tokens.input_ids[row, found] == pair.corrupt.ids[partner]


def test_a_place_takes_from_its_partner_or_the_mean_of_its_role() -> None:
    pair = _made()[1].better
    stacked = stack([pair], make_tokenization().padding)
    weights, where = transfer(stacked, "corrupt")
    has = int(np.flatnonzero(pair.to_clean < 0)[0])
    cues = np.flatnonzero(stacked["clean"].roles[0] == ROLES.index("q_cue"))
    assert cues.tolist() == [3, 4, 5]  # does not have
    assert weights[0, has].tolist() == pytest.approx(
        [1 / 3 if place in cues else 0 for place in range(len(pair.clean))]
    )
    assert weights[0, has + 1].tolist() == [float(place == 6) for place in range(len(pair.clean))]
    assert where[0].tolist() == [True] * len(pair.corrupt) + [False] * (len(pair.clean) - len(pair.corrupt))


def test_a_role_that_the_other_run_lacks_is_left_alone() -> None:
    contrast = mark_plain(PlainContrast("any", "soup with no cream", "a", "b", "soup with cream", y=("cream",)))
    pair = tokenise([contrast], make_tokenization()).contrasts[0].better
    assert pair.to_corrupt[3] == -1
    where = transfer(stack([pair], make_tokenization().padding), "clean")[1][0]
    assert np.flatnonzero(~where).tolist() == [3]


@pytest.mark.parametrize("into", ["clean", "corrupt"])
def test_all_of_the_other_run_is_taken_over_where_rows_are_one_to_one(into: RunName) -> None:
    pairs = _made()[0].pairs
    stacked = stack(pairs, make_tokenization().padding)
    other = stacked["corrupt" if into == "clean" else "clean"]
    values = np.random.default_rng(0).normal(size=(*other.roles.shape, 3)).astype(np.float32)
    weights, where = transfer(stacked, into)
    there = stacked[into].tokens.attention_mask == 1
    assert np.array_equal(where, there)
    assert np.array_equal((weights @ values)[there], values[there])


def test_the_places_of_a_role_are_those_of_either_run() -> None:
    pair = tokenise([exchange()], make_tokenization()).contrasts[0].better
    stacked = stack([pair], make_tokenization().padding)
    found = np.flatnonzero(role_places(stacked, "clean", "d_y")[0])
    assert [int(pair.clean.ids[place]) for place in found] == [
        make_tokenization().batch([(word, "a")]).input_ids[0, 1] for word in ("garlic", "cream")
    ]


@pytest.mark.parametrize("most", [1, 100, 150, 10_000])
def test_buckets_hold_no_more_than_they_may(most: int) -> None:
    contrasts = [*_made(), *_made()]
    found = list(buckets(contrasts, most))
    assert sorted(place for bucket in found for place in bucket) == list(range(len(contrasts)))
    for bucket in found:
        rows = sum(2 * len(contrasts[place].pairs) for place in bucket)
        longest = max(contrasts[place].longest for place in bucket)
        assert len(bucket) == 1 or rows * longest <= most


def test_buckets_go_by_the_rows_that_are_really_stacked() -> None:
    short, *_, long = sorted(_made(), key=lambda one: one.longest)
    most = 2 * len(short.pairs) * short.longest * 2  # two short ones, not one short and a long one
    assert list(buckets([short, short], most)) == [[0, 1]]
    assert list(buckets([short, short], most, [short.pairs, long.pairs])) == [[1], [0]]
