"""What a folder says of the way from tokens to a vector, without reading any weights."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.models.backends import DenseSettings, OnnxUnsupportedError
from constraintsuite.models.onnx.folder import TokenizerConfig, TransformerConfig, choose_length, read_text_config
from constraintsuite.models.onnx.layout import SentenceLayout, read_layout

TRANSFORMER = {"type": "sentence_transformers.models.Transformer", "path": ""}
POOLING = {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}
NORMALIZE = {"type": "sentence_transformers.base.modules.normalize.Normalize", "path": "2_Normalize"}
ROUTER = {"type": "sentence_transformers.base.modules.router.Router", "path": ""}
CNN = {"type": "sentence_transformers.sentence_transformer.modules.cnn.CNN", "path": "2_CNN"}
MEAN = {"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}


def layout(folder: Path, files: dict[str, object], **options: object) -> SentenceLayout:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content))
    read_text_config(folder)
    return read_layout(folder, DenseSettings.model_validate(options))


def sentence_files(pooling: object = MEAN, **config: object) -> dict[str, object]:
    return {
        "modules.json": [TRANSFORMER, POOLING, NORMALIZE],
        "1_Pooling/config.json": pooling,
        "config_sentence_transformers.json": config,
    }


@pytest.mark.parametrize(
    ("pooling", "modes"),
    [
        (MEAN, ("mean",)),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, ("cls",)),
        # several are put one after the other in the library's order, not the file's
        ({"pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": True}, ("max", "mean")),
        ({"pooling_mode": "lasttoken"}, ("lasttoken",)),
        ({"pooling_mode": ["mean", "cls"]}, ("mean", "cls")),
        ({"word_embedding_dimension": 8}, ("mean",)),
    ],
)
def test_pooling_is_read_in_both_ways_of_writing_it(tmp_path: Path, pooling: object, modes: tuple[str, ...]) -> None:
    found = layout(tmp_path, sentence_files(pooling))
    assert found.pooling == modes
    assert found.after == ("normalize",)


@pytest.mark.parametrize(
    ("prompts", "options", "expected"),
    [
        ({}, {}, {"query": "", "document": ""}),
        ({"query": "q: ", "passage": "p: "}, {}, {"query": "q: ", "document": "p: "}),
        ({"query": "q: ", "document": "d: ", "passage": "p: "}, {}, {"query": "q: ", "document": "d: "}),
        ({"query": "q: "}, {"query_prompt": "", "document_prompt": "x "}, {"query": "", "document": "x "}),
        ({"clustering": "c: "}, {}, {"query": "", "document": ""}),
    ],
)
def test_prompts_go_by_role_and_options_go_first(
    tmp_path: Path, prompts: dict[str, str], options: dict[str, str], expected: dict[str, str]
) -> None:
    assert layout(tmp_path, sentence_files(prompts=prompts), **options).prompts == expected


def test_similarity_is_the_folders_own_or_the_cosine(tmp_path: Path) -> None:
    assert layout(tmp_path, sentence_files(similarity_fn_name="dot")).similarity == "dot"
    assert layout(tmp_path, sentence_files()).similarity == "cosine"


def test_a_plain_transformer_is_pooled_only_if_it_is_said_how(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Say it if you know it: pooling=mean or pooling=cls"):
        layout(tmp_path, {"config.json": {"model_type": "bert"}})
    assert layout(tmp_path, {}, pooling="cls").pooling == ("cls",)


@pytest.mark.parametrize(
    ("files", "options", "kind", "words"),
    [
        ({}, {}, UserError, "neither modules.json nor config.json"),
        (sentence_files(), {"pooling": "cls"}, UserError, "pooling=cls, but its files say mean"),
        ({"modules.json": [ROUTER]}, {}, OnnxUnsupportedError, "first module is not a Transformer"),
        (
            {**sentence_files(), "modules.json": [TRANSFORMER, POOLING, CNN]},
            {},
            OnnxUnsupportedError,
            "kind CNN after the pooling",
        ),
        (sentence_files({**MEAN, "include_prompt": False}), {}, OnnxUnsupportedError, "leaving the prompt out"),
        (sentence_files(truncate_dim=64), {}, OnnxUnsupportedError, "truncate_dim"),
        (sentence_files(similarity_fn_name="maxsim"), {}, UserError, "similarity_fn_name"),
    ],
)
def test_what_is_not_understood_is_named(
    tmp_path: Path, files: dict[str, object], options: dict[str, str], kind: type[UserError], words: str
) -> None:
    with pytest.raises(kind, match=words):
        layout(tmp_path, files, **options)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["mean", "cls", "..", "/", "1_Pooling", "x.Pooling"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "path", "pooling_mode", "prompts", "max_seq_length"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from([*sentence_files(), "sentence_bert_config.json"]), content=JSON)
def test_whatever_a_file_holds_is_understood_or_explained(tmp_path: Path, name: str, content: object) -> None:
    (tmp_path / "sentence_bert_config.json").unlink(missing_ok=True)
    try:
        layout(tmp_path, {**sentence_files(), name: content})
    except UserError as error:
        assert str(tmp_path) in str(error)


@pytest.mark.parametrize(
    ("config", "tokenizer", "own", "options", "length"),
    [
        ({"max_position_embeddings": 512}, {"model_max_length": 384}, 256, {}, 256),
        ({"max_position_embeddings": 512}, {"model_max_length": 384}, None, {}, 384),
        ({"max_position_embeddings": 512}, {"model_max_length": 1e30}, None, {}, 512),
        ({"max_position_embeddings": 512}, {}, None, {}, 512),
        ({"max_position_embeddings": 512}, {}, 256, {"length": 400}, 400),
        # RoBERTa's positions begin after the padding token
        ({"model_type": "roberta", "max_position_embeddings": 514, "pad_token_id": 1}, {}, None, {}, 512),
        ({"model_type": "xlm-roberta", "max_position_embeddings": 514}, {}, None, {}, 512),
    ],
)
def test_the_length_is_the_least_that_the_files_allow(
    tmp_path: Path,
    config: dict[str, object],
    tokenizer: dict[str, float],
    own: int | None,
    options: dict[str, int],
    length: int,
) -> None:
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(tokenizer))
    read = TransformerConfig.model_validate({"model_type": "bert", **config})
    assert choose_length(tmp_path, read, own, DenseSettings.model_validate(options)) == length


@pytest.mark.parametrize(
    ("config", "options", "words"),
    [
        ({"max_position_embeddings": 512}, {"length": 513}, "positions for 512 tokens"),
        ({}, {}, "Say it: length=N"),
    ],
)
def test_a_length_that_cannot_be_is_refused(
    tmp_path: Path, config: dict[str, object], options: dict[str, int], words: str
) -> None:
    read = TransformerConfig.model_validate({"model_type": "bert", **config})
    with pytest.raises(UserError, match=words):
        choose_length(tmp_path, read, None, DenseSettings.model_validate(options))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({}, True),
        ({"tokenizer_class": "BertTokenizer"}, True),
        ({"tokenizer_class": "PreTrainedTokenizerFast"}, False),
        ({"tokenizer_class": "PreTrainedTokenizerFast", "model_input_names": ["input_ids", "token_type_ids"]}, True),
        ({"tokenizer_class": "BertTokenizer", "model_input_names": ["input_ids"]}, False),
    ],
)
def test_whether_the_two_texts_of_a_pair_are_numbered(content: dict[str, object], told: bool) -> None:
    assert TokenizerConfig.model_validate(content).numbers_pairs is told
