"""Files of a repository of the model hub: found in the hub's cache, or downloaded."""

# ruff: noqa: PLC0415 - the library is imported only for models that are not in a folder

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from constraintsuite.core.errors import UserError

_ANSWER_SECONDS = 5.0  # a hub that cannot be reached must fail soon


def find_snapshot(repository: str, revision: str = "") -> Path | None:
    """The folder of a repository in the hub's cache on this machine; nothing is downloaded."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(str(snapshot_download(repository, revision=revision or None, local_files_only=True)))
    except (LocalEntryNotFoundError, HFValidationError):
        return None


def download_files(repository: str, revision: str, wanted: Callable[[str], bool], folder: Path) -> str:
    """Download the wanted files into `folder`; returns their commit. Failure is a UserError."""
    from huggingface_hub import HfApi, hf_hub_download
    from huggingface_hub.errors import HTTPError

    try:
        # The commit is looked up first, so that all files are from the same one.
        info = HfApi().model_info(repository, revision=revision or None, timeout=_ANSWER_SECONDS)
        for name in sorted(sibling.rfilename for sibling in info.siblings or ()):
            if wanted(name):
                hf_hub_download(repository, name, revision=info.sha, local_dir=folder, etag_timeout=_ANSWER_SECONDS)
    except (HTTPError, OSError, ValueError) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise UserError(f"{repository} could not be downloaded from the model hub: {lines[0]}") from None
    shutil.rmtree(folder / ".cache", ignore_errors=True)  # the bookkeeping of the hub's library
    return str(info.sha)
