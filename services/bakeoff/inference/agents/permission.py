"""Whether agents may be started as commands here: that is for the operator of the process to say."""

from __future__ import annotations

from dataclasses import dataclass

COMMAND = "agent_command"
"""Name of the generator that starts them."""
REFUSED = (
    "agents are not started as commands here: whoever asks for an evaluation could run anything; "
    "set BAKEOFF_AGENT_COMMANDS=true where only trusted people ask"
)


@dataclass(slots=True)
class _Permission:
    commands: bool = True
    private: bool = True


_PERMISSION = _Permission()


def permit_commands(permitted: bool) -> None:
    """Allow, or forbid again, to start agents as commands; allowed until a service says otherwise."""
    _PERMISSION.commands = permitted


def commands_are_permitted() -> bool:
    """Return whether agents may be started as commands."""
    return _PERMISSION.commands


def permit_private(permitted: bool) -> None:
    """Allow, or forbid again, to ask agents inside private networks; allowed until a service says otherwise."""
    _PERMISSION.private = permitted


def private_is_permitted() -> bool:
    """Return whether agents inside private networks may be asked."""
    return _PERMISSION.private
