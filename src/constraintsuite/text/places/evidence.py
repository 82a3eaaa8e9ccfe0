"""How well the words around a name say that it is a place."""

from __future__ import annotations

from typing import NamedTuple

from constraintsuite.text.places.candidates import Candidate
from constraintsuite.text.places.capitals import PlainText
from constraintsuite.text.places.gazetteer import place_names
from constraintsuite.text.places.words import levels_of_class_nouns, levels_of_definitions, levels_of_rulers, place_words
from constraintsuite.text.readings import in_dictionary, readings

SURE, IN_PLACE, LIKELY, BARE, NONE = 3, 2, 1, 0, -1
_WINDOW = 8
_SORTS = {
    "city": ("city", "district", "country"),
    "district": ("city", "district"),
    "region": ("region", "country", "island", "natural"),
    "country": ("country", "region", "island"),
    "island": ("island", "country", "region"),
    "natural": ("natural",),
}
_MARKS = frozenset(",;:()\"“”—")
_LARGE, _MIDDLING = 300, 100
_ENGLISH = frozenset(("US", "GB", "CA", "AU", "NZ", "IE"))
_WITH_ARTICLE = frozenset(("US", "U.S.", "UK", "U.K.", "USA", "UAE", "USSR"))
_ALWAYS = frozenset(("US", "GB"))
_ANY_FOLLOWER = frozenset(("region", "continent", "country"))


class Before(NamedTuple):
    """What stands before a name: its preposition and the word before that, past articles and modifiers."""

    words: list[str]
    preposition: str
    noun: str
    has_article: bool


def look_before(text: PlainText, at: int) -> Before:
    """The words before a place in a text."""
    lists = place_words()
    words = text.words_before(at)
    place = len(words) - 1
    while place >= 0 and (words[place] in lists.modifiers or words[place] in lists.directions):
        place -= 1
    has_article = "the" in words[place + 1 :]
    preposition = words[place] if place >= 0 else ""
    noun = words[place - 1] if place > 0 else ""
    return Before(words[: place + 1], preposition, noun, has_article)


def weigh(text: PlainText, one: Candidate, previous: Candidate | None) -> int:
    """How sure a candidate is, by itself and the words around it; the candidate before it may be in the same list."""
    if not one.fits or one.is_code or text.is_in_title(one.start, one.end) or _is_work(text, one):
        return NONE
    before = look_before(text, one.start)
    if _is_of_a_title(text, one, before) and not (previous is not None and previous.outer is one and previous.strength >= LIKELY):
        return NONE
    follower = _follower(text, one)
    if len(one.options) and _is_class_word(text, one):
        return NONE
    if one.hint or _is_called_a_place(text, one, before):
        return SURE
    if not one.options:
        return _weigh_unknown(text, one, before, previous)
    if _needs_article(one, before) or _is_wrong_after_article(text, one, before):
        return NONE
    strength = _by_preposition(before)
    if strength == NONE:
        return NONE
    if previous is not None and previous.strength >= LIKELY and is_listed(text, previous, one):
        strength = max(strength, min(previous.strength, IN_PLACE))
    elif previous is not None and previous.strength < BARE and strength < IN_PLACE and is_listed(text, previous, one):
        if not previous.fits or not previous.options or _is_of_a_title(text, previous, look_before(text, previous.start)):
            return NONE  # Presidents Truman and Kennedy, Maria of Naples and Sicily
    if strength < IN_PLACE and (_is_team(text, one, before) or _is_numbered(text, one)):
        return NONE
    return _by_follower(one, strength, follower)


def _is_class_word(text: PlainText, one: Candidate) -> bool:
    """Whether the name is a class noun of another: the Canton of Aargau."""
    word = text.plain[one.start : one.end].lower()
    return word in levels_of_class_nouns() and text.words_after(one.end)[:1] == ["of"]


def _is_numbered(text: PlainText, one: Candidate) -> bool:
    """Whether a number follows that is no year: the Indianapolis 500."""
    word = text.words_after(one.end)[:1]
    return bool(word) and word[0].isdigit() and len(word[0]) != 4 and text.plain[one.end : one.end + 1] == " "  # noqa: PLR2004


