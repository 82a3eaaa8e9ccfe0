"""Reports: the page of a report's folder, as it was written."""

from __future__ import annotations

import re
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from constraintsuite.errors import UserError
from constraintsuite.reports.page import PAGE
from constraintsuite.store.artifact import Artifact
from constraintsuite.web.artifact_index import ArtifactIndex
from constraintsuite.web.origins import REPORT
from constraintsuite.web.pages import Page

_HASH = rb"'sha256-[A-Za-z0-9+/]{43}='"
_POLICY = re.compile(rb'"(default-src \'none\'; style-src ' + _HASH + rb"; script-src " + _HASH + rb'; img-src data:)"')
_NOTHING = "default-src 'none'"
_ALONE = "sandbox allow-scripts; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""The folder may come from anywhere: whatever its page holds gets no cookie, no request and no form of this site."""
_HEAD = 2_000  # bytes in which a page states its policy


def show_report(request: Request, artifacts: ArtifactIndex) -> Response:
    """The page under its own policy, or with neither style nor script if it has none such; nothing else of the folder."""
    page = _read(artifacts.get(request.path_params["place"], REPORT).path)
    stated = _POLICY.search(page[:_HEAD])
    policy = f"{stated[1].decode() if stated else _NOTHING}; {_ALONE}"
    return Response(page, media_type="text/html", headers={"content-security-policy": policy})


def _read(folder: Path) -> bytes:
    if PAGE not in Artifact.open(folder, REPORT).manifest.files:
        raise UserError(f"{folder.name}: this report has no page, only tables.")
    if (folder / PAGE).is_symlink():
        raise UserError(f"{folder / PAGE}: this is a link, and links are not followed. Copy the page itself there.")
    return (folder / PAGE).read_bytes()


PAGES = (Page(f"/{REPORT}/{{place:path}}", show_report),)
