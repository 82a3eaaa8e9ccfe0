"""YAML that no loader may fall over: each input with the line that is told and the beginning of what is said of it."""

from __future__ import annotations

from typing import NamedTuple


class Bad(NamedTuple):
    """A file, and how it is refused; every input has a colon, so that it can be front matter, too."""

    data: bytes
    line: int
    said: str


_DEEP = "lists and mappings are nested more than 50 deep"
_BOMB = b"a: &a [x, x, x, x, x, x, x, x, x, x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (name, name, b", ".join([b"*%c" % (name - 1)] * 10)) for name in b"bcdefgh"
)
_MERGES = b"a: &a {x: 1}\n" + b"".join(
    b"%c: &%c {<<: [%s]}\n" % (name, name, b", ".join([b"*%c" % (name - 1)] * 9)) for name in b"bcdefgh"
)
BAD: dict[str, Bad] = {
    "20,000 lists": Bad(b"a:\n  " + b"[" * 20_000, 2, _DEEP),
    "20,000 mappings": Bad(b"a: " + b"{a: " * 20_000, 1, _DEEP),
    "60 indents": Bad(b"".join(b" " * depth + b"a:\n" for depth in range(60)), 51, _DEEP),
    "alias bomb": Bad(_BOMB, 5, "with every alias written out, there are more than 100,000 values"),
    "merge bomb": Bad(_MERGES, 6, "with every alias written out"),
    "alias of itself": Bad(b"a:\n  - &x [1, *x]\n", 2, "this alias refers to itself"),
    "unknown alias": Bad(b"a: 1\nb: *x\n", 2, "this is not valid YAML: found undefined alias 'x'"),
    "alias with a long name": Bad(b"a: *" + b"x" * 9_000, 1, "this is not valid YAML: found undefined alias 'xxx"),
    "5,000 digits": Bad(b"a: " + b"9" * 5_000, 1, "this number has 5,000 characters"),
    "number of base 60": Bad(b"a: 1" + b":1" * 20_000, 1, "this number has 40,001 characters"),
    "more than 64 bits": Bad(b"a: -0x8000000000000001\n", 1, "'-0x8000000000000001' is more than 64 bits can hold"),
    "digits without a number": Bad(b"a: 0b_\n", 1, "'0b_' is neither a number nor a date"),
    "month 13": Bad(
        b"a: 1\ndate: 2026-13-45\n", 2, "'2026-13-45' is neither a number nor a date (month must be in 1..12)"
    ),
    "hour 25": Bad(b"a: 2026-01-01 25:00:00\n", 1, "'2026-01-01 25:00:00' is neither a number nor a date"),
    "99 hours from Greenwich": Bad(
        b"a: 2026-01-01 00:00:00 +99:00\n", 1, "'2026-01-01 00:00:00 +99:00' is neither a number"
    ),
    "key twice": Bad(b"a:\n  b: 1\n  b: 2\n", 3, "duplicate key 'b'"),
    "key twice, as two words": Bad(b"yes: 1\ntrue: 2\n", 2, "duplicate key 'true' (the same as 'yes')"),
    "key twice, as two numbers": Bad(b"a:\n  1: x\n  0x1: y\n", 3, "duplicate key '0x1' (the same as '1')"),
    "key twice, once quoted": Bad(b"1: x\n'1': y\n", 2, "duplicate key '1'"),
    "list as key": Bad(b"a:\n  ? [x, y]\n  : 1\n", 2, "a key is a list or a mapping"),
    "mapping as key": Bad(b"{{a: 1}: 2}\n", 1, "a key is a list or a mapping"),
    "not UTF-8": Bad(b"a: 1\nb: \xff\n", 2, "byte 0xff"),
    "NUL": Bad(b"a: 1\nb: x\0\n", 2, "the character 0x0000"),
    "escape character": Bad(b"a: 1\nb: \x1b[31m\n", 2, "the character 0x001b"),
    "NUL in an escape": Bad(b'a: "\\0"\n', 1, "the character 0x0000"),
    "surrogate in an escape": Bad(b'a: "\\ud800"\n', 1, "the character 0xd800"),
    "escape of no character": Bad(b'a: 1\nb: "\\UFFFFFFFF"\n', 2, "an escape in this quoted text names no character"),
    "Python object": Bad(b"a: !!python/object/apply:os.getcwd []\n", 1, "the tag 'tag:yaml.org,2002:python/object"),
    "number that is none": Bad(b"a: !!int ''\n", 1, "the tag 'tag:yaml.org,2002:int' is not allowed"),
    "own tag": Bad(b"a:\n  - !thing {b: 1}\n", 2, "the tag '!thing' is not allowed"),
    "open list": Bad(b"a: 1\nb: [1, 2\nc: 3\n", 3, "this is not valid YAML: expected ',' or ']'"),
    "tab": Bad(b"a:\n\tb: 1\n", 2, "this is not valid YAML: found character '\\t' that cannot start any token"),
    "value after =": Bad(b"a: =\n", 1, "this is not valid YAML: could not determine a constructor"),
    "two megabytes": Bad(b"a: 1 # " + b"x" * (2 << 20) + b"\n", 1, "1,048,576"),
}
