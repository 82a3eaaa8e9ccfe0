"""The options of the families that only torch runs, and the batches they run in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from constraintsuite.core.store.files import sha256_text
from constraintsuite.models.backends import TransformerSettings
from constraintsuite.models.batches import BatchLimits
from constraintsuite.models.model_names import ModelSettings
from constraintsuite.models.torch.device import count_threads, pick_device
from constraintsuite.models.torch.folder import ModelFolder, library_versions
from constraintsuite.models.weights import find_weights


class TorchSettings(ModelSettings):
    """What can be said of any of them."""

    precision: Literal["fp32", "bf16", "fp16"] = Field("fp32", description="fp32, bf16 or fp16")
    length: int | None = Field(None, ge=3, description="most tokens read of a text, by default what the model says")
    device: Literal["auto", "cpu", "cuda"] = Field("auto", description="auto, cpu or cuda")
    revision: str = Field("", description="commit or branch of the model hub, where the model lies in the hub's cache")
    trust: bool = Field(False, description="yes lets the model's own Python code run")
    batch_tokens: int | None = Field(None, ge=1, description="tokens in a batch, padding included")
    threads: int | None = Field(None, ge=1, description="processor threads, by default one a core")


AnySettings = TorchSettings | TransformerSettings
_PLACES = {"revision", "query", "document", "device", "threads"}
"""Options that only say where the files are, or that stand for something which the machine decides."""


def open_folder(name: str, settings: TorchSettings) -> ModelFolder:
    """The folder of a model that can be run as the settings say; what can be refused without its weights, is."""
    folder = ModelFolder(find_weights(name, revision=settings.revision))
    folder.refuse_pickle()
    folder.refuse_length(settings.length)
    return folder


def fingerprint_of(kind: str, folder: ModelFolder, settings: AnySettings, *, by_threads: bool = True) -> str:
    """Of all that decides a number that a model gives: files, options, device, libraries, and threads where they do."""
    options = settings.model_dump_json(exclude=_PLACES)
    machine = f"{pick_device(settings.device)} {count_threads(settings.threads) if by_threads else ''}"
    versions = [f"{name} {version}" for name, version in library_versions().items()]
    return sha256_text(kind, folder.fingerprint, options, machine, *versions)


@dataclass(frozen=True)
class BatchSizes:
    """Tokens in a batch by device, where the user does not say it."""

    cpu: int
    cuda: int
    cpu_padding: float = 0.1
    """A processor gains nothing from large batches, yet batches of one text are slow where others use it too."""

    def limits(self, settings: AnySettings, items: int = BatchLimits.items) -> BatchLimits:
        """What a batch may hold on the device that the settings name."""
        if pick_device(settings.device).type == "cuda":
            return BatchLimits(settings.batch_tokens or self.cuda, items, padding=0.05)
        return BatchLimits(settings.batch_tokens or self.cpu, items, self.cpu_padding)
