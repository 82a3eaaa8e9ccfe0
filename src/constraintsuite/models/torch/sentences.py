"""Models of sentence-transformers, with the library's steps from text to vectors by role."""

# ruff: noqa: PLC0415 - the libraries take seconds to import, and wrong names are refused without them

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from constraintsuite.models.backends import ROLE_PROMPTS
from constraintsuite.models.base import ModelFact, TextRole
from constraintsuite.models.torch.device import fix_threads, inference, pick_device, pick_dtype
from constraintsuite.models.torch.folder import ModelFolder
from constraintsuite.models.torch.loader import check_length, loading, refuse_missing
from constraintsuite.models.torch.settings import AnySettings
from constraintsuite.models.torch.text_model import Features, TextModel, describe_folder

if TYPE_CHECKING:
    import torch
    from sentence_transformers.base.model import BaseModel as LibraryModel
    from sentence_transformers.base.modules import Transformer

SentenceModelKind = Literal["SentenceTransformer", "SparseEncoder", "MultiVectorEncoder"]
_PROBES = ("a", "Some words, of which there are more.", "word " * 10_000)
_ENDLESS = 1_000_000  # tokenizers without a limit have a larger number


class SentenceModel(TextModel):
    """A folder of sentence-transformers; its weights are loaded at first use."""

    def __init__(
        self,
        kind: SentenceModelKind,
        folder: ModelFolder,
        settings: AnySettings,
        prompts: Mapping[TextRole, str] | None = None,
    ) -> None:
        super().__init__(kind, folder, settings)
        self._prompts = prompts or {}

    @cached_property
    def model(self) -> LibraryModel:
        """The library's model, on its device."""
        import sentence_transformers

        fix_threads(self.settings.threads)
        dtype = pick_dtype(self.settings.precision)
        with loading(self.folder.path):
            model = self._build(getattr(sentence_transformers, self.kind), dtype)
        refuse_missing(model, self.folder.path)
        check_length(self.settings.length, model, self.folder.path)
        self._set_length(model)
        return model.to(pick_device(self.settings.device)).to(dtype).eval()

    def prompt(self, role: TextRole) -> str:
        """The prompt before each text: the option, else the first prompt of the model for the role that is not empty."""
        if role in self._prompts:
            return self._prompts[role]
        own = self.model.prompts
        return next((own[name] for name in ROLE_PROMPTS[role] if own.get(name)), "")

    def tokenizer(self, role: TextRole) -> Any:  # noqa: ANN401 - the library has many classes
        """The tokenizer of the layer that reads texts in a role."""
        return self._input(role).tokenizer

    def lengths(self, texts: Sequence[str], role: TextRole) -> list[int]:
        """The number of tokens of each text, after cutting and after the expansion of queries."""
        least = int((self._expansion(role) or {}).get("length", 0))
        return [max(length, least) for length in super().lengths(texts, role)]

    def features(self, texts: Sequence[str], role: TextRole) -> Features:
        """Padded tokens as the library makes them, on the CPU."""
        with self._lock:
            if role in self._plain_roles:
                return {**super().features(texts, role), **self._plain_roles[role]}
            return self._library_features(texts, role)

    def forward(self, features: Features, role: TextRole, **options: int) -> Features:
        """The library's forward pass; memory that runs out is OutOfMemory."""
        from sentence_transformers.util import batch_to_device

        with inference():
            # A copy, since the library adds its results to the inputs, and a batch may be run again in halves.
            features = batch_to_device(dict(features), self.model.device)
            result: Features = self.model(features, task=role, **options)
        return result

    def limit(self, role: TextRole) -> int | None:
        """The largest number of tokens in a role; None for no limit."""
        part = self._input(role)
        expansion = self._expansion(role)
        if expansion is not None and expansion["strategy"] == "fixed":
            return int(expansion["length"])
        limit = int(getattr(part, f"{role}_length", None) or part.tokenizer.model_max_length)
        return None if limit > _ENDLESS else limit

    def describe(self) -> dict[str, ModelFact]:
        """Facts about the model and how it runs."""
        return {
            **describe_folder(self.folder, self.settings, self.model.device),
            "length": {role: self.limit(role) for role in ROLE_PROMPTS},
            "cut": self.folder.cut,
            "prompts": {role: self.prompt(role) for role in ROLE_PROMPTS},
            "layers": [type(part).__name__ for part in self.model],
        }

    def setting(self, name: str) -> ModelFact:
        """The first value of an attribute among the model's layers; None if no layer has it."""
        found: ModelFact = next((value for part in self.model.modules() if (value := getattr(part, name, None))), None)
        return found

    def _build(self, kind: type[LibraryModel], dtype: torch.dtype) -> LibraryModel:
        return kind(
            str(self.folder.path),
            device="cpu",
            local_files_only=True,
            trust_remote_code=self.settings.trust,
            model_kwargs={"dtype": dtype, "use_safetensors": True},
        )

    def _set_length(self, model: LibraryModel) -> None:
        if self.settings.length is None:
            return
        for part in model.modules():
            # Queries of a multi-vector model have their own length, to which they are expanded.
            if self.kind == "MultiVectorEncoder" and hasattr(part, "document_length"):
                part.document_length = self.settings.length
            elif self.kind != "MultiVectorEncoder" and getattr(part, "tokenizer", None) is not None:
                part.tokenizer.model_max_length = self.settings.length

    @cached_property
    def _plain_roles(self) -> dict[TextRole, Features]:
        """The roles in which the library only pads tokens, with the fixed inputs that it adds to every batch.

        For these the tokens from planning the batches are used again, which takes a third of the time. This is found out
        with a few texts, since a layer may expand queries or read images.
        """
        import torch

        found: dict[TextRole, Features] = {}
        for role in ROLE_PROMPTS:
            theirs = self._library_features(_PROBES, role)
            ours = super().features(_PROBES, role)
            added = {name: value for name, value in theirs.items() if name not in ours}
            same = all(name in theirs and torch.equal(theirs[name], tensor) for name, tensor in ours.items())
            if same and not any(isinstance(value, torch.Tensor) for value in added.values()):
                found[role] = added
        return found

    def _library_features(self, texts: Sequence[str], role: TextRole) -> Features:
        features: Features = self.model.preprocess(list(texts), prompt=self.prompt(role) or None, task=role)
        return dict(features)

    def _input(self, role: TextRole) -> Transformer:
        """The layer that reads texts in a role."""
        first = self.model[0]
        routes = getattr(first, "sub_modules", None)
        if routes is None:
            return first
        return routes[role if role in routes else first.default_route][0]

    def _expansion(self, role: TextRole) -> Mapping[str, Any] | None:
        """How queries are expanded to a length; None if they are not."""
        return getattr(self._input(role), "query_expansion", None) if role == "query" else None
