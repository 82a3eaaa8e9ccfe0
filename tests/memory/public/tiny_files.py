"""Benchmark files small enough to be seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HOTPOT: dict[str, Any] = {
    "_id": "q1",
    "question": "In which country does the Lorn rise?",
    "answer": "Veldt",
    "type": "bridge",
    "level": "hard",
    "context": [
        ["Lorn", ["The Lorn is a river.", " It rises on Mount Gar.", " "]],
        ["Mount Gar", ["Mount Gar is in Veldt.", " It is steep."]],
        ["Film: Part 2", ["A film."]],
    ],
    "supporting_facts": [["Lorn", 1], ["Mount Gar", 0]],
}
COLUMNS: dict[str, Any] = {
    **{key: value for key, value in HOTPOT.items() if key != "_id"},
    "id": "q1",
    "context": {
        "title": [title for title, _ in HOTPOT["context"]],
        "sentences": [sentences for _, sentences in HOTPOT["context"]],
    },
    "supporting_facts": {"title": ["Lorn", "Mount Gar"], "sent_id": [1, 0]},
}
MUSIQUE: dict[str, Any] = {
    "id": "2hop__11_22",
    "question": "Who leads the town where Ada was born?",
    "answer": "Bo Lind",
    "answer_aliases": ["Lind"],
    "answerable": True,
    "question_decomposition": [],
    "paragraphs": [
        {"idx": 0, "title": "Ada", "paragraph_text": "Ada was born in Hale.", "is_supporting": True},
        {"idx": 1, "title": "Hale", "paragraph_text": "Hale is led by Bo Lind.", "is_supporting": True},
        {"idx": 2, "title": "Hale", "paragraph_text": "Hale has a mill.", "is_supporting": False},
    ],
}


def turn(role: str, content: str, has_answer: bool | None = None) -> dict[str, Any]:
    said: dict[str, Any] = {"role": role, "content": content}
    return said if has_answer is None else {**said, "has_answer": has_answer}


LONGMEMEVAL: dict[str, Any] = {
    "question_id": "q1",
    "question_type": "multi-session",
    "question": "How many bikes do I have?",
    "answer": 2,
    "question_date": "2023/05/30 (Tue) 10:00",
    "haystack_session_ids": ["answer_x_1", "sharegpt_7", "answer_x_2"],
    "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 09:00", "2023/05/22 (Mon) 11:00"],
    "haystack_sessions": [
        [turn("user", "I bought a bike.", True), turn("assistant", "A red one?", False), turn("user", "Yes.", False)],
        [turn("user", "Tell me of tides."), turn("assistant", "The moon pulls.")],
        [turn("user", "Any news?", False), turn("assistant", "You have two bikes.", True)],
    ],
    "answer_session_ids": ["answer_x_1", "answer_x_2"],
}
LOCOMO: dict[str, Any] = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Bea",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "I paint."},
            {"speaker": "Bea", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a photo of a lake", "query": "lake"},
        ],
        "session_2_date_time": "9:00 am on 9 May, 2023",
        "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "I sold two paintings."}],
        "session_3_date_time": "1:00 pm on 1 June, 2023",
    },
    "qa": [
        {"question": "What does Ann do?", "answer": "paints, sells", "category": 1, "evidence": ["D1:1; D2:1"]},
        {"question": "How many did she sell?", "answer": 2, "category": 4, "evidence": ["D2:01"]},
        {"question": "Would Ann like Vivaldi?", "answer": "Yes; she is calm", "category": 3, "evidence": []},
        {"question": "What did Bea sell?", "adversarial_answer": "two", "category": 5, "evidence": ["D2:1", "D9:9"]},
    ],
}


def write(file: Path, *rows: dict[str, Any], lines: bool = False) -> Path:
    text = "".join(f"{json.dumps(row)}\n" for row in rows) if lines else json.dumps(rows, indent=1)
    file.write_text(text, encoding="utf-8")
    return file


def without(row: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in keys}
