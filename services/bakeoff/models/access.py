"""Opening models: with the operator's key, the limit that all workers share, and the store of what was answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bakeoff.domain.errors import InvalidInputError
from bakeoff.models.choice import ModelChoice
from bakeoff.models.lasting import LastingModel, LastingModels
from bakeoff.models.limiter import Limiter
from bakeoff.models.responses import ResponseStore
from bakeoff.models.secret import Secret
from bakeoff.runtime.key_addresses import refusal
from bakeoff.runtime.known_keys import key_names
from bakeoff.runtime.settings import KEY_PREFIX, Settings
from bakeoff.runtime.written_secrets import LIKE_A_NAME, shown_name

if TYPE_CHECKING:
    from bakeoff.models.kept_vectors import VectorStore
    from bakeoff.models.model import Model


class MakeLimiter(Protocol):
    """Makes a worker's part of what may be asked of an endpoint."""

    def __call__(self, choice: ModelChoice) -> Limiter | None:
        """Return it; None lets the model adapt to what it alone meets."""


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """What the models of a process are opened with."""

    settings: Settings
    responses: ResponseStore | None = None
    """None keeps no responses."""
    limiter: MakeLimiter = lambda choice: None
    lasting: LastingModels = field(default_factory=LastingModels)
    vectors: VectorStore | None = None
    """None keeps no vectors."""

    def open(self, choice: ModelChoice) -> Model:
        """Return a model that can be asked; nothing is sent yet.

        Raises:
            InvalidInputError: its key is not there, or may not be sent there.
        """
        # Imported when a model is asked: its HTTP client takes a quarter of a second, and most recipes ask none.
        from bakeoff.models.model import Model

        return Model(
            choice.settings,
            key=self._key(choice.key, choice.settings.base_url) if choice.key else None,
            limiter=self.limiter(choice),
            responses=self.responses,
            allow_private=self.settings.private_models,
        )

    def open_lasting(self, choice: ModelChoice) -> LastingModel:
        """Return a model that stays open between batches; threads that ask the same one share it.

        Raises:
            InvalidInputError: its key is not there, or may not be sent there.
        """
        return self.lasting.of(self.open(choice))

    def _key(self, name: str, base_url: str) -> Secret:
        key = self._find(name)
        # Who asks names the endpoint: without this, whoever may ask could have any key sent to a server of their own.
        refused = refusal(name, base_url, self.settings.key_addresses)
        if refused:
            raise InvalidInputError(refused)
        return key

    def _find(self, name: str) -> Secret:
        variable = KEY_PREFIX + name.upper()
        if name.lower() in self.settings.keys:
            return Secret(self.settings.keys[name.lower()], f"environment variable {variable}")
        file = Path(self.settings.keys_dir) / name
        if self.settings.keys_dir and "/" not in name and file.is_file():
            return Secret.from_file(file)
        known = ", ".join(key_names(self.settings) or ()) or "none"
        what, variable = shown_name(name), variable if LIKE_A_NAME.fullmatch(name) else f"{KEY_PREFIX}<NAME>"
        raise InvalidInputError(
            f"there is no key {what} (known: {known}): set {variable}, or BAKEOFF_KEYS_DIR to a folder with a "
            "file of that name"
        )
