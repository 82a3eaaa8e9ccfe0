"""The options of the families that only torch runs, their fingerprints and batch sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from constraintsuite.core.store.files import sha256_text
from constraintsuite.models.backends import TransformerSettings
from constraintsuite.models.batches import BatchLimits
from constraintsuite.models.model_names import ModelSettings
from constraintsuite.models.torch.device import count_threads, pick_device
from constraintsuite.models.torch.folder import ModelFolder, library_versions, need_torch
from constraintsuite.models.weights import find_weights


class TorchSettings(ModelSettings):
    """The options of every family that only torch runs."""

    precision: Literal["fp32", "bf16", "fp16"] = Field("fp32", description="fp32, bf16 or fp16")
    length: int | None = Field(None, ge=3, description="most tokens read of a text, by default what the model says")
    device: Literal["auto", "cpu", "cuda"] = Field("auto", description="auto, cpu or cuda")
    revision: str = Field("", description="commit or branch of the model hub, if the model is in the hub's cache")
    trust: bool = Field(False, description="yes lets the model's own Python code run")
    batch_tokens: int | None = Field(None, ge=1, description="tokens in a batch, padding included")
    threads: int | None = Field(None, ge=1, description="processor threads, by default one a core")


AnySettings = TorchSettings | TransformerSettings
_PLACES = {"revision", "query", "document", "device", "threads"}
"""Options that are not hashed: they name folders, or are replaced by what the machine decides."""


def open_folder(name: str, settings: TorchSettings, family: str) -> ModelFolder:
    """The folder of a model of a family. Raises UserError for faults that show without its weights."""
    need_torch(family)
    folder = ModelFolder(find_weights(name, revision=settings.revision))
    folder.refuse_pickle()
    folder.refuse_length(settings.length)
    return folder


def fingerprint_of(kind: str, folder: ModelFolder, settings: AnySettings, *, by_threads: bool = True) -> str:
    """Hash of everything that decides a score: files, options, device, libraries, and the number of threads if it does."""
    options = settings.model_dump_json(exclude=_PLACES)
    machine = f"{pick_device(settings.device)} {count_threads(settings.threads) if by_threads else ''}"
    versions = [f"{name} {version}" for name, version in library_versions().items()]
    return sha256_text(kind, folder.fingerprint, options, machine, *versions)


@dataclass(frozen=True)
class BatchSizes:
    """The default number of tokens in a batch, by device."""

    cpu: int
    cuda: int
    cpu_padding: float = 0.1
    """The largest share of padding on a CPU, which gains nothing from large batches but is slow with single texts."""

    def limits(self, settings: AnySettings, items: int = BatchLimits.items) -> BatchLimits:
        """The limits of a batch on the device of the settings."""
        if pick_device(settings.device).type == "cuda":
            return BatchLimits(settings.batch_tokens or self.cuda, items, padding=0.05)
        return BatchLimits(settings.batch_tokens or self.cpu, items, self.cpu_padding)
