"""The prompts with which retrieval asks models: the built-in ones, a file each, or somebody's own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bakeoff.domain.answer import Passage
from bakeoff.domain.identity import sha256_hex
from bakeoff.domain.prompt import Prompt
from bakeoff.domain.slots import fill

HERE = Path(__file__).parent / "prompts"


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt with slots."""

    text: str

    @property
    def digest(self) -> str:
        """SHA-256 of the text, 64 hexadecimal digits."""
        return sha256_hex(self.text.encode())

    def filled(self, **values: str) -> Prompt:
        """Return what is told, in one pass: braces within a value are never looked at.

        Raises:
            InvalidInputError: a slot of the text has no value.
        """
        return Prompt(text=fill(self.text, values))


@cache
def built_in(name: str) -> PromptText:
    """Return a built-in prompt: `rewrite`, `multihop`, `listwise` or `pointwise`."""
    return PromptText((HERE / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n"))


def prompt_text(own: str | None, name: str) -> PromptText:
    """Return somebody's own prompt, or the built-in one when it is None."""
    return built_in(name) if own is None else PromptText(own)


def version(number: str, *names: str) -> str:
    """Return the version of a component whose results depend on built-in prompts: another prompt is another version."""
    return "+".join([number, *(built_in(name).digest[:8] for name in names)])


def shown(passage: Passage, chars: int) -> str:
    """Return the text of a passage as one line, so that it cannot pass for several; cut at so many characters."""
    line = " ".join((passage.text or "").split())
    return line if len(line) <= chars else line[: chars - 1] + "…"


def numbered(passages: list[Passage], chars: int) -> str:
    """Return passages as lines `[1] …`, or `(none)`."""
    return "\n".join(f"[{number}] {shown(each, chars)}" for number, each in enumerate(passages, start=1)) or "(none)"
