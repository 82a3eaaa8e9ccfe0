"""Which models can be named."""

from __future__ import annotations

from inspect import getdoc

from constraintsuite.models import SCORERS
from constraintsuite.models.listing import list_weights
from constraintsuite.models.weights import known_models
from constraintsuite.records.tables import Column, Table


def list_models() -> Table:
    """List the models that `evaluate` knows by name, as `csuite models` does.

    Returns a table. A row is a family of models, such as `dense`, which takes a name or folder of yours after a colon;
    or it is public weights with the model string that names them. `state` says whether these are `here` on this
    machine, `fetchable` with `csuite fetch` from a package or the hub, or on the hub only.

        >>> here = [row["model"] for row in cs.list_models().to_records() if row["state"] == "here"]
    """
    families = [
        (name, "family", None, (getdoc(SCORERS.load(name)) or "").partition("\n")[0]) for name in SCORERS.names()
    ]
    known = known_models()
    weights = [(entry.use, "weights", entry.state, known[entry.name].about) for entry in list_weights()]
    columns = (Column("model"), Column("kind"), Column("state"), Column("about"))
    caption = "Families of models, and public weights known by name. Options follow after commas."
    return Table("models", caption, columns, (*families, *weights))
