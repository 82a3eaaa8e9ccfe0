"""Folders in object stores: each URL has a mirror, a local folder in which commands work as in any other.

Commands pull before they read, and push what they finish. A mirror is a cache: while no command works in it, it may be
deleted as a whole, and only unfinished work is lost.
"""

from __future__ import annotations

import json
import os
import re
import uuid
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.download import cache_folder
from constraintsuite.core.store.files import sha256_text, write_text
from constraintsuite.core.store.mirror_push import MARKER, Mirror
from constraintsuite.core.store.sync_state import connect

_URL = re.compile(r"[a-z][a-z0-9+.-]+://")


def is_url(text: str) -> bool:
    """Whether a text is a URL, not a path."""
    return _URL.match(text) is not None


def open_mirror(url: str) -> Mirror:
    """The mirror of a URL, created if it does not exist; nothing is downloaded yet."""
    url = url.rstrip("/")
    scheme, _, place = url.partition("://")
    if not scheme or not place.strip("/"):
        raise UserError(f"{url!r}: this URL names no bucket. Give one such as s3://bucket/folder.")
    connect(url)
    home = _home(url)
    if _url_of(home) is None:
        write_text(home / MARKER, json.dumps({"url": url, "owner": uuid.uuid4().hex}) + "\n")
    return Mirror(url, home / _last(url))


def fetch_url(url: str) -> Path:
    """Download a file or folder of a store that is only read. Raises UserError if it does not exist."""
    scheme, _, place = url.partition("://")
    folder, _, name = place.strip("/").rpartition("/")
    if not folder:
        raise UserError(
            f"{url}: this names no file or folder in a bucket. Give one such as {scheme}://bucket/docs.jsonl."
        )
    mirror = open_mirror(f"{scheme}://{folder}")
    path = mirror.root / name
    mirror.pull(path)
    if not path.exists():
        raise UserError(f"{url}: there is no such object, and no folder of that name. Check the URL.")
    return path


def mirror_of(path: Path) -> Mirror | None:
    """The mirror that contains a path; None for paths elsewhere, and for temporary files."""
    full = os.path.abspath(path)  # noqa: PTH100 - unlike resolve(), it keeps links and takes a microsecond
    if f"{os.sep}mirrors{os.sep}" not in full:
        return None
    inside = Path(full)
    for root in (inside, *inside.parents):
        url = _url_of(root.parent)
        if url is not None:
            is_root = root.name == _last(url)
            return Mirror(url, root) if is_root and not _is_temporary(inside.relative_to(root)) else None
    return None


def push_path(path: Path) -> None:
    """Upload a file or folder if it is in a mirror; otherwise do nothing."""
    mirror = mirror_of(path)
    if mirror is not None:
        mirror.push(path)


def pull_path(path: Path, skip: Path | None = None) -> None:
    """Download a file or folder, except the folder `skip` inside it, if it is in a mirror; otherwise do nothing."""
    mirror = mirror_of(path)
    if mirror is not None:
        mirror.pull(path, skip if skip is not None and skip.is_relative_to(mirror.root) else None)


def remove_from_store(path: Path) -> None:
    """Remove a file or folder from the store if it is in a mirror; the copy on this machine stays."""
    mirror = mirror_of(path)
    if mirror is not None:
        mirror.remove(path)


def shown(path: Path) -> str:
    """A path as the user knows it: as a URL if it is in a mirror."""
    mirror = mirror_of(path)
    return str(path) if mirror is None else mirror.address(path)


def with_urls(text: str) -> str:
    """A message with the folder of every mirror replaced by its URL."""
    mirrors = _home("").parent
    for place in set(re.findall(rf"{re.escape(str(mirrors))}/[0-9a-f]{{32}}", text)):
        url = _url_of(Path(place))
        if url is not None:
            text = text.replace(f"{place}/{_last(url)}", url)
    return text


def _home(url: str) -> Path:
    """The folder that holds the mirror of a URL, its marker and its state."""
    return Path(os.path.abspath(cache_folder())) / "mirrors" / _hash(url)  # noqa: PTH100 - links stay as they are


def _last(url: str) -> str:
    """The last part of the URL. The mirror has the same name, since commands name artifacts by their folder."""
    return url.rpartition("/")[2]


def _hash(url: str) -> str:
    return sha256_text(url)[:32]


def _url_of(home: Path) -> str | None:
    """The URL in a folder's marker; None without a marker, or if the folder was copied from elsewhere."""
    try:
        url = str(json.loads((home / MARKER).read_bytes())["url"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return url if home.name == _hash(url) else None


def _is_temporary(inside: Path) -> bool:
    return any(part.startswith(".") and ".tmp-" in part for part in inside.parts)
