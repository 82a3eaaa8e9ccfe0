"""All records of a shard in one call, though one of them may break it.

A model's result depends in its last bits on the batch, and so on the whole shard. Therefore going one by one only finds out
what must be left out; the rest is then done together, and comes out the same whether or not processes died on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from constraintsuite.execution.care import NOT_OF_A_RECORD, Care, read_poison

Record = TypeVar("Record")
Made = TypeVar("Made")


def in_bulk(
    care: Care,
    records: Sequence[Record],
    name_of: Callable[[Record], str],
    make: Callable[[tuple[Record, ...]], Iterable[Made]],
    harmless: Record,
) -> list[Made | None]:
    """What `make` gives for each record, None for those that break it; `make` gives one result a record.

    `harmless` is one that no model breaks at: with it a model is loaded before any other record can be blamed for that.
    """
    if not care.one_by_one:
        try:
            return _all_but_poison(care, records, name_of, make)
        except NOT_OF_A_RECORD:
            raise
        except Exception:  # of which record, is found out below
            pass
    list(make((harmless,)))
    for _ in care.each(records, name_of, make):
        pass
    return _all_but_poison(care, records, name_of, make)


def _all_but_poison(
    care: Care,
    records: Sequence[Record],
    name_of: Callable[[Record], str],
    make: Callable[[tuple[Record, ...]], Iterable[Made]],
) -> list[Made | None]:
    known = {poison.record for poison in care.poison}
    left = [place for place, record in enumerate(records) if name_of(record) not in known]
    made = make(tuple(records[place] for place in left)) if left else ()
    whole: list[Made | None] = [None] * len(records)
    for place, one in zip(left, made, strict=True):
        whole[place] = one
    return whole


def left_out(folder: Path, shards: Iterable[str]) -> list[str]:
    """What was left out of these shards and why, in words."""
    return [f"left out {each.record}: {each.reason}" for shard in shards for each in read_poison(folder, shard)]
