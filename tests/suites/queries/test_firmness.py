"""Whether a text says for sure that a thing has Y, or for sure that it has no Y at all."""

from __future__ import annotations

import pytest

from constraintsuite.suites.queries.firmness import (
    is_about_whole,
    is_compound,
    is_firm_affirmation,
    is_firm_denial,
    is_negative,
    says_need,
    says_permission,
)
from constraintsuite.suites.queries.surroundings import Surroundings, surroundings_of
from constraintsuite.text.mentions import find_forms
from suites.build_factory import read_all


def around(text: str, y: str) -> Surroundings:
    """What stands around the first mention of Y."""
    return surroundings_of(text, find_forms(text, [y])[0], read_all({"d": text})["d"].nouns)


@pytest.mark.parametrize(
    ("text", "y"),
    [
        ("There is no Wi-Fi.", "Wi-Fi"),
        ("There is no Wi-Fi anywhere on the site.", "Wi-Fi"),
        ("The rooms have no Wi-Fi, but a view.", "Wi-Fi"),  # all of them
        ("There isn't a pool, but the public lido is near.", "pool"),
        ("There is no broadband or Wi-Fi, but then you came to rest.", "Wi-Fi"),
        ("We avoid cheese, because it glues everything together.", "cheese"),
        ("It is free of eggs.", "eggs"),
        ("It needs no added sugar.", "sugar"),
        ("The recipe skips the eggs.", "eggs"),
        ("Unlike the farm next door, we do not take dogs.", "dogs"),
        ("There is no Wi-Fi signal.", "Wi-Fi"),
        ("You get no breakfast for fear of mice.", "breakfast"),
    ],
)
def test_a_denial_of_all_of_y_is_firm(text: str, y: str) -> None:
    assert is_firm_denial(around(text, y))


@pytest.mark.parametrize(
    ("text", "y"),
    [
        # A part, a time, some people, a price.
        ("There is no Wi-Fi in the rooms, although it works by the fire.", "Wi-Fi"),
        ("Until last summer we had no Wi-Fi.", "Wi-Fi"),
        ("We are unable to offer Wi-Fi on the free plan.", "Wi-Fi"),
        ("Don't count on Wi-Fi when the wind is up.", "Wi-Fi"),
        ("Wi-Fi is not included in the price.", "Wi-Fi"),
        ("The dough has no egg.", "egg"),
        ("There's no flour in the sauce.", "flour"),
        # A kind.
        ("It isn't designed for small children.", "children"),
        ("They cannot take other pets.", "pets"),
        ("There isn't an API for live results.", "API"),
        ("No egg white is whipped in.", "egg"),
        # It is there.
        ("The shortcuts do not work in the mobile app.", "mobile app"),
        ("Children are not turned away.", "children"),
        ("You can replace the butter with oil.", "butter"),
        ("Do it over charcoal instead of in the oven, if you can.", "oven"),
        ("That is not the same as dark mode, nor is it dark mode.", "dark mode"),
        ("Can we have a refund?", "refund"),
        # It is given back.
        ("No towels are provided, so bring your own or rent one.", "towels"),
        ("There is no breakfast, but a basket can be ordered.", "breakfast"),
        ("There is no breakfast. However, it is available on request.", "breakfast"),
        # Something else is denied.
        ("A chestnut isn't a nut.", "nut"),
    ],
)
def test_a_denial_of_a_part_or_one_that_is_taken_back_is_not_firm(text: str, y: str) -> None:
    assert not is_firm_denial(around(text, y))


@pytest.mark.parametrize(
    ("text", "y"),
    [
        ("Pets are welcome.", "pets"),
        ("It takes pets but not children.", "pets"),
        ("Pets are welcome, but smoking is not.", "pets"),  # another clause
        ("Pets may roam the orchard.", "pets"),
        ("The soup has onions and chopped garlic.", "garlic"),
        ("Two cloves of garlic go in.", "garlic"),
        ("Six garlic cloves go in.", "garlic"),
        ("It runs on pods rather than paper filters.", "pods"),
        ("It comes with a pool but without a sauna.", "pool"),
        ("There is air conditioning, and free Wi-Fi.", "Wi-Fi"),
        ("The dough contains butter, sugar and one egg.", "butter"),
    ],
)
def test_an_affirmation_without_reserve_is_firm(text: str, y: str) -> None:
    assert is_firm_affirmation(around(text, y))


