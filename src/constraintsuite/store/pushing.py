"""From the folder here to the store: files first, the manifest last, and only if nobody else finished meanwhile."""

from __future__ import annotations

import json
import platform
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

from constraintsuite.errors import UserError
from constraintsuite.store.files import write_text
from constraintsuite.store.objects import ListedObject, together
from constraintsuite.store.pulling import MANIFEST, content_of, is_manifest, named_files, pull
from constraintsuite.store.seen import CLAIM, Copy, folder_of, joined


def publish(
    copy: Copy, folder: str, manifest: str, hashes: Mapping[str, str], apart: Collection[str], owner: str
) -> str:
    """Make the store's folder the finished one that is here, and give the manifest that stands in the end.

    `hashes` has every file that belongs to it by name inside the folder, with its hash where that is known; `apart` are
    the folders inside that are no part of it. What was there before is read whole or found unfinished, never mixed. If
    others finished the same content meanwhile, theirs stands; if other content, it is a UserError and theirs stands.
    """
    target, data = joined(folder, MANIFEST), manifest.encode()
    content = content_of(data, copy.store.address(target))
    wanted = {joined(folder, name): sha256 for name, sha256 in hashes.items()}
    with _claimed(copy, folder, content, owner):
        entries = copy.store.entries(folder)
        if _finished_by_others(copy, target, entries.get(target), content):
            return _adopted(copy, folder, manifest)
        changed = [name for name, sha256 in wanted.items() if not copy.in_step(name, entries.get(name), sha256)]
        gone = [name for name in _own(copy, folder, apart) if name not in wanted and name in entries]
        if target in entries:
            if not changed and not gone and copy.store.read(target) == data:
                return _written(copy, target, manifest)
            _remove(copy, [target])  # first: from now on the folder is unfinished there
        _upload(copy, changed, wanted)
        _remove(copy, gone)
        if not copy.store.create(target, data) and _finished_by_others(copy, target, copy.store.look(target), content):
            return _adopted(copy, folder, manifest)
        return _written(copy, target, manifest)


def push(copy: Copy, name: str) -> None:
    """Bring what is here of `name` to the store: files that changed, then the manifests of finished folders.

    Nothing is removed there. A folder that is finished there is unfinished while files of it are replaced. One that is
    finished here and has a file that its manifest does not know is a UserError, and all there stays as it is.
    """
    names = copy.files(name)
    entries = copy.store.entries(name)
    changed = [each for each in names if not copy.in_step(each, entries.get(each))]
    late = [each for each in changed if is_manifest(each)]
    for each in late:
        _finished_by_others(copy, each, entries.get(each), _content_here(copy, each))
    files = [each for each in changed if not is_manifest(each)]
    touched = {each for each in entries if is_manifest(each) and _names_one(copy, each, files)}.union(late)
    standing = sorted(touched & set(names), key=lambda one: -one.count("/"))  # those deep inside first
    for each in standing:
        _refuse_changed(copy, each, files)
    _remove(copy, sorted(touched & entries.keys()))
    _upload(copy, files, {})
    for each in standing:
        if not copy.store.create(each, copy.file(each).read_bytes()):
            _finished_by_others(copy, each, copy.store.look(each), _content_here(copy, each))
        _note(copy, each)


def remove(copy: Copy, name: str) -> None:
    """Take `name` and all under it out of the store; first the manifests, so that nobody takes the rest for finished."""
    entries = copy.store.entries(name)
    manifests = [each for each in entries if is_manifest(each)]
    _remove(copy, manifests)
    _remove(copy, [each for each in entries if each not in manifests])


