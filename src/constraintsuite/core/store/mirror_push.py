"""Push from the mirror of a URL to its object store.

Readers of the store find a folder whole or unfinished: its manifest is removed before a file of it changes, and written last.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import write_text
from constraintsuite.core.store.mirror_pull import MANIFEST, PulledMirror, folder_of, is_manifest, join, read_fields
from constraintsuite.core.store.object_store import ListedObject, in_parallel
from constraintsuite.core.store.sync_state import CLAIM

ENVIRONMENT = "environment.json"
MARKER = ".mirror.json"
"""The file beside a mirror that names its URL, and its owner among all mirrors of that URL."""


@dataclass(frozen=True)
class Mirror(PulledMirror):
    """A URL and the folder here that is its copy. All paths are inside that folder."""

    def publish(self, path: Path, manifest: str, hashes: Mapping[str, str], apart: Collection[str]) -> str:
        """Finish a folder there and here; returns the manifest that stands, which is that of others if they were faster.

        `hashes` has every file that belongs to it by name inside the folder, with its hash where that is known; `apart` are
        the folders inside that are no part of it. Readers find what was there before whole, or find the folder unfinished,
        never a mixture. If others finished the same content meanwhile, theirs stands; other content is a UserError.
        """
        folder = self.name_of(path)
        wanted = {join(folder, name): sha256 for name, sha256 in hashes.items()}
        former = [
            name
            for name in self.all_known(folder)
            if name not in wanted and name.removeprefix(f"{folder}/").partition("/")[0] not in {MANIFEST, *apart}
        ]
        return self._publish(folder, manifest, wanted, former)

    def push(self, path: Path) -> None:
        """Bring a file or folder to the store: files that changed, hidden ones too; nothing is removed there.

        Finished folders are published. A file that was changed after its folder was finished is a UserError, and nothing is
        sent. A folder that is finished there but no longer here becomes unfinished there when a file of it is sent.
        """
        name = self.name_of(path)
        names, entries = self.files(name), self.store.entries(name)
        changed = {each for each in names if not self.is_synced(each, entries.get(each))}
        finished = {each: self.hashes_in(each, self.file(each).read_bytes()) for each in filter(is_manifest, names)}
        for each, hashes in finished.items():
            if changed & {each, *hashes}:
                self._refuse_changed(hashes)
        for each in sorted(finished, key=lambda one: -one.count("/")):  # those deep inside first
            folder = folder_of(each)
            content = finished[each] | dict.fromkeys({join(folder, ENVIRONMENT)} & set(names), "")
            if changed & {each, *content}:
                self._publish(folder, self.file(each).read_text(encoding="utf-8"), content, ())
            changed -= {each, *content}
        for each in filter(is_manifest, entries.keys() - finished.keys()):
            inside = any(one.startswith(each.removesuffix(MANIFEST)) for one in changed)
            data = self.store.read(each) if inside else None
            if data is not None and changed & self.hashes_in(each, data).keys():
                self._delete([each])
        self._upload(changed, {})

    def remove(self, path: Path) -> None:
        """Take a file or folder out of the store, manifests first; what is here stays."""
        entries = self.store.entries(self.name_of(path))
        self._delete([each for each in entries if is_manifest(each)])
        self._delete([each for each in entries if not is_manifest(each)])

    def _publish(self, folder: str, manifest: str, wanted: Mapping[str, str], former: Collection[str]) -> str:
        """See `publish`; `former` are files that are no part of the folder any more."""
        target, data = join(folder, MANIFEST), manifest.encode()
        content = read_fields(data, self.store.address(target))["content"]
        with self._claimed(folder, content):
            entries = self.store.entries(folder)
            if self._is_finished_by_others(target, entries.get(target), content):
                return self._adopt(folder, manifest)
            changed = [name for name, sha256 in wanted.items() if not self.is_synced(name, entries.get(name), sha256)]
            gone = entries.keys() & set(former)
            if changed or gone or self.store.read(target) != data:
                self._delete(entries.keys() & {target})  # first: from now on the folder is unfinished there
                self._upload(changed, wanted)
                self._delete(gone)
                created = self.store.create(target, data)
                if not created and self._is_finished_by_others(target, self.store.find(target), content):
                    return self._adopt(folder, manifest)
            write_text(self.file(target), manifest)
            self._note_sent(target)
            return manifest

    def _adopt(self, folder: str, manifest: str) -> str:
        """Take what others finished: the same files, and their manifest."""
        self.pull(self.root / folder)
        file = self.root / folder / MANIFEST
        return file.read_text(encoding="utf-8") if file.is_file() else manifest

    @contextmanager
    def _claimed(self, folder: str, content: str) -> Iterator[None]:
        """Keep other machines from finishing other content in this folder while the block runs.

        A claim of the same content, or one that this mirror left when it was killed, does not count.
        """
        name = join(folder, CLAIM)
        owner = json.loads((self.root.parent / MARKER).read_bytes())["owner"]
        since = datetime.now(UTC).isoformat(timespec="seconds")
        claim = {"owner": owner, "content": content, "host": platform.node(), "since": since}
        for _ in range(3):  # one that is there may be given up before it can be read
            if self.store.create(name, json.dumps(claim).encode()):
                break
            other = json.loads(self.store.read(name) or b"{}")
            if other and owner != other.get("owner") and content != other.get("content"):
                raise UserError(
                    f"{self.store.address(folder)}: {other.get('host')} has been writing other content there since "
                    f"{other.get('since')}. Wait for it; if it was killed, remove {self.store.address(name)} and try again."
                )
            if other:
                break
        try:
            yield
        except BaseException:
            with suppress(UserError):  # the error that led here says more; a rerun here passes its own claim
                self.store.delete([name])
            raise
        self.store.delete([name])

    def _is_finished_by_others(self, manifest: str, entry: ListedObject | None, content: str) -> bool:
        """Whether the same content was finished there since this copy last looked; other content is a UserError."""
        known = self.known(manifest)
        if entry is None or (known is not None and known.version == entry.version):
            return False
        theirs = self.store.read(manifest)
        if theirs is not None and read_fields(theirs, self.store.address(manifest)).get("content") != content:
            raise UserError(
                f"{self.store.address(folder_of(manifest))}: somebody else finished other content there meanwhile. It was left "
                "as it is. Choose another place, or run the command again to start from what is there."
            )
        return theirs is not None

    def _refuse_changed(self, hashes: Mapping[str, str]) -> None:
        for name, sha256 in sorted(hashes.items()):
            if not self.has_hash(name, sha256):
                raise UserError(
                    f"{self.store.address(name)}: the copy on this machine was changed after its folder was finished, so nothing "
                    f"was sent. Make the folder again, or delete {self.root.parent} to download what is in the store."
                )

    def _upload(self, names: Collection[str], hashes: Mapping[str, str]) -> None:
        def send(name: str) -> None:
            self.store.put(name, self.file(name))
            self._note_sent(name, hashes.get(name, ""))

        in_parallel(send, names)

    def _note_sent(self, name: str, sha256: str = "") -> None:
        """Remember the version that was just written; an object of another size is a UserError."""
        entry, size = self.store.find(name), self.file(name).stat().st_size
        if entry is None or entry.size != size:
            raise UserError(
                f"{self.store.address(name)}: {size:,} bytes were written, and the store has "
                f"{f'{entry.size:,}' if entry else 'none'}. Does somebody else write there? Try again."
            )
        self.note(name, entry.version, sha256)

    def _delete(self, names: Collection[str]) -> None:
        self.store.delete(names)
        for name in names:
            self.forget(name)
