"""Contrasts that can be read at a glance, and a tokenizer that splits words it does not know."""

from __future__ import annotations

from string import ascii_lowercase, punctuation

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

from constraintsuite.mechanism.contrasts.files import PlainContrast, mark_plain
from constraintsuite.mechanism.contrasts.records import Marked, MarkedContrast
from constraintsuite.mechanism.contrasts.tokens import TokenRow
from constraintsuite.models.tokenization import Padding, Tokenization

WORDS = (
    *(
        "soups",
        "soup",
        "with",
        "without",
        "some",
        "no",
        "not",
        "also",
        "cream",
        "leeks",
        "garlic",
        "a",
        "the",
        "is",
        "and",
    ),
    *("made", "of", "bread", "rye", "nuts", "that", "do", "have", "has", "does", "coconut", "milk", "hot", "bowl"),
)
BERT = "[CLS] $A [SEP] $B:1 [SEP]:1"
ROBERTA = "[CLS] $A [SEP] [SEP] $B [SEP]"
T5 = "$A [SEP] $B [SEP]"
FRAMES = {"bert": BERT, "roberta": ROBERTA, "t5": T5}


def make_tokenizer(frame: str = BERT) -> Tokenizer:
    """Words of the list are one token each, others one a letter."""
    letters = [*ascii_lowercase, *(f"##{letter}" for letter in ascii_lowercase), *punctuation]
    vocabulary = dict.fromkeys(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS, *letters])
    tokenizer = Tokenizer(WordPiece({token: i for i, token in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single=frame.partition(" $B")[0], pair=frame, special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def make_tokenization(frame: str = BERT, length: int = 64, *, left: bool = False) -> Tokenization:
    return Tokenization(make_tokenizer(frame), length, Padding(left=left))


def swap(id: str = "swap") -> MarkedContrast:
    """The query differs in one word."""
    return mark_plain(
        PlainContrast(
            id,
            query="soups without cream",
            query_corrupt="soups with cream",
            better="soup of leeks and no cream",
            worse="soup of cream",
            y=("cream",),
            cues=("no",),
            aside="rye bread",
        )
    )


def exchange(first: str = "garlic", second: str = "cream") -> MarkedContrast:
    """The texts are exchanged; each is the other with two words in each other's place."""
    one, other = f"a soup with {first} , not {second} .", f"a soup with {second} , not {first} ."
    return mark_plain(
        PlainContrast(
            "exchange", f"soup without {second}", one, other, "", other, one, (second,), ("not",), aside="rye bread"
        )
    )


def shown(marked: Marked) -> list[tuple[str, str]]:
    """What is marked, and as what."""
    return [(marked.text[mark.start : mark.end], mark.role) for mark in marked.marks]


def words(row: TokenRow, tokenizer: Tokenizer | None = None) -> list[str]:
    """The tokens of a row."""
    known = tokenizer or make_tokenizer()
    return [known.id_to_token(token) or "?" for token in row.ids.tolist()]
