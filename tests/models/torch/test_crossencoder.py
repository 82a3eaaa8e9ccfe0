from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from tokenizers import Tokenizer
from tokenizers.processors import RobertaProcessing

from constraintsuite.core.errors import UserError
from constraintsuite.models.backends import CrossSettings
from constraintsuite.models.base import Describing, Workbench
from constraintsuite.models.batches import BatchLimits
from constraintsuite.models.torch.crossencoder import TorchCrossEncoder, make_torch_cross
from models.reading import characters_read

torch = pytest.importorskip("torch", reason="the extra [torch] is not installed")
transformers = pytest.importorskip("transformers", reason="the extra [torch] is not installed")
sentence_transformers = pytest.importorskip("sentence_transformers", reason="the extra [torch] is not installed")

LENGTH = 24
SIZES = {
    "vocab_size": 32,  # the tokenizer has 20
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 32,
    "pad_token_id": 0,
    "initializer_range": 0.5,  # so that scores lie well apart
}
CLASSES: Mapping[str, Mapping[str, object]] = {
    "Bert": {},
    "Electra": {"embedding_size": 16},
    "Roberta": {"type_vocab_size": 1},
    "XLMRoberta": {"type_vocab_size": 1},
    "DebertaV2": {"type_vocab_size": 0, "relative_attention": True, "pos_att_type": ["p2c", "c2p"]},
    "ModernBert": {"global_attn_every_n_layers": 2, "local_attention": 8, "cls_token_id": 2, "sep_token_id": 3},
}
TYPED = {"Bert", "Electra", "DebertaV2"}  # whose tokenizers say which token is the text's
PAIRS = [
    ("soups without cream", "a soup with leeks and no cream"),
    ("soups without cream", "a very rich soup"),
    ("soup", ""),
    ("", "pie"),
    ("pies with nuts and cream and leeks", " ".join(["rich", "soup", "with", "cream"] * 20)),
    ("pie", "the pie is very rich and very rich with nuts"),
]


def save(folder: Path, kind: str, tokenizer: Tokenizer, labels: int = 1) -> Path:
    torch.manual_seed(7)
    config = getattr(transformers, f"{kind}Config")(**{**SIZES, **CLASSES[kind]}, num_labels=labels)
    getattr(transformers, f"{kind}ForSequenceClassification")(config).eval().save_pretrained(folder)
    own = Tokenizer.from_str(tokenizer.to_str())
    if "Roberta" in kind:
        own.post_processor = RobertaProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = ["input_ids", *(["token_type_ids"] if kind in TYPED else []), "attention_mask"]
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=own,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=LENGTH,
        model_input_names=names,
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module", autouse=True)
def quiet() -> None:
    transformers.utils.logging.disable_progress_bar()


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory, word_tokenizer: Tokenizer) -> Path:
    return save(tmp_path_factory.mktemp("bert"), "Bert", word_tokenizer)


on_cpu = partial(CrossSettings, device="cpu")


def scorer(folder: Path, options: CrossSettings | None = None, bench: Workbench | None = None) -> TorchCrossEncoder:
    made = make_torch_cross(folder, options or on_cpu(), bench or Workbench())
    assert isinstance(made, TorchCrossEncoder)
    return made


def library_scores(folder: Path) -> npt.NDArray[np.float64]:
    """What sentence-transformers gives the pairs: a number each, or one for each label."""
    encoder = sentence_transformers.CrossEncoder(str(folder), device="cpu", local_files_only=True)
    found = encoder.predict(PAIRS, activation_fn=torch.nn.Identity(), show_progress_bar=False)
    return np.asarray(found, dtype=np.float64)


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")  # DeBERTa's own code
@pytest.mark.parametrize("kind", CLASSES)
def test_scores_are_the_librarys_raw_logits(kind: str, tmp_path: Path, word_tokenizer: Tokenizer) -> None:
    folder = save(tmp_path, kind, word_tokenizer)
    ours = scorer(folder).score(PAIRS)
    assert ours.tolist() == pytest.approx(library_scores(folder).tolist(), abs=1e-5)
    assert np.ptp(ours) > 0.1
    assert ours.dtype == np.float64


def test_scores_do_not_depend_on_batches_or_threads(bert: Path) -> None:
    one = scorer(bert)
    alone = [float(one.score([pair])[0]) for pair in PAIRS]
    for batch_tokens, threads in ((24, 1), (10_000, 1), (48, 3)):
        ours = scorer(bert, on_cpu(batch_tokens=batch_tokens, threads=threads)).score(PAIRS)
        assert ours.tolist() == pytest.approx(alone, abs=1e-5)


