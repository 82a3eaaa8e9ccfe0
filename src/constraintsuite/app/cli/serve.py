"""`csuite serve`: browse folders and judge items in a browser."""

# Imports for the work of a command are inside functions, so that --help stays under 0.3 s.
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path

import click

from constraintsuite.app.cli.options import annotators_option, json_option
from constraintsuite.app.cli.output import emit
from constraintsuite.app.cli.places import HERE
from constraintsuite.app.web import LOOPBACK


@click.command()
@click.argument("folder", type=HERE, default=Path())
@click.option(
    "--owner", default="owner", show_default=True, metavar="NAME", help="Name of the owner, who sees everything."
)
@annotators_option(required=False)
@click.option(
    "--adjudicator",
    "adjudicators",
    multiple=True,
    metavar="NAME",
    help="Name of an adjudicator, who rules where annotators differ; repeatable.",
)
@click.option("--host", default=LOOPBACK, show_default=True, help="Address to listen on.")
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="HOST",
    help="Another host name under which people reach the site; repeatable.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8_765,
    show_default=True,
    help="Port to listen on; 0 for any free one.",
)
@click.option("--read-only", is_flag=True, help="Allow nobody to change anything.")
@click.option("--open", "open_browser", is_flag=True, help="Open the owner's page in a browser.")
@json_option
def serve(  # noqa: PLR0913, PLR0917 - one parameter per option
    folder: Path,
    owner: str,
    annotators: tuple[str, ...],
    adjudicators: tuple[str, ...],
    host: str,
    names: tuple[str, ...],
    port: int,
    read_only: bool,
    open_browser: bool,
    as_json: bool,
) -> None:
    """Serve FOLDER as a local site: browse suites, runs, maps and memories; judge items, approve proposals, write queries.

    Each person has their own link, which stays the same after a restart. Stop the site with Ctrl-C; all answers are kept.
    """
    from importlib.util import find_spec

    from constraintsuite.core.errors import MissingExtraError

    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise MissingExtraError("serve", "The local site")
    from constraintsuite.app.web.access import Person
    from constraintsuite.app.web.server import WebSite, listen

    people = [Person(owner, "owner")]
    people += [Person(name, "annotator") for name in annotators]
    people += [Person(name, "adjudicator") for name in adjudicators]
    with listen(WebSite(folder, tuple(people), host, port, names, read_only)) as served:
        lines = [f"{person.role:<12} {person.name:<16} {link}" for person, link in served.links.items()]
        emit({person.name: link for person, link in served.links.items()}, as_json, lines)
        if not as_json:
            click.echo(
                "Stop the site with Ctrl-C. Keep the links secret: whoever opens one acts as that person.", err=True
            )
        if open_browser:
            click.launch(next(iter(served.links.values())))
        served.run()
