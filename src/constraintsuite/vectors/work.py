"""Unfinished work: what was done of a bundle before a build was stopped, so that the next one goes on from there."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from constraintsuite.store.artifact import STAGES
from constraintsuite.store.files import write_text
from constraintsuite.store.revisions import REVISIONS

BundleStep = Literal["surveyed", "spread", "written"]
_MARK = ".working"


@dataclass(frozen=True)
class BundleWork:
    """The folder in which a bundle is prepared; until all of it is done, nothing outside is touched."""

    folder: Path
    fingerprint: str
    """Of what is being made."""

    @classmethod
    def resume(cls, out: Path, fingerprint: str) -> BundleWork:
        """The work on the bundle `out`; what was left by work on anything else is thrown away."""
        work = cls(out / STAGES, fingerprint)
        mark = work.folder / _MARK
        if not (mark.is_file() and mark.read_text(encoding="utf-8") == work._named):
            work.discard()
        return work

    @property
    def _named(self) -> str:
        return f"{self.fingerprint} {REVISIONS['subset work']}"

    @property
    def new(self) -> Path:
        """The files of the bundle, as far as they are written."""
        return self.folder / "new"

    @property
    def loose(self) -> Path:
        """Documents that are not in order yet."""
        return self.folder / "loose"

    def done(self, step: BundleStep) -> bool:
        """Whether that step need not be done again."""
        return (self.folder / f"{step}.done").is_file()

    def finish(self, step: BundleStep) -> None:
        """Note that a step is done; all that it wrote must be on disk."""
        write_text(self.folder / _MARK, self._named)
        write_text(self.folder / f"{step}.done", "")

    def discard(self) -> None:
        """Throw everything away."""
        shutil.rmtree(self.folder, ignore_errors=True)
