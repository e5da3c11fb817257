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
from bakeoff.runtime.known_keys import key_names
from bakeoff.runtime.settings import KEY_PREFIX, Settings

if TYPE_CHECKING:
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

    def open(self, choice: ModelChoice) -> Model:
        """Return a model that can be asked; nothing is sent yet.

        Raises:
            InvalidInputError: its key is not there.
        """
        # Imported when a model is asked: its HTTP client takes a quarter of a second, and most recipes ask none.
        from bakeoff.models.model import Model

        return Model(
            choice.settings,
            key=self._key(choice.key) if choice.key else None,
            limiter=self.limiter(choice),
            responses=self.responses,
            allow_private=self.settings.private_models,
        )

    def open_lasting(self, choice: ModelChoice) -> LastingModel:
        """Return a model that stays open between batches; threads that ask the same one share it.

        Raises:
            InvalidInputError: its key is not there.
        """
        return self.lasting.of(self.open(choice))

    def _key(self, name: str) -> Secret:
        variable = KEY_PREFIX + name.upper()
        if name.lower() in self.settings.keys:
            return Secret(self.settings.keys[name.lower()], f"environment variable {variable}")
        if self.settings.keys_dir and "/" not in name and name not in (".", ".."):
            return Secret.from_file(Path(self.settings.keys_dir) / name)
        known = ", ".join(key_names(self.settings) or ()) or "none"
        raise InvalidInputError(
            f"there is no key named {name!r} (known: {known}): set {variable}, or BAKEOFF_KEYS_DIR to a folder with a "
            "file of that name"
        )
