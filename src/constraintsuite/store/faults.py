"""What the drivers of object stores say when something fails: may it pass, and in which words."""

from __future__ import annotations

import errno
from collections.abc import Iterator

from constraintsuite.errors import UserError

_LOCAL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENAMETOOLONG}
_PASSING_CODES = {
    "SlowDown",
    "RequestTimeout",
    "IncompleteBody",
    "BadDigest",
    "ConditionalRequestConflict",
    "OperationAborted",
    "XAmzContentSHA256Mismatch",
    "XAmzContentChecksumMismatch",
}
_PASSING_NAMES = {
    "ChecksumError",
    "ClientConnectionError",
    "ClientPayloadError",
    "ConnectionError",
    "HTTPClientError",
    "IncompleteError",
    "IncompleteRead",
    "IncompleteReadError",
    "ResponseParserError",
    "ServiceRequestError",
    "ServiceResponseError",
    "TimeoutError",
}


class IncompleteError(Exception):
    """Fewer bytes came than the store has."""


class Refused(UserError):  # noqa: N818 - it reads as what happened
    """The store said no, and will say so again."""

    @classmethod
    def of(cls, error: BaseException, address: str) -> BaseException:
        """The error to raise: a full disk of this machine stays what it is."""
        if isinstance(error, OSError) and error.errno in _LOCAL:
            return error
        return cls(f"{address}: the store refused: {said(error)}. Check its name, the credentials and their rights.")


def may_pass(error: BaseException) -> bool:
    """Whether the same call may well succeed a little later."""
    for each in _causes(error):
        if _code(each) in _PASSING_CODES or _PASSING_NAMES & {kind.__name__ for kind in type(each).__mro__}:
            return True
        status = _status(each)
        if status is not None:
            return status >= 500 or status in (408, 429)
    return False


def is_there_already(error: BaseException) -> bool:
    """Whether a conditional put failed because there is such an object."""
    return any(isinstance(each, FileExistsError) or _status(each) == 412 for each in _causes(error))


def knows_no_condition(error: BaseException) -> bool:
    """Whether the store or its driver has no conditional put."""
    return any(isinstance(each, NotImplementedError) or _status(each) == 501 for each in _causes(error))


def said(error: BaseException) -> str:
    """The words of the store, in one line."""
    lines = [line for each in _causes(error) for line in str(each).strip().splitlines()[:1]]
    return (lines[0] if lines else type(error).__name__).rstrip(".")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, and what it came from."""
    seen: set[int] = set()
    each: BaseException | None = error
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        yield each
        each = each.__cause__ or each.__context__


def _status(error: BaseException) -> int | None:
    """The HTTP status, wherever the driver keeps it."""
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        found = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    else:
        named = (getattr(error, name, None) for name in ("status_code", "status", "code"))
        found = next((value for value in named if value is not None), None)
    try:
        return int(found) if found is not None else None
    except (TypeError, ValueError):
        return None


def _code(error: BaseException) -> str:
    response = getattr(error, "response", None)
    return str(response.get("Error", {}).get("Code", "")) if isinstance(response, dict) else ""
