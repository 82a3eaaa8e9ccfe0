"""What a text says: sentences, mentions, negation cues and their scope, and what follows for a mention."""

from constraintsuite.core.catalogue import Catalogue
from constraintsuite.text.base import Analyser

ANALYSERS: Catalogue[type[Analyser]] = Catalogue(
    "analyser",
    {
        "rules": "constraintsuite.text.rules:RulesAnalyser",
        "parser": "constraintsuite.text.parser:ParserAnalyser",
    },
)