def test_threads_change_no_bit(bert: Path) -> None:
    assert (
        scorer(bert, on_cpu(batch_tokens=48, threads=1)).score(PAIRS).tolist()
        == scorer(bert, on_cpu(batch_tokens=48, threads=4)).score(PAIRS).tolist()
    )


def test_no_pairs_no_scores(bert: Path) -> None:
    assert scorer(bert).score([]).tolist() == []


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_fewer_bits_stay_near_and_make_no_ties(bert: Path, precision: str) -> None:
    full, half = scorer(bert).score(PAIRS), scorer(bert, on_cpu(precision=precision)).score(PAIRS)
    assert half.tolist() == pytest.approx(full.tolist(), abs=0.1 * float(np.abs(full).max()))
    narrow = torch.from_numpy(half).to({"bf16": torch.bfloat16, "fp16": torch.float16}[precision]).double().numpy()
    assert (narrow != half).any()  # the last layer is computed in fp32


def test_a_prompt_stands_before_the_query_as_in_the_library(bert: Path, tmp_path: Path) -> None:
    encoder = sentence_transformers.CrossEncoder(
        str(bert), device="cpu", prompts={"q": "very rich "}, default_prompt_name="q"
    )
    encoder.save_pretrained(str(tmp_path))
    assert scorer(tmp_path).score(PAIRS).tolist() == pytest.approx(library_scores(tmp_path).tolist(), abs=1e-5)
    assert scorer(tmp_path).score(PAIRS).tolist() != pytest.approx(scorer(bert).score(PAIRS).tolist(), abs=1e-5)


def test_visible_is_what_is_left_of_the_text(bert: Path) -> None:
    long = " ".join(["rich"] * 40)
    ours = scorer(bert)
    # 24 tokens less three special ones and the query's one leave 20 of the text.
    assert characters_read(ours, [("pie", long), ("pie", "a pie")]) == [20 * len("rich ") - 1, len("a pie")]
    shorter = scorer(bert, on_cpu(length=10))
    assert characters_read(shorter, [("pie", long)]) == [6 * len("rich ") - 1]


def test_a_model_that_reads_the_end_says_so_and_claims_no_beginning(tmp_path: Path, word_tokenizer: Tokenizer) -> None:
    folder = save(tmp_path, "Bert", word_tokenizer)
    config = folder / "tokenizer_config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "truncation_side": "left"}))
    ours = scorer(folder)
    assert characters_read(ours, [("a", "b")]) is None
    assert ours.describe()["cut"] == "left"
    start, end = "a very rich pie " * 10, " ".join(["soup"] * 23)
    assert ours.score([("pie", start + end)]).tolist() == ours.score([("pie", end)]).tolist()


def save_decoder(folder: Path, tokenizer: Tokenizer, pad: str | None) -> Path:
    torch.manual_seed(7)
    config = transformers.GPT2Config(
        vocab_size=32, n_embd=16, n_layer=2, n_head=2, n_positions=32, num_labels=1, initializer_range=0.5,
        bos_token_id=2, eos_token_id=3,
    )  # fmt: skip
    transformers.GPT2ForSequenceClassification(config).eval().save_pretrained(folder)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=pad, unk_token="[UNK]", model_max_length=LENGTH
    ).save_pretrained(folder)
    return folder


@pytest.mark.parametrize("pad", [None, "[PAD]"])
def test_a_decoder_finds_the_last_token_of_every_text(
    pad: str | None, tmp_path: Path, word_tokenizer: Tokenizer
) -> None:
    folder = save_decoder(tmp_path, word_tokenizer, pad)
    model = transformers.GPT2ForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    ours = scorer(folder)
    pairs = [(query, f"{text} pie" * length) for length in (1, 2, 3) for query, text in PAIRS]
    with torch.inference_mode():
        read = [tokenizer(*pair, truncation=True, return_tensors="pt")["input_ids"] for pair in pairs]
        alone = [float(model(ids).logits[0, 0]) for ids in read]
    assert ours.score(pairs).tolist() == pytest.approx(alone, abs=1e-5)
    assert ours._limits.items == (1 if pad is None else BatchLimits.items)


def test_a_rerun_computes_nothing(bert: Path, tmp_path: Path) -> None:
    first = scorer(bert, bench=Workbench(cache=tmp_path)).score(PAIRS)
    again = scorer(bert, bench=Workbench(cache=tmp_path))
    computed: list[object] = []
    again.classifier.model.register_forward_hook(lambda *_: computed.append(1))
    assert again.score(PAIRS).tolist() == first.tolist()
    assert computed == []