def is_listed(text: PlainText, previous: Candidate, one: Candidate) -> bool:
    """Whether only a comma, "and" or "or" stands between two names."""
    gap = text.plain[previous.end : one.start]
    return gap.strip(" ").removesuffix(" the").strip(" ") in (",", "and", "or", ", and", ", or", "and in", "or in", "&", "/")


def need(text: PlainText, one: Candidate, surnames: frozenset[str]) -> int:
    """The strength from which a candidate is taken as a place."""
    lists = place_words()
    name = text.plain[one.start : one.end]
    if name in lists.common_words:
        return SURE
    if name in lists.with_article:
        return BARE
    if name in lists.weak or name in surnames:
        return BARE if _is_geography(text, one) and name not in surnames else IN_PLACE
    if not one.options:
        return IN_PLACE
    if any(place.level != "city" for place in one.options):
        return LIKELY if name in lists.surnames else BARE
    people = max(place.thousands for place in one.options)
    if people >= _LARGE:
        return LIKELY if name in lists.surnames else BARE
    if people >= _MIDDLING or not any(place.country in _ENGLISH for place in one.options):
        return LIKELY
    return IN_PLACE


def _is_geography(text: PlainText, one: Candidate) -> bool:
    """Whether a weak name of a country or an island begins a sentence about a country or an island."""
    if not text.opens_sentence(one.start) or all(place.level in ("city", "district", "region") for place in one.options):
        return False
    return not place_words().geography.isdisjoint(text.words_after(one.end))


def _by_preposition(before: Before) -> int:
    lists = place_words()
    if before.preposition in lists.locative:
        return IN_PLACE
    if before.preposition in lists.negative_prepositions:
        return IN_PLACE
    if before.preposition == "of":
        if before.noun in lists.art_nouns:
            return NONE
        return IN_PLACE if before.noun in lists.of_nouns else BARE
    return LIKELY if before.preposition in lists.doubtful else BARE


def _is_of_a_title(text: PlainText, one: Candidate, before: Before) -> bool:
    """Whether "of" joins the name to a name before it: the Bank of England, Beatrice of England; not the Duke of Brittany."""
    if before.preposition in ("earl", "baron", "viscount", "lord", "lady", "sir", "mr", "mrs", "dr"):
        return True
    index = _capital_before(text, one.start)
    if index is None:
        return False
    last = text.capitals[index]
    gap = text.plain[last.end : one.start].strip()
    if gap not in ("of", "of the", "for", "for the", "in", "&", "del", "de"):
        return False
    first = index
    while first > 0 and text.is_joined(first):
        first -= 1
    if gap in ("in",):
        return text.capitals[first].text in ("An", "A", "Midnight", "Sleepless") or (last.text in place_names().adjectives)
    chain = [text.capitals[number].text for number in range(first, index + 1)]
    if not gap.startswith("of"):
        return gap in ("&", "del", "de") or len(chain) > 1
    if len(chain) == 1 and text.opens_sentence(last.start) and last.text not in ("Bank", "University") and readings_say_noun(last.text):
        return False
    while chain and chain[0] in place_words().openers:
        chain = chain[1:]
    ordinal = text.words_before(text.capitals[first].start)[-1:]
    if ordinal and ordinal[0][0].isdigit():
        return True
    if not chain or not all(word in place_words().offices for word in chain):
        return True
    royal = chain[-1] in ("Duke", "Duchess", "Prince", "Princess", "Count", "Countess", "Earl")
    return royal and text.plain[one.start : one.end] in place_words().royal_titles


def readings_say_noun(word: str) -> bool:
    """Whether a capital at the start of a sentence is an ordinary word: Parts of England."""
    return in_dictionary(word.lower()) and any(reading.pos in ("NOUN", "ADJ", "PRON") for reading in readings(word.lower())) and word not in ("Queen", "King")


