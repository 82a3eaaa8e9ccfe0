"""Names of places that mean something else: the Bank of England, Adolf of Denmark, the musical Chicago, a win over Iowa."""

from __future__ import annotations

from constraintsuite.text.places.capitals import PlainText
from constraintsuite.text.places.gazetteer import place_names
from constraintsuite.text.places.surroundings import PlaceSurroundings
from constraintsuite.text.places.words import levels_of_class_nouns, place_words
from constraintsuite.text.readings import in_dictionary, readings

_SMALL_WORDS = frozenset(("of", "in", "for", "the", "a", "an", "and", "to", "from", "on", "at", "with"))
_PERSONAL = frozenset(("earl", "baron", "viscount", "lord", "lady", "sir", "mr", "mrs", "dr"))
_NOBLE = frozenset(("Duke", "Duchess", "Prince", "Princess", "Count", "Countess"))
_JOINTS = frozenset(("of", "of the", "for", "for the", "in", "&", "del", "de"))
_ENDS_OF_DEFINITION = frozenset(("in", "of", "that", "by", "from", "with", ",", "which", "where"))
_WITH_ARTICLE = frozenset(("US", "U.S.", "UK", "U.K.", "USA", "UAE", "USSR"))
_LONGEST_TITLE = 60
_YEAR_DIGITS = 4


def is_something_else(around: PlaceSurroundings) -> bool:
    """Whether the name is a title, a class noun, a ship, or stands for a work, however sure the preposition is."""
    text, one = around.text, around.one
    return (
        around.name in place_words().not_places
        or text.is_in_title(one.start, one.end)
        or _is_work(around)
        or _is_class_noun(around)
        or (bool(one.options) and (_lacks_article(around) or _has_wrong_article(around)))
        or (around.name in place_words().adjectival and "noun" in around.follower_kind and not around.is_attributive)
    )


def is_bare_something_else(around: PlaceSurroundings) -> bool:
    """Whether a name without a preposition is a work or a person: the musical Chicago, Brooklyn asked her mother."""
    lists = place_words()
    after = around.after[1:] if around.after[:1] == ["and"] else around.after
    if around.before.preposition in lists.before_works:
        return True
    glue = around.text.plain[around.one.end : around.one.end + 1]
    return bool(after) and after[0] in lists.person_words and glue in (" ", "'")


def is_team_or_event(around: PlaceSurroundings) -> bool:
    """Whether a name that is not said to be a place stands for a team, or has a number: a win over Iowa, the Indianapolis 500."""
    number = around.after[0] if around.after else ""
    if (
        number.isdigit()
        and len(number) != _YEAR_DIGITS
        and around.text.plain[around.one.end : around.one.end + 1] == " "
    ):
        return True
    if around.before.preposition in ("from", "of"):
        return False
    if all(place.level in ("natural", "island", "continent") for place in around.one.options):
        return False
    return not place_words().sports.isdisjoint(around.text.words_around(around.one.start, around.one.end))


def is_part_of_name(around: PlaceSurroundings) -> bool:
    """Whether a small word joins the name to capitals before it: the Bank of England; not the Duke of Brittany."""
    text, start = around.text, around.one.start
    if around.before.preposition in _PERSONAL:
        return True
    last = text.capital_before(start)
    if last is None:
        return False
    joint = text.plain[text.capitals[last].end : start].strip()
    if joint not in _JOINTS:
        return False
    first = text.chain_start(last)
    if joint == "in":
        return _is_title_with_in(around, first, last)
    if not joint.startswith("of"):
        return joint in ("&", "del", "de") or last > first
    return _is_name_with_of(around, first, last)


def _is_title_with_in(around: PlaceSurroundings, first: int, last: int) -> bool:
    """An American in Paris, the End Poverty in California movement; not the Hotel Linde in Vienna."""
    text = around.text
    if around.follower_kind == "noun" and not text.opens_sentence(text.capitals[first].start):
        return True
    return text.capitals[first].text in ("An", "A") or text.capitals[last].text in place_names().adjectives


def _is_name_with_of(around: PlaceSurroundings, first: int, last: int) -> bool:
    """The University of Parma, Queen Anne of Denmark, the 6th Earl of Derby; not the City of Derby, parts of Denmark."""
    text, lists = around.text, place_words()
    if first == last and text.opens_sentence(text.capitals[last].start) and _is_ordinary(text.capitals[last].text):
        return False
    words = [text.capitals[number].text for number in range(first, last + 1)]
    while words and words[0] in lists.openers:
        words = words[1:]
    before = text.words_before(text.capitals[first].start)[-1:]
    if before and before[0][0].isdigit():
        return True
    if not words or not all(word in lists.offices for word in words):
        return True
    return words[-1] in _NOBLE and around.name in lists.royal_titles


def _is_ordinary(word: str) -> bool:
    """Whether a capital at the start of a sentence is an ordinary word: Parts of England."""
    low = word.lower()
    if word in ("Queen", "King", "Bank", "University") or not in_dictionary(low):
        return False
    return any(reading.pos in ("NOUN", "ADJ", "PRON") for reading in readings(low))


def _is_work(around: PlaceSurroundings) -> bool:
    """Whether the sentence begins with a title that it calls a work: "Deep Blue Sea is a 1999 film", "Two for Texas is a ..."."""
    lists, text = place_words(), around.text
    if not _begins_with_title(text, around.one.start):
        return False
    after = around.after
    if after[:1] == ["("]:
        end = next((place for place, word in enumerate(after) if word == ")"), len(after))
        if not lists.works.isdisjoint(after[:end]):
            return True
        after = after[end + 1 :]
    if after[:1] not in (["is"], ["was"]):
        return False
    kind = next((word for word in after[1:12] if word in lists.works or word in _ENDS_OF_DEFINITION), "")
    return kind in lists.works


def _begins_with_title(text: PlainText, at: int) -> bool:
    """Whether only capitals and small words stand before a place in its sentence."""
    start = text.sentence_start(at)
    if at - start > _LONGEST_TITLE:
        return False
    return all(not word.islower() or word in _SMALL_WORDS for word in text.plain[start:at].split())


def _is_class_noun(around: PlaceSurroundings) -> bool:
    """Whether the name is the class noun of another: the Canton of Aargau."""
    return around.name.lower() in levels_of_class_nouns() and around.after[:1] == ["of"]


def _lacks_article(around: PlaceSurroundings) -> bool:
    """Whether the name is a place only after "the", and has none: the Tay."""
    has_article = around.before.has_article or around.before.preposition == "river"
    return not has_article and around.name in place_words().with_article


def _has_wrong_article(around: PlaceSurroundings) -> bool:
    """Whether "the" stands before a name that has none: the Lincoln, the Sussex; not the New York legislature."""
    if not around.before.has_article or around.is_attributive:
        return False
    if all(place.level == "city" for place in around.one.options):
        return True
    lists, name = place_words(), around.name
    usual = name in lists.may_take_article or name in lists.with_article or name in _WITH_ARTICLE
    if usual or " " in name or name.endswith("s"):
        return False
    right_before = around.text.plain[max(0, around.one.start - 4) : around.one.start].lower() == "the "
    return right_before and any(place.level not in ("natural", "district") for place in around.one.options)
