"""Numbers in digits and in words, with the place where each ends."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from constraintsuite.text.quantities.scan import Pieces

_ONES = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
    )
}
_SCALES = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "lakh": 1e5, "crore": 1e7,
    "dozen": 12.0,
}  # fmt: skip
_SHORT_SCALES = {"k": 1e3, "m": 1e6, "mn": 1e6, "mln": 1e6, "mm": 1e6, "bn": 1e9, "b": 1e9, "tn": 1e12}
"""Only after a currency sign: `$5m` is no length."""
_VULGAR = {"½": 1 / 2, "¼": 1 / 4, "¾": 3 / 4, "⅓": 1 / 3, "⅔": 2 / 3, "⅛": 1 / 8, "⅜": 3 / 8, "⅝": 5 / 8, "⅞": 7 / 8}
_PARTS = {"half": 1 / 2, "quarter": 1 / 4, "quarters": 1 / 4, "third": 1 / 3, "thirds": 1 / 3}
NUMBER_WORDS = frozenset([*_ONES, *_TENS, *_SCALES, *_VULGAR, "half", "quarter"])
_HALVED = frozenset(
    ("hour", "mile", "inch", "century", "million", "billion", "dozen", "cup", "teaspoon", "pint", "pound", "acre")
)
"""What "half" stands right before: every half hour."""
_LONGEST = 18

_PLAIN = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_LAKHS = re.compile(r"[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}")
_DOTTED = re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}")
_COMMA_DECIMAL = re.compile(r"[0-9]+,[0-9]{1,2}")


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number that was read."""

    value: float
    first: int
    after: int
    """The place after its last piece."""
    digits: bool
    plain: bool = False
    """Digits alone, such as a year has them: no comma, point, fraction or scale."""
    european: bool = False
    """Three zeros after one point, or a comma before decimals: English writers mean something else by it."""
    three_decimals: bool = False
    """Three digits after one point, which are no price."""
    part: bool = False
    """A fraction below one, such as half."""


def read_number(pieces: Pieces, at: int, *, money: bool = False) -> WrittenNumber | None:
    """The number that begins at a place; None if none does, or if it may be something else."""
    piece = pieces.at(at)
    if piece.kind == "number":
        return _digits(pieces, at, money=money)
    if piece.lower in NUMBER_WORDS or (piece.lower in ("a", "an") and pieces.lower(at + 1) in _SCALES):
        return _words(pieces, at)
    return None


def parse_digits(text: str) -> float | None:
    """The value of digits with points and commas; None if they are no number, such as 1.1.7 and 007."""
    if len(text) > _LONGEST or (text[0] == "0" and text[1:2].isdigit()):
        return None
    if _PLAIN.fullmatch(text):
        return float(text)
    if _THOUSANDS.fullmatch(text) or _LAKHS.fullmatch(text):
        return float(text.replace(",", ""))
    if _DOTTED.fullmatch(text):
        return float(text.replace(".", ""))
    if _COMMA_DECIMAL.fullmatch(text):
        return float(text.replace(",", "."))
    return None


def write_in_words(number: int) -> str:
    """A whole number in words: "twenty-five thousand", "one hundred and twenty"."""
    if number < 100:
        return _below_hundred(number)
    size, scale = next((size, scale) for size, scale in _LARGE if number >= size)
    count, rest = divmod(number, size)
    link = " and " if 0 < rest < 100 else " "
    return f"{write_in_words(count)} {scale}" + (link + write_in_words(rest) if rest else "")


_LARGE = ((1_000_000, "million"), (1000, "thousand"), (100, "hundred"))


def _below_hundred(number: int) -> str:
    ones = {value: word for word, value in _ONES.items()}
    tens = {value: word for word, value in _TENS.items()}
    if number in ones:
        return ones[number]
    return tens[number - number % 10] + (f"-{ones[number % 10]}" if number % 10 else "")


def _digits(pieces: Pieces, at: int, *, money: bool) -> WrittenNumber | None:
    text = pieces.at(at).text
    value = parse_digits(text)
    if value is None:
        return None
    number = WrittenNumber(
        value,
        at,
        at + 1,
        digits=True,
        plain=text.isdigit(),
        three_decimals=text[-4:-3] == "." and text.count(".") == 1,
        european=bool(_COMMA_DECIMAL.fullmatch(text)) or (text.endswith(".000") and len(text) <= 7),
    )
    whole = _with_fraction(pieces, _with_groups(pieces, number))
    return _with_scale(pieces, whole, money=money) if whole is not None else None