def _capital_before(text: PlainText, at: int) -> int | None:
    low, high = 0, len(text.capitals)
    while low < high:
        middle = (low + high) // 2
        if text.capitals[middle].start < at:
            low = middle + 1
        else:
            high = middle
    return low - 1 if low else None


def _is_called_a_place(text: PlainText, one: Candidate, before: Before) -> bool:
    """Whether a class noun calls the name a place: the village of X, X, a village in Y, the X district of Y."""
    lists = place_words()
    nouns = levels_of_class_nouns()
    if before.preposition == "of" and before.noun in nouns and _head_is_free(before):
        if not one.options or nouns[before.noun] != "district":  # a suburb of Chicago
            one.level = one.level or nouns[before.noun]
            _narrow(one, before.noun)
        return bool(one.options) or _follower(text, one)[0] in ("", "place", "verb")
    if not one.options and before.preposition == "of" and before.noun in levels_of_rulers() and not before.has_article:
        one.level = levels_of_rulers()[before.noun]
        return text.plain[one.start : one.end] not in lists.not_ruled and _follower(text, one)[0] in ("", "place", "verb")
    if not one.options and before.has_article is False and before.words[-1:] and before.words[-1] in ("river", "lake", "volcano"):
        one.level = "natural"
        return before.words[-2:-1] in (["the"], ["of"])
    after = text.words_after(one.end)
    if after[:1] == [","] and after[1:2] in (["a"], ["an"], ["the"]):
        for place, word in enumerate(after[2:6], 2):
            if word in lists.appositions and (after[place + 1 : place + 2] == [] or after[place + 1] in lists.followers or after[place + 1] in _MARKS):
                one.level = one.level or nouns.get(word, "city")
                return True
            if word in _MARKS:
                break
    if _is_defined(text, one, after):
        return True
    if not one.options and before.has_article and after[:1] and after[0] in nouns and after[1:2] == ["of"] and before.preposition in lists.locative:
        one.level = nouns[after[0]]
        return True
    return False


def _is_defined(text: PlainText, one: Candidate, after: list[str]) -> bool:
    """Whether a sentence begins with a name and says that it is a place: "Alnwick is a market town in ..."."""
    if after[:1] not in (["is"], ["was"]) or after[1:2] not in (["a"], ["an"], ["the"]):
        return False
    if text.plain[text.sentence_start(one.start) : one.start].strip(" *-") not in ("", "The"):
        return False
    levels, lists = levels_of_definitions(), place_words()
    for place, word in enumerate(after[2:8], 2):
        if word in levels and (after[place + 1 : place + 2] == [] or after[place + 1] in lists.followers or after[place + 1] in _MARKS):
            one.level, one.is_defined = one.level or levels[word], True
            return True
        if word in _MARKS or word in ("of", "in", "that", "by"):
            return False
    return False


def _narrow(one: Candidate, noun: str) -> None:
    """Keep the entries that are what a class noun says: the county of Durham is no city."""
    small = noun in ("village", "hamlet", "settlement", "castle")
    sorts = _SORTS.get(one.level, ())
    one.options = tuple(
        place for place in one.options if place.level in sorts and not (small and place.thousands >= _MIDDLING)
    )


def _is_work(text: PlainText, one: Candidate) -> bool:
    """Whether a sentence begins with a name and says that it is a film, a song, a person: Deep Blue Sea is a 1999 film."""
    if not text.opens_sentence(one.start):
        return False
    after = text.words_after(one.end)
    lists = place_words()
    if after[:1] == ["("]:
        end = next((place for place, word in enumerate(after) if word == ")"), len(after))
        if not lists.works.isdisjoint(after[:end]):
            return True
        after = after[end + 1 :]
    if after[:1] not in (["is"], ["was"]):
        return False
    for word in after[1:12]:
        if word in lists.works:
            return True
        if word in ("in", "of", "that", "by", "from", "with", ",", "which", "where"):
            return False
    return False


def _is_team(text: PlainText, one: Candidate, before: Before) -> bool:
    """Whether a place stands for its team: a win over Iowa."""
    if before.preposition in ("from", "of") or all(place.level in ("natural", "island", "continent") for place in one.options):
        return False
    return not place_words().sports.isdisjoint(text.words_around(one.start, one.end))