@contextmanager
def _claimed(copy: Copy, folder: str, content: str, owner: str) -> Iterator[None]:
    """Keeps other machines from finishing other content in this folder while the block runs.

    A claim of the same content, or one that this mirror left when it was killed, stands in nobody's way.
    """
    name = joined(folder, CLAIM)
    claim = {
        "owner": owner,
        "content": content,
        "host": platform.node(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    for _ in range(3):  # one that is there may be given up before it can be read
        if copy.store.create(name, json.dumps(claim).encode()):
            break
        other = json.loads(copy.store.read(name) or b"{}")
        if other and owner != other.get("owner") and content != other.get("content"):
            raise UserError(
                f"{copy.store.address(folder)}: {other.get('host')} has been writing other content there since "
                f"{other.get('since')}. Wait for it; if it was killed, remove {copy.store.address(name)} and try again."
            )
        if other:
            break
    try:
        yield
    except BaseException:
        with suppress(UserError):  # the error that led here says more; a rerun here passes its own claim
            copy.store.delete([name])
        raise
    copy.store.delete([name])


def _finished_by_others(copy: Copy, manifest: str, entry: ListedObject | None, content: str) -> bool:
    """Whether the same content was finished there since this copy last looked; other content is a UserError."""
    known = copy.known(manifest)
    if entry is None or (known is not None and known.version == entry.version):
        return False
    theirs = copy.store.read(manifest)
    if theirs is None:
        return False
    if content_of(theirs, copy.store.address(manifest)) != content:
        raise UserError(
            f"{copy.store.address(folder_of(manifest))}: somebody else finished other content there meanwhile. It was left as "
            "it is. Choose another place, or run the command again to start from what is there."
        )
    return True


def _refuse_changed(copy: Copy, manifest: str, files: Collection[str]) -> None:
    """A UserError if one of these files is not what its folder's manifest here says."""
    promised = named_files(manifest, copy.file(manifest).read_bytes(), copy.store.address(manifest))
    changed = next((each for each in files if each in promised and not copy.fits(each, promised[each])), None)
    if changed is not None:
        raise UserError(
            f"{copy.store.address(changed)}: the copy on this machine was changed after its folder was finished, so nothing was "
            f"sent. Make the folder anew; or delete {copy.root.parent}, and what is in the store comes again."
        )


def _adopted(copy: Copy, folder: str, manifest: str) -> str:
    """Take what others finished: the same files, and their manifest."""
    pull(copy, folder)
    file = copy.file(joined(folder, MANIFEST))
    return file.read_text(encoding="utf-8") if file.is_file() else manifest


def _written(copy: Copy, target: str, manifest: str) -> str:
    write_text(copy.file(target), manifest)
    _note(copy, target)
    return manifest


def _own(copy: Copy, folder: str, apart: Collection[str]) -> Iterator[str]:
    """What came from the store into this folder, or went there from here, and is no manifest of it."""
    for name in copy.all_known(folder):
        inside = name[len(folder) + 1 :] if folder else name
        if inside != MANIFEST and inside.partition("/")[0] not in apart:
            yield name


def _upload(copy: Copy, names: Collection[str], hashes: Mapping[str, str]) -> None:
    def one(name: str) -> None:
        copy.store.put(name, copy.file(name))
        _note(copy, name, hashes.get(name, ""))

    together(one, sorted(names))


def _note(copy: Copy, name: str, sha256: str = "") -> None:
    """Remember the version that was just written; of the wrong size, it is not what was sent."""
    entry, size = copy.store.look(name), copy.file(name).stat().st_size
    if entry is None or entry.size != size:
        raise UserError(
            f"{copy.store.address(name)}: {size:,} bytes were written, and the store has "
            f"{f'{entry.size:,}' if entry else 'none'}. Does somebody else write there? Try again."
        )
    copy.note(name, entry.version, sha256)


def _remove(copy: Copy, names: Collection[str]) -> None:
    copy.store.delete(names)
    for name in names:
        copy.forget(name)


def _content_here(copy: Copy, manifest: str) -> str:
    return content_of(copy.file(manifest).read_bytes(), copy.store.address(manifest))


def _names_one(copy: Copy, manifest: str, names: Collection[str]) -> bool:
    """Whether a manifest in the store promises one of these files."""
    inside = {name for name in names if name.startswith(manifest.removesuffix(MANIFEST))}
    data = copy.store.read(manifest) if inside else None
    return data is not None and not inside.isdisjoint(named_files(manifest, data, copy.store.address(manifest)))