def _with_groups(pieces: Pieces, number: WrittenNumber) -> WrittenNumber:
    """Groups of three digits after a space: 23 400."""
    if not number.plain or number.value >= 1000 or number.value < 1:
        return number
    value, after = number.value, number.after
    while (
        (group := pieces.at(after)).kind == "number"
        and len(group.text) >= 3
        and group.text[:3].isdigit()
        and (len(group.text) == 3 or group.text[3] == ".")
        and group.start - pieces.at(after - 1).end == 1
        and after - number.after < 4
        and (number.value >= 10 or group.text == "000" or pieces.text[group.start - 1] != " ")  # 1 200 mg tablet
    ):
        value, after = value * 1000 + float(group.text), after + 1
    return replace(number, value=value, after=after, plain=after == number.after)


def _with_fraction(pieces: Pieces, number: WrittenNumber) -> WrittenNumber | None:
    """The number with what follows it: 1/2, 1 1/2, ½, and a half. None for a date or a score such as 3/4/2011."""
    at = number.after
    if pieces.lower(at) == "/" and pieces.touches(at - 1) and pieces.at(at + 1).kind == "number" and pieces.touches(at):
        fraction = _slash(pieces, at - 1)
        return None if fraction is None else replace(number, value=fraction, after=at + 2, plain=False, part=True)
    if pieces.at(at).text in _VULGAR and pieces.spaced(at - 1):
        return replace(number, value=number.value + _VULGAR[pieces.at(at).text], after=at + 1, plain=False)
    if number.plain and pieces.at(at).kind == "number" and pieces.lower(at + 1) == "/" and pieces.touches(at):
        fraction = _slash(pieces, at)
        return None if fraction is None else replace(number, value=number.value + fraction, after=at + 3, plain=False)
    return _with_half(pieces, number)


def _slash(pieces: Pieces, at: int) -> float | None:
    """The value of a proper fraction such as 3/4 at a place."""
    above, below = pieces.at(at).text, pieces.at(at + 2).text
    closed = pieces.at(at + 3).text == "/" and pieces.touches(at + 2)
    if closed or not (above.isdigit() and below.isdigit()) or len(above) > 2 or len(below) > 2:
        return None
    return int(above) / int(below) if int(above) < int(below) and int(below) in (2, 3, 4, 5, 6, 8, 16) else None


def _with_half(pieces: Pieces, number: WrittenNumber) -> WrittenNumber:
    at = number.after
    if pieces.lower(at) != "and":
        return number
    article = 1 if pieces.lower(at + 1) in ("a", "one") else 0
    part = pieces.lower(at + 1 + article)
    if part in ("half", "quarter", "third") and article:
        return replace(number, value=number.value + _PARTS[part], after=at + 3, plain=False)
    hyphen = 1 if pieces.lower(at + 2) in ("-", "‐", "‑") else 0
    parts = pieces.lower(at + 2 + hyphen)
    if pieces.lower(at + 1) in ("two", "three") and parts in ("quarter", "quarters", "third", "thirds"):
        value = number.value + _ONES[pieces.lower(at + 1)] * _PARTS[parts]
        return replace(number, value=value, after=at + 3 + hyphen, plain=False)
    return number


def _with_scale(pieces: Pieces, number: WrittenNumber, *, money: bool) -> WrittenNumber:
    if pieces.lower(number.after) == "-" and pieces.touches(number.after) and pieces.lower(number.after + 1) in _SCALES:
        number = replace(number, after=number.after + 1)  # a $10-million house
    while (scale := _SCALES.get(pieces.lower(number.after))) is not None and pieces.spaced(number.after - 1):
        number = replace(number, value=_times(number.value, scale), after=number.after + 1, plain=False)
    short = _SHORT_SCALES.get(pieces.lower(number.after))
    if money and short is not None and pieces.touches(number.after - 1):
        return replace(number, value=_times(number.value, short), after=number.after + 1, plain=False)
    if pieces.lower(number.after) in ("bn", "mn") and pieces.spaced(number.after - 1) and short is not None:
        return replace(number, value=_times(number.value, short), after=number.after + 1, plain=False)
    return number


