"""Push from the mirror of a URL to its object store.

Readers of the store never see a mixture: a manifest is removed before a file of its folder changes, and written last.
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
"""The file next to a mirror that holds its URL, and a random id that tells it from other mirrors of the URL."""


@dataclass(frozen=True)
class Mirror(PulledMirror):
    """A URL and the local folder that copies it. All paths are inside that folder."""

    def publish(self, path: Path, manifest: str, hashes: Mapping[str, str], separate: Collection[str]) -> str:
        """Publish a finished folder and return its manifest.

        `hashes` has the hash of every file of the folder by its name, empty where it is not known; `separate` names the
        folders inside that are not a part of it. If another machine published the same content first, its manifest is
        returned. Raises UserError if it published different content.
        """
        folder = self.name_of(path)
        wanted = {join(folder, name): sha256 for name, sha256 in hashes.items()}
        former = [
            name
            for name in self.all_known(folder)
            if name not in wanted and name.removeprefix(f"{folder}/").partition("/")[0] not in {MANIFEST, *separate}
        ]
        return self._publish(folder, manifest, wanted, former)

    def push(self, path: Path) -> None:
        """Upload the changed files of a file or folder, hidden ones included; nothing is removed from the store.

        Finished folders are published. Raises UserError if a file was changed after its folder was finished; then
        nothing is uploaded. A folder that is finished in the store but not here becomes unfinished there when a file of
        it is uploaded.
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
        """Remove a file or folder from the store, manifests first; the local copy stays."""
        entries = self.store.entries(self.name_of(path))
        self._delete([each for each in entries if is_manifest(each)])
        self._delete([each for each in entries if not is_manifest(each)])

    def _publish(self, folder: str, manifest: str, wanted: Mapping[str, str], former: Collection[str]) -> str:
        """See `publish`; `former` are files that were a part of the folder before."""
        target, data = join(folder, MANIFEST), manifest.encode()
        content = read_fields(data, self.store.address(target))["content"]
        with self._claimed(folder, content):
            entries = self.store.entries(folder)
            if self._is_finished_by_others(target, entries.get(target), content):
                return self._adopt(folder, manifest)
            changed = [name for name, sha256 in wanted.items() if not self.is_synced(name, entries.get(name), sha256)]
            gone = entries.keys() & set(former)
            if changed or gone or self.store.read(target) != data:
                self._delete(entries.keys() & {target})  # first: from now on the folder in the store is unfinished
                self._upload(changed, wanted)
                self._delete(gone)
                created = self.store.create(target, data)
                if not created and self._is_finished_by_others(target, self.store.find(target), content):
                    return self._adopt(folder, manifest)
            write_text(self.file(target), manifest)
            self._note_uploaded(target)
            return manifest

    def _adopt(self, folder: str, manifest: str) -> str:
        """Pull what others finished: the same files, and their manifest."""
        self.pull(self.root / folder)
        file = self.root / folder / MANIFEST
        return file.read_text(encoding="utf-8") if file.is_file() else manifest

    @contextmanager
    def _claimed(self, folder: str, content: str) -> Iterator[None]:
        """Keep other machines from finishing other content in this folder while the block runs.

        Existing claims of the same content, and of this mirror (from a command that was killed), are ignored.
        """
        name = join(folder, CLAIM)
        owner = json.loads((self.root.parent / MARKER).read_bytes())["owner"]
        since = datetime.now(UTC).isoformat(timespec="seconds")
        claim = {"owner": owner, "content": content, "host": platform.node(), "since": since}
        for _ in range(3):  # an existing claim may be removed before it is read
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
            with suppress(UserError):  # the first error says more; a rerun ignores its own claim
                self.store.delete([name])
            raise
        self.store.delete([name])

    def _is_finished_by_others(self, manifest: str, entry: ListedObject | None, content: str) -> bool:
        """Whether others finished the same content since the last pull or push.

        Raises UserError if they finished different content.
        """
        known = self.known(manifest)
        if entry is None or (known is not None and known.version == entry.version):
            return False
        theirs = self.store.read(manifest)
        if theirs is not None and read_fields(theirs, self.store.address(manifest)).get("content") != content:
            raise UserError(
                f"{self.store.address(folder_of(manifest))}: another machine finished different content there in the "
                "meantime, which was kept. Choose another place, or run the command again to start from what is there."
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
        def upload(name: str) -> None:
            self.store.put(name, self.file(name))
            self._note_uploaded(name, hashes.get(name, ""))

        in_parallel(upload, names)

    def _note_uploaded(self, name: str, sha256: str = "") -> None:
        """Remember the version that was just uploaded. Raises UserError if the object has another size."""
        entry, size = self.store.find(name), self.file(name).stat().st_size
        if entry is None or entry.size != size:
            raise UserError(
                f"{self.store.address(name)}: uploaded {size:,} bytes, but the store has "
                f"{f'{entry.size:,}' if entry else 'none'}. Another process may be writing there. Try again."
            )
        self.note(name, entry.version, sha256)

    def _delete(self, names: Collection[str]) -> None:
        self.store.delete(names)
        for name in names:
            self.forget(name)