def test_description_says_what_was_run(bert: Path) -> None:
    ours = scorer(bert, on_cpu(precision="bf16"))
    assert isinstance(ours, Describing)
    told = ours.describe()
    expected = {"class": "BertForSequenceClassification", "precision": "bf16", "length": LENGTH, "device": "cpu"}
    assert {name: told[name] for name in expected} == expected
    assert told["score"] == "raw logit"


@pytest.mark.parametrize(
    "options", [on_cpu(trust=True), on_cpu(length=12), on_cpu(precision="bf16"), on_cpu(batch_tokens=64)], ids=str
)
def test_the_fingerprint_changes_with_the_settings(bert: Path, options: CrossSettings) -> None:
    assert scorer(bert).fingerprint == scorer(bert, on_cpu(threads=3)).fingerprint
    assert scorer(bert).fingerprint != scorer(bert, options).fingerprint


def test_the_fingerprint_changes_with_the_weights(bert: Path, tmp_path: Path, word_tokenizer: Tokenizer) -> None:
    folder = save(tmp_path, "Bert", word_tokenizer)
    assert scorer(folder).fingerprint == scorer(bert).fingerprint
    weights = folder / "model.safetensors"
    changed = bytearray(weights.read_bytes())
    changed[-1] ^= 1
    weights.write_bytes(changed)
    assert scorer(folder).fingerprint != scorer(bert).fingerprint


@pytest.mark.parametrize(("label", "column"), [("1", 1), ("LABEL_2", 2)])
def test_of_several_logits_the_declared_one_is_the_score(
    label: str, column: int, tmp_path: Path, word_tokenizer: Tokenizer
) -> None:
    folder = save(tmp_path, "Bert", word_tokenizer, labels=3)
    ours = make_torch_cross(folder, CrossSettings(label=label, device="cpu"), Workbench())
    assert ours.score(PAIRS).tolist() == pytest.approx(library_scores(folder)[:, column].tolist(), abs=1e-5)
    assert ours.fingerprint != scorer(folder, on_cpu(label="0")).fingerprint


def test_several_logits_without_a_label_are_refused(tmp_path: Path, word_tokenizer: Tokenizer) -> None:
    folder = save(tmp_path, "Bert", word_tokenizer, labels=3)
    with pytest.raises(UserError, match=r"3 labels: 0 \(LABEL_0\).*label="):
        make_torch_cross(folder, CrossSettings(), Workbench())


def test_an_encoder_without_classifier_is_refused(tmp_path: Path, word_tokenizer: Tokenizer) -> None:
    folder = save(tmp_path, "Bert", word_tokenizer)
    transformers.BertModel.from_pretrained(folder).save_pretrained(folder)
    with pytest.raises(UserError, match=r"2 weights of a BertForSequenceClassification are not in its files"):
        scorer(folder).score(PAIRS)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (on_cpu(length=4_000), "length=4000, but the model reads at most 32 tokens"),
        (on_cpu(precision="int8"), "precision=int8: torch runs fp32, bf16, fp16"),
    ],
)
def test_options_that_the_model_cannot_follow_are_refused(bert: Path, options: CrossSettings, words: str) -> None:
    with pytest.raises(UserError, match=words):
        scorer(bert, options).score(PAIRS)


@pytest.mark.parametrize(
    ("remove", "words"), [("config.json", r"no config\.json"), ("model.safetensors", "no weights here")]
)
def test_a_folder_without_its_files_is_refused_before_any_work(
    remove: str, words: str, tmp_path: Path, word_tokenizer: Tokenizer
) -> None:
    folder = save(tmp_path, "Bert", word_tokenizer)
    (folder / remove).unlink()
    with pytest.raises(UserError, match=words):
        make_torch_cross(folder, CrossSettings(), Workbench())


def test_layers_behind_the_classifier_are_refused(tmp_path: Path, word_tokenizer: Tokenizer) -> None:
    folder = save(tmp_path, "Bert", word_tokenizer)
    (folder / "modules.json").write_text('[{"idx": 0}, {"idx": 1}]')
    with pytest.raises(UserError, match=r"modules\.json adds layers"):
        make_torch_cross(folder, CrossSettings(), Workbench())


def test_making_a_scorer_does_not_import_torch(bert: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from constraintsuite.models.base import Workbench\n"
        "from constraintsuite.models.cross import CrossSettings\n"
        "from constraintsuite.models.torch.crossencoder import make_torch_cross\n"
        f"make_torch_cross(Path({str(bert)!r}), CrossSettings(), Workbench())\n"
        "assert not {'torch', 'transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
