"""Eight checks that a model must pass before results about its inside can be believed; run whenever one is loaded."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong model name is reported before that

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.hooks import Edit, capturing, replacing, watching
from constraintsuite.mechanism.loaded_model import InvariantResult, LoadedModel, Tensors
from constraintsuite.mechanism.patching import patches as patching
from constraintsuite.mechanism.sites import EMBEDDINGS, KINDS, Site, SiteKind
from constraintsuite.models.base import Pair
from constraintsuite.models.torch.loader import loading

if TYPE_CHECKING:
    import torch

_SAMPLES: tuple[tuple[Pair, Pair], ...] = (
    (
        ("soup without leeks and nuts", "The warm soup is made of peas."),
        ("which pie has no cream", "A fresh pie, rich in eggs and cream, is in the bowl; it is not very sweet, and serves two."),
    ),
    (("суп без лука и орехов", "Суп из гороха."), ("пирог без сливок", "Свежий пирог со сливками и яйцами стоит на столе.")),
    (("不含韭葱的汤", "豌豆汤很热。"), ("没有奶油的馅饼", "碗里有一个新鲜的馅饼，里面有很多鸡蛋和奶油。")),
)  # fmt: skip


@dataclass(frozen=True)
class ModelTrial:
    """A model, and two short pairs of unequal length to try it on."""

    model: LoadedModel
    folder: Path
    trust: bool

    @cached_property
    def pairs(self) -> tuple[Pair, Pair]:
        """The pairs in the script that the tokenizer knows best."""
        return max(_SAMPLES, key=lambda pairs: len(self.model.inputs(pairs)["input_ids"].unique()))

    @cached_property
    def short(self) -> Tensors:
        """The first pair alone."""
        return self.model.inputs(self.pairs[:1])

    @cached_property
    def swapped(self) -> Tensors:
        """The first pair with two of its tokens exchanged."""
        ids = self.short["input_ids"].clone()
        ids[:, [1, 2]] = ids[:, [2, 1]]
        return {**self.short, "input_ids": ids}

    @cached_property
    def both(self) -> Tensors:
        """Both pairs; the first one is padded."""
        return self.model.inputs(self.pairs)

    @cached_property
    def score(self) -> torch.Tensor:
        """The score of the first pair alone."""
        return self.model.scores(self.short)

    def seen(self, inputs: Tensors, sites: list[Site]) -> dict[Site, torch.Tensor]:
        """The values at some sites when the model reads the inputs."""
        with capturing(self.model, sites) as seen:
            self.model.scores(inputs)
        return seen


@dataclass(frozen=True)
class Invariant:
    """A difference that must not exceed a limit; with `must_differ`, one that must."""

    number: int
    name: str
    difference: Callable[[ModelTrial], float]
    limit: float
    excuse: Callable[[ModelTrial], str] = lambda _: ""
    """Returns why it does not apply to a model, or an empty text."""
    must_differ: bool = False


def check_invariants(model: LoadedModel, folder: Path, *, trust: bool = False) -> tuple[InvariantResult, ...]:
    """Check all invariants in order. Raises UserError if the model fails one."""
    import torch

    trial = ModelTrial(model, folder, trust)
    with torch.no_grad(), _one_thread():
        _refuse_infinite_scores(trial)
        return tuple(check_invariant(invariant, trial) for invariant in INVARIANTS)


def check_invariant(invariant: Invariant, trial: ModelTrial) -> InvariantResult:
    """Check one invariant. Raises UserError that says by how much the scores differ if it fails."""
    excuse = invariant.excuse(trial)
    if excuse:
        return InvariantResult(invariant.number, invariant.name, "not applicable", None, excuse)
    found = invariant.difference(trial)
    allowed = f"{'more than' if invariant.must_differ else 'at most'} {invariant.limit:g}"
    holds = found > invariant.limit if invariant.must_differ else found <= invariant.limit  # false for NaN
    if not holds:
        raise UserError(
            f"{trial.model.name}: invariant {invariant.number} does not hold: {invariant.name}. The scores are "
            f"{found:.3g} apart, and must be {allowed}. What is found inside this model would mean nothing."
        )
    return InvariantResult(invariant.number, invariant.name, "passed", found, f"{allowed} is asked for")


def _refuse_infinite_scores(trial: ModelTrial) -> None:
    """Raise a UserError for infinite or undefined scores, which names the first such site; no difference could be computed."""
    model = trial.model
    if bool(model.scores(trial.both).isfinite().all()):
        return
    with watching(model):
        model.scores(trial.both)
    raise UserError(
        f"{model.name}: its scores are infinite or not numbers, though all that passes its blocks is finite: what comes after "
        "the last block (pooling, classifier) has broken weights."
    )


@contextmanager
def _one_thread() -> Iterator[None]:
    """Use one thread: more do not help with rows this short, and wait for each other on busy cores."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _apart(one: torch.Tensor, other: torch.Tensor) -> float:
    """The largest difference, as a share of the score where that is above 1."""
    return float(((one - other).abs() / other.abs().clamp(min=1)).max())


