"""Reading texts: sentences, mentions, negation cues and their scopes, and the verdict on a mention."""

from constraintsuite.core.catalogue import Catalogue
from constraintsuite.text.base import Analyser

ANALYSERS: Catalogue[type[Analyser]] = Catalogue(
    "analyser",
    {
        "rules": "constraintsuite.text.rules:RulesAnalyser",
        "parser": "constraintsuite.text.parser:ParserAnalyser",
    },
)