@pytest.mark.parametrize(
    ("text", "y"),
    [
        # It is denied or narrowed.
        ("Pets cannot be accommodated.", "pets"),
        ("Pets haven't been seen here.", "pets"),
        ("Pets are welcome in the barn only.", "pets"),
        ("Pets are the one thing that must be left behind.", "pets"),
        ("Garlic, we believe, has no business in it.", "garlic"),
        ("Nobody will guess that it lacks both cream and eggs.", "eggs"),
        ("The house is naturally free of pets.", "pets"),
        ("Smoking is allowed on the platform.", "smoking"),
        ("Dark mode has yet to arrive.", "dark mode"),
        # It is taken back.
        ("Onions are classic with liver, but this version does without them.", "onions"),
        ("Some like sugar. This one does without it.", "sugar"),
        # It is optional, elsewhere, or hardly there.
        ("Finish with parsley and, on bad days, cream.", "cream"),
        ("It is made without meat, but a ham bone does no harm.", "ham"),
        ("Chopped chilli can be stirred in.", "chilli"),
        ("Add rum if you like.", "rum"),
        ("Rub in cold butter, or coconut oil.", "butter"),
        ("Most recipes call for sugar.", "sugar"),
        ("It has very little sugar.", "sugar"),
        ("I tried it with garlic.", "garlic"),
        # It is something else.
        ("Sour cream is added.", "cream"),
        ("Stir together four spoons of peanut butter, soy and lime.", "butter"),
        ("Garlic has no place here, and butter even less.", "butter"),
        ("Dairy-free butter is used.", "butter"),
        ("A natural pool lies below the waterfall.", "pool"),
        ("A pool fence is there.", "pool"),
        ("Cream the butter with sugar.", "cream"),
        ("It tastes like cream.", "cream"),
        ("As for Wi-Fi, the village voted against a mast.", "Wi-Fi"),
        ("Are there pets?", "pets"),
    ],
)
def test_an_affirmation_with_a_reserve_is_not_firm(text: str, y: str) -> None:
    assert not is_firm_affirmation(around(text, y))


@pytest.mark.parametrize(
    ("title", "negative"), [("Cheesecake Without an Oven", True), ("Egg-Free Sponge", True), ("Garlic Soup", False)]
)
def test_a_title_may_say_that_something_is_missing(title: str, negative: bool) -> None:
    assert is_negative(title) == negative


def test_a_noun_before_y_makes_a_compound_and_an_adjective_does_not() -> None:
    assert is_compound(around("Add coconut milk.", "milk"))
    assert not is_compound(around("Add warm milk.", "milk"))
    assert not is_compound(around("Add a cup milk.", "milk"))


def test_need_and_permission_are_told_from_having() -> None:
    assert says_need(around("No mobile app is needed.", "mobile app"))
    assert not says_need(around("There is no mobile app.", "mobile app"))
    assert says_permission(around("Dogs are welcome.", "dogs"))
    assert not says_permission(around("The cook walks her dogs.", "dogs"))


@pytest.mark.parametrize(
    ("text", "title", "whole"),
    [
        ("We do not offer single sign-on.", "", True),
        ("Lodgewick doesn't have single sign-on.", "", True),
        ("The app has no single sign-on.", "", True),
        ("Single sign-on isn't supported.", "", True),
        ("There's no single sign-on.", "Signing in to your account", True),
        ("Neither plan has single sign-on.", "", False),
        ("Sandboxes don't come with single sign-on.", "", False),
        ("Sandboxes don't come with templates, single sign-on or themes.", "", False),
        ("Guest links are not protected by single sign-on.", "", False),
        ("There is no single sign-on.", "The free plan", False),
    ],
)
def test_help_pages_deny_things_of_parts(text: str, title: str, whole: bool) -> None:
    assert is_about_whole(around(text, "single sign-on"), title, ("it", "app")) == whole