def _against_the_library(trial: ModelTrial) -> float:
    import torch
    from sentence_transformers import CrossEncoder

    model = trial.model
    with loading(trial.folder):
        reference = CrossEncoder(
            str(trial.folder),
            device=str(model.device),
            local_files_only=True,
            trust_remote_code=trial.trust,
            model_kwargs={"dtype": torch.float32},
        )
    given = reference.predict(
        list(trial.pairs), activation_fn=torch.nn.Identity(), convert_to_tensor=True, show_progress_bar=False
    )
    return _apart(model.scores(trial.both), given.reshape(len(trial.pairs), -1)[:, model.label].to(model.device))


def _kinds(model: LoadedModel) -> list[SiteKind]:
    return [kind for kind in KINDS if kind != "pattern" or model.family.pattern != "none"]


def _patched_with_itself(trial: ModelTrial) -> float:
    model = trial.model
    found = []
    for kind in _kinds(model):
        sites = model.sites([kind])
        with capturing(model, sites) as seen:
            score = model.scores(trial.short)  # as computed with hooks at the sites
        with replacing(model, [Edit.everywhere(site, seen[site]) for site in sites]):
            found.append(_apart(model.scores(trial.short), score))
    return max(found)


def _all_embeddings(trial: ModelTrial) -> float:
    with capturing(trial.model, [EMBEDDINGS]) as seen:
        usual = trial.model.scores(trial.swapped)
    with replacing(trial.model, [Edit.everywhere(EMBEDDINGS, seen[EMBEDDINGS])]):
        return _apart(trial.model.scores(trial.short), usual)


def _unread_positions(trial: ModelTrial) -> float:
    model, usual = trial.model, trial.score
    last = Site(model.layers - 1, "residual")
    edit = Edit.everywhere(last, trial.seen(trial.short, [last])[last] + 1.0)
    edit.where[:, 0] = False
    with replacing(model, [edit]):
        return _apart(model.scores(trial.short), usual)


def _one_by_one(trial: ModelTrial) -> float:
    """Patches of single sites, low and high in the model: each alone from the tokens upwards, and stacked as analyses run them."""
    import torch

    model = trial.model
    ends = [model.sites([kind])[end] for kind in _kinds(model) for end in (0, -1)]
    patches = [patching.SitePatch((site,)) for site in dict.fromkeys(ends)]
    donor = trial.seen(trial.swapped, ends)
    kept = trial.seen(trial.short, sorted(patching.sites_to_keep(model, patches)))
    everywhere = torch.ones_like(trial.short["input_ids"], dtype=torch.bool)
    patchable = patching.PatchableRun(
        model,
        trial.short,
        patching.Observed(trial.score, kept),
        patching.Donor(everywhere, donor.__getitem__),
        {patch.role: everywhere for patch in patches},
    )
    found = []
    for numbers in patching.batches(model, patches, len(patches)):
        some = [patches[i] for i in numbers] * 2  # so that no batch has a single patch
        alone = []
        for patch in some:
            with replacing(model, [Edit.everywhere(site, donor[site]) for site in patch.sites]):
                alone.append(model.scores(trial.short))
        found.append(_apart(patching.stacked_scores(patchable, some), torch.stack(alone)))
    return max(found)


def _without_types(trial: ModelTrial) -> float:
    bare = {name: tensor for name, tensor in trial.short.items() if name != "token_type_ids"}
    return _apart(trial.model.scores(bare), trial.score)


def _no_types(trial: ModelTrial) -> str:
    if getattr(trial.model.module.config, "type_vocab_size", 0) < 2:
        return "the model knows one type of token"
    types = trial.short.get("token_type_ids")
    return "the tokenizer gives one type of token" if types is None or not bool(types.any()) else ""


def _padded(trial: ModelTrial) -> float:
    return _apart(trial.model.scores(trial.both)[:1], trial.score)


def _again(trial: ModelTrial) -> float:
    return float((trial.model.scores(trial.short) - trial.score).abs().max())


def _other_pooling(trial: ModelTrial) -> str:
    places = {"last": "the last token", "mean": "all tokens", "end": "a decoder above the sites"}
    return "" if trial.model.pooling == "first" else f"the score is read from {places[trial.model.pooling]}"


INVARIANTS = (
    Invariant(1, "raw logits are those of CrossEncoder.predict", _against_the_library, 1e-5),
    Invariant(2, "patching a run with its own values changes nothing", _patched_with_itself, 1e-6),
    Invariant(
        3,
        "patching all embeddings gives the score of the run they are from",
        _all_embeddings,
        1e-6,
        lambda trial: "a decoder reads the tokens again" if trial.model.family.reads_tokens_again else "",
    ),
    Invariant(
        4, "above the last block, no position but the first has an effect", _unread_positions, 0.0, _other_pooling
    ),
    Invariant(5, "stacked interventions give what each gives alone", _one_by_one, 1e-5),
    Invariant(
        6, "leaving the types of tokens out changes the score", _without_types, 1e-6, _no_types, must_differ=True
    ),
    Invariant(
        7,
        "padding changes nothing",
        _padded,
        1e-5,
        lambda trial: "" if trial.model.classifier.pads else "the model knows no padding",
    ),
    Invariant(8, "a repeated run gives the same bits", _again, 0.0),
)
