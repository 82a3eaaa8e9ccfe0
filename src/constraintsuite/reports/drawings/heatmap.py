"""How alike the tokens of a query and of a text are (after the NevIR paper's appendix D)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from constraintsuite.reports.drawings.svg import WIDTH, Drawing, element, hint, shortened, words

_LABELS, _ROW, _FOOT = 110, 15, 10
_LETTER = 6.0  # height that a letter of a slanted label takes
_WIDEST = 22.0
_LONGEST_TOKEN = 14
MOST_ROWS = 80


def heat_map(
    name: str,
    title: str,
    query_tokens: Sequence[str],
    text_tokens: Sequence[str],
    matrix: npt.NDArray[np.floating],  # (query tokens, text tokens)
) -> Drawing:
    """Columns are tokens of the query, rows those of the text; a frame stands round each query token's best match."""
    best = matrix.argmax(axis=1)
    shown = _rows(matrix, best)
    width = min(_WIDEST, (WIDTH - _LABELS - 8) / len(query_tokens))
    low, high = float(matrix.min()), float(matrix.max())
    head = 16 + _LETTER * max(len(shortened(token, _LONGEST_TOKEN)) for token in query_tokens)
    parts = [_column_label(token, _LABELS + width * (i + 0.7), head - 6) for i, token in enumerate(query_tokens)]
    for line, row in enumerate(shown):
        y = head + _ROW * line
        strong = "token strong" if row in best else "token"
        token = shortened(text_tokens[row], _LONGEST_TOKEN)
        parts.append(words(token, x=_LABELS - 6, y=y + 11, class_=strong, text_anchor="end"))
        for column, query_token in enumerate(query_tokens):
            value = float(matrix[column, row])
            place = {"x": _LABELS + width * column, "y": y, "width": width - 1, "height": float(_ROW - 1)}
            heat = (value - low) / (high - low) if high > low else 0.0
            said = hint(f"{query_token} and {text_tokens[row]}: {value:.3f}")
            parts.append(element("rect", said, class_="heat", fill_opacity=round(heat, 3), **place))
            if best[column] == row:
                parts.append(element("rect", class_="winner", **place))
    told = "; ".join(f"{token} is matched by {text_tokens[best[i]]}" for i, token in enumerate(query_tokens))
    left_out = len(text_tokens) - len(shown)
    if left_out:
        told += f"; the {left_out} tokens least like any of the query are left out"
    return Drawing(name, title, told, WIDTH, head + _ROW * len(shown) + _FOOT, "".join(parts))


def _rows(matrix: npt.NDArray[np.floating], best: npt.NDArray[np.intp]) -> list[int]:
    """Places of the tokens to show, in the order of the text: all that win, then those most like any query token."""
    likeness = matrix.max(axis=0).astype(np.float64)
    likeness[best] = np.inf
    order = np.argsort(-likeness, kind="stable")[:MOST_ROWS]
    return sorted(int(place) for place in order)


def _column_label(token: str, x: float, y: float) -> str:
    return words(shortened(token, _LONGEST_TOKEN), x=x, y=y, class_="token", transform=f"rotate(-60 {x:.2f} {y:.2f})")