def _head_is_free(before: Before) -> bool:
    """Whether the class noun before "of" is meant as one: not "the state of", "a kingdom of"."""
    return before.words[-3:-2] != ["no"]


def _weigh_unknown(text: PlainText, one: Candidate, before: Before, previous: Candidate | None) -> int:
    lists = place_words()
    kind, word = _follower(text, one)
    if kind not in ("", "place") and not (one.is_sure and word in lists.attributive):
        return NONE
    if one.is_sure:
        return IN_PLACE
    if one.level:
        return IN_PLACE if before.preposition in lists.locative or before.preposition in lists.doubtful or before.has_article else NONE
    if before.has_article or before.preposition != "in":
        return NONE
    window = before.words[-4:-1]
    while any(mark in window for mark in _MARKS):
        window = window[1:]
    if not lists.unknown_after.isdisjoint(window):
        return IN_PLACE
    index = _capital_before(text, one.start)
    if before.noun in lists.venues:
        return IN_PLACE
    if index is not None and text.plain[text.capitals[index].end : one.start].strip() == "in":
        first = index
        while first > 0 and text.is_joined(first):
            first -= 1
        if any(text.capitals[number].text.lower() in lists.venues for number in range(first, index + 1)):
            return IN_PLACE
    return NONE


def _needs_article(one: Candidate, before: Before) -> bool:
    """Whether the name is a place only after "the", and has none: the Tay."""
    name = one.options[0].name.rpartition(" ")[2] if one.options else ""
    return not before.has_article and before.preposition != "river" and (name in place_words().with_article and len(one.options[0].name) >= one.end - one.start and " " not in one.options[0].name)


def _is_wrong_after_article(text: PlainText, one: Candidate, before: Before) -> bool:
    """Whether an article stands before the name of a city: the Lincoln."""
    if not before.has_article:
        return False
    kind, word = _follower(text, one)
    if any(place.level != "city" for place in one.options):
        usual = text.plain[one.start : one.end] in _WITH_ARTICLE or " " in one.options[0].name or one.options[0].name.endswith("s")
        return before.words[-1:] != ["the"] and kind == "noun" and not usual and word not in place_words().attributive
    return not (kind in ("noun", "verb") and word in place_words().attributive) and before.words[-1:] != ["of"]


def _follower(text: PlainText, one: Candidate) -> tuple[str, str]:
    """The word after a name, and whether a place can stand before it: "" for none or a small word."""
    after = text.plain[one.end : one.end + 1]
    if after != " ":
        return ("", "") if not after.isalnum() else ("noun", "")
    words = text.words_after(one.end)
    if not words or not words[0][0].isalpha() or words[0] in place_words().followers:
        return "", ""
    if text.plain[one.end + 1].isupper():
        return "capital", words[0]
    tags = {reading.tag for reading in readings(words[0])}
    if tags & {"NN", "NNS"} and "VBD" not in tags:
        return ("verb" if "VBZ" in tags or "VBP" in tags else "noun"), words[0]
    return "place", words[0]


def next_noun(text: PlainText, one: Candidate) -> str:
    """The noun that a name stands before as an adjective: legislature, for the New York legislature."""
    kind, word = _follower(text, one)
    return word if kind == "noun" or (kind == "verb" and word in place_words().attributive) else ""


def _by_follower(one: Candidate, strength: int, follower: tuple[str, str]) -> int:
    """The strength, changed by a noun that follows: Brussels sprouts, the New York legislature."""
    kind, word = follower
    if kind not in ("noun", "verb"):
        return strength
    lists = place_words()
    if word in lists.animals_and_foods:
        return NONE
    if word in lists.attributive:
        return max(strength, LIKELY)
    if kind == "verb" or any(place.level == "country" and place.country in _ALWAYS or place.level in _ANY_FOLLOWER for place in one.options):
        return strength
    return strength if strength >= IN_PLACE else NONE
