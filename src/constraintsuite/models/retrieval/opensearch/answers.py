"""Read the answers of a search server; unexpected and incomplete ones are errors."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.text import clip
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.http.errors import RETRIED_STATUSES, BadAnswerError, RefusalError, TransientError
from constraintsuite.models.http.client import one_number, part_of
from constraintsuite.models.retrieval.base import EngineHit

_WINDOW = 10_000  # the default of max_result_window


class IndexFacts(NamedTuple):
    """The facts of an index that decide what is found."""

    documents: int
    similarity: str
    k1: float | None
    b: float | None
    analyser: str
    window: int
    """The largest number of documents per query."""
    digest: str
    """Hash of the index; a rebuilt index has another one, even with the same documents."""


def read_settings(answer: object) -> dict[str, Mapping[str, object]]:
    """The settings of an index, or of each index of an alias."""
    found = {name: part_of(entry, "settings", "index") for name, entry in _entries(answer).items()}
    settings = {name: index for name, index in found.items() if isinstance(index, Mapping)}
    if not settings or len(settings) < len(found):
        raise BadAnswerError("there are no settings of an index in it", answer)
    return settings


def read_fields(answer: object, indexes: Mapping[str, object]) -> dict[str, Mapping[str, object]]:
    """The fields of each index with their mappings."""
    fields: dict[str, Mapping[str, object]] = {}
    for index in indexes:
        named = _entries(part_of(answer, index, "mappings"))
        # The key of the mapping is the last part of the field's name.
        fields[index] = {
            name: next(iter(_entries(part_of(entry, "mapping")).values()), {}) for name, entry in named.items()
        }
    return fields


def read_count(answer: object) -> int:
    """The number of documents."""
    count = part_of(answer, "count")
    if not isinstance(count, int) or isinstance(count, bool):
        raise BadAnswerError("there is no count in it", answer)
    _refuse_partial(answer)
    return count


def read_rankings(answer: object, count: int) -> list[list[EngineHit]]:
    """The hits of each of `count` searches, best first; a failed search is an error."""
    responses = part_of(answer, "responses")
    if not isinstance(responses, list) or len(responses) != count:
        raise BadAnswerError(f"there are no {count} responses in it", answer)
    return [_ranking_of(response) for response in responses]


def _ranking_of(response: object) -> list[EngineHit]:
    status = part_of(response, "status")
    if part_of(response, "error"):
        reason = clip(str(_reason(response)))
        if status in RETRIED_STATUSES:
            raise TransientError(f"{status} for a search", reason)
        code = status if isinstance(status, int) else 400
        raise RefusalError(code, f"a search was refused ({code}): {reason}")
    _refuse_partial(response)
    hits = part_of(response, "hits", "hits")
    if not isinstance(hits, list):
        raise BadAnswerError("one of its responses has no hits", response)
    return [EngineHit(_id_of(hit, response), one_number(part_of(hit, "_score"), response)) for hit in hits]


def _id_of(hit: object, response: object) -> str:
    found = part_of(hit, "_id")
    if not isinstance(found, str):
        raise BadAnswerError("one of its hits has no _id", response)
    return found


def _refuse_partial(answer: object) -> None:
    """Raise an error for incomplete results: servers answer even if a shard of the index is missing."""
    shards = part_of(answer, "_shards")
    total, successful, failed = (part_of(shards, key) for key in ("total", "successful", "failed"))
    if not (isinstance(total, int) and isinstance(successful, int) and isinstance(failed, int)):
        raise BadAnswerError("it does not say how many shards of the index took part", answer)
    if failed or successful < total:
        raise TransientError("incomplete answer", f"only {successful} of {total} shards of the index took part")
    if part_of(answer, "timed_out") or part_of(answer, "terminated_early"):
        raise TransientError("incomplete answer", "the search was broken off before its end")


def _reason(response: object) -> object:
    error = part_of(response, "error")
    return part_of(error, "root_cause", "reason") or part_of(error, "reason") or error


def read_facts(
    settings: Mapping[str, Mapping[str, object]], fields: Mapping[str, object], documents: int
) -> IndexFacts:
    """The facts from the settings and the field of each index; of several, the first counts."""
    first = min(settings)
    named = part_of(fields[first], "similarity")
    similarity = part_of(part_of(settings[first], "similarity"), named if isinstance(named, str) else "default")
    kind = part_of(similarity, "type") or ("boolean" if named == "boolean" else "BM25")
    k1, b = (None, None) if kind != "BM25" else (_number(similarity, "k1", 1.2), _number(similarity, "b", 0.75))
    window = min(int(_number(index, "max_result_window", _WINDOW)) for index in settings.values())
    decisive = {
        name: [fields[name], *(index.get(key) for key in ("uuid", "version", "analysis", "similarity"))]
        for name, index in sorted(settings.items())
    }
    digest = sha256_text(json.dumps(decisive, sort_keys=True), str(documents))
    return IndexFacts(documents, str(kind), k1, b, str(part_of(fields[first], "analyzer") or "default"), window, digest)


def _number(settings: object, key: str, default: float) -> float:
    """A numeric setting, which servers give as text."""
    value = part_of(settings, key)
    try:
        number = float(value) if isinstance(value, str | int | float) else default
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise UserError(
            f"The search server says that {key} of the index is {clip(repr(value))[:40]}, which is not a number."
        )
    return number


def _entries(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}