def _times(value: float, scale: float) -> float:
    """The product without the noise of binary fractions: 1.1 million is 1,100,000."""
    product = value * scale
    return float(round(product)) if abs(product - round(product)) < 1e-6 * max(1.0, abs(product)) else product


def _words(pieces: Pieces, at: int) -> WrittenNumber | None:
    if pieces.at(at).text in _VULGAR:
        return WrittenNumber(_VULGAR[pieces.at(at).text], at, at + 1, digits=True, part=True)
    if pieces.lower(at) in ("half", "quarter"):
        return _part(pieces, at)
    start = at + 1 if pieces.lower(at) in ("a", "an") else at
    if pieces.lower(at) in _SCALES:
        return None  # "hundreds", "million" without a count
    value, after = _up_to_hundreds(pieces, start)
    total, scale_before = 0.0, 1e18
    while (scale := _SCALES.get(pieces.lower(after))) is not None and 100 < scale < scale_before:
        total += value * scale
        scale_before, after = scale, after + 1
        joined = after + 1 if pieces.lower(after) in ("and", ",") else after
        value, following = _up_to_hundreds(pieces, joined)
        if following == joined or (joined > after and pieces.lower(after) == "," and value >= 1000):
            value = 0.0
            break
        after = following
    if pieces.lower(after) == "dozen":
        value, after = value * 12, after + 1
    number = WrittenNumber(total + value, at, after, digits=False)
    return _thirds(pieces, _with_half(pieces, number))


def _up_to_hundreds(pieces: Pieces, at: int) -> tuple[float, int]:
    """The value of words below a thousand, and the place after them."""
    value, after = _up_to_ninety_nine(pieces, at)
    if pieces.lower(at) in _SCALES and pieces.lower(at - 1) in ("a", "an"):
        value, after = 1.0, at
    if pieces.lower(after) != "hundred":
        return value, after
    value, after = (value or 1.0) * 100, after + 1
    joined = after + 1 if pieces.lower(after) == "and" else after
    rest, following = _up_to_ninety_nine(pieces, joined)
    return (value + rest, following) if following > joined else (value, after)


def _up_to_ninety_nine(pieces: Pieces, at: int) -> tuple[float, int]:
    word = pieces.lower(at)
    if word in _TENS:
        joined = at + 2 if pieces.lower(at + 1) in "-‐‑–" and pieces.touches(at) and pieces.touches(at + 1) else at + 1
        unit = _ONES.get(pieces.lower(joined), 0)
        return (_TENS[word] + unit, joined + 1) if 0 < unit < 10 else (_TENS[word], at + 1)
    return (float(_ONES[word]), at + 1) if word in _ONES else (0.0, at)


def _thirds(pieces: Pieces, number: WrittenNumber) -> WrittenNumber | None:
    """Three quarters (of an hour) is a part; two thirds of something is left out later, for it has no unit."""
    at = number.after
    joined = at + 1 if pieces.lower(at) == "-" and pieces.touches(at) else at
    part = _PARTS.get(pieces.lower(joined))
    if part is not None and pieces.lower(joined) != "half" and number.value < 10:
        after = joined + 1 + _article_after_of(pieces, joined + 1)
        return replace(number, value=number.value * part, after=after, part=True)
    return number


def _part(pieces: Pieces, at: int) -> WrittenNumber | None:
    """Half an hour, half a million, a quarter of a mile."""
    value, after = _PARTS[pieces.lower(at)], at + 1
    if pieces.lower(after) in ("a", "an"):
        after += 1
    elif skipped := _article_after_of(pieces, after):
        after += skipped
    elif pieces.lower(after) != "-" and pieces.lower(after) not in _HALVED:
        return None
    number = WrittenNumber(value, at, after, digits=False, part=True)
    scale = _SCALES.get(pieces.lower(after))
    return replace(number, value=value * scale, after=after + 1, part=False) if scale else number


def _article_after_of(pieces: Pieces, at: int) -> int:
    return 2 if pieces.lower(at) == "of" and pieces.lower(at + 1) in ("a", "an") else 0
