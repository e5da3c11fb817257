"""The tokens file: who is let in, what is refused, and what happens when it changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.domain.errors import ForbiddenError, InvalidInputError, UnauthenticatedError
from bakeoff.runtime.callers import ANYBODY, Caller, Role, calling, current
from bakeoff.runtime.tokens import Tokens, digest_of_token, entry_of, new_token, read_tokens


def write(file: Path, **tokens: dict[str, object]) -> None:
    file.write_text(json.dumps({digest_of_token(token): entry for token, entry in tokens.items()}))


def test_a_token_is_told_by_its_digest_alone(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    write(file, ours=entry_of("acme", ["read"], "ann"))

    caller = Tokens(str(file)).caller("ours")

    assert (caller.tenant, caller.roles, caller.name) == ("acme", frozenset({Role.READ}), "ann")
    assert "ours" not in file.read_text()
    for shown in ("", "other", digest_of_token("ours")):
        with pytest.raises(UnauthenticatedError):
            Tokens(str(file)).caller(shown)


def test_a_file_that_changes_is_read_again_and_one_that_breaks_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    write(file, first=entry_of("acme", ["read"]))
    tokens = Tokens(str(file))

    write(file, first=entry_of("acme", ["read"]), second=entry_of("globex", ["submit"]))
    assert tokens.caller("second").tenant == "globex"
    file.write_text("{half of a")
    assert tokens.caller("second").tenant == "globex"
    file.unlink()
    assert tokens.caller("first").tenant == "acme"
    write(file, second=entry_of("globex", ["submit"]))
    with pytest.raises(UnauthenticatedError):
        tokens.caller("first")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[]", "must be an object"),
        ("{", "is no JSON"),
        ('{"bk_a_token_itself": {"tenant": "a", "roles": ["read"]}}', "bk_a…: must be a SHA-256"),
        (json.dumps({"0" * 64: {"tenant": "", "roles": ["read"]}}), "tenant: must be a text that is not empty"),
        (
            json.dumps({"0" * 64: {"tenant": "a", "roles": ["root"]}}),
            "must be some of submit, read, operate, not ['root']",
        ),
        (json.dumps({"0" * 64: {"tenant": "a", "roles": ["internal"]}}), "not ['internal']"),
        (json.dumps({"0" * 64: {"tenant": "a", "roles": []}}), "not none"),
        (json.dumps({"0" * 64: {"tenant": "*", "roles": ["read"]}}), "go with the role operate only"),
        (json.dumps({"0" * 64: "read"}), "must be an object with `tenant`"),
    ],
)
def test_a_wrong_file_is_refused_with_its_fault_and_without_a_token(content: str, words: str) -> None:
    with pytest.raises(InvalidInputError) as error:
        read_tokens(content, "tokens.json")
    assert words in str(error.value)
    assert "token_itself" not in str(error.value)


def test_without_a_file_everybody_is_let_in_and_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    assert Tokens().caller("") is ANYBODY
    with pytest.raises(InvalidInputError, match="cannot be read: No such file"):
        Tokens(str(tmp_path / "none.json"))


def test_tokens_are_random() -> None:
    assert len({new_token() for _ in range(100)}) == 100


def test_an_operator_may_all_but_be_a_service() -> None:
    operator = Caller("*", frozenset({Role.OPERATE}))
    assert [role for role in Role if operator.may(role)] == [Role.SUBMIT, Role.READ, Role.OPERATE]
    assert not Caller("a", frozenset({Role.READ})).may(Role.SUBMIT)


def test_a_caller_speaks_for_its_own_tenant() -> None:
    caller = Caller("acme", frozenset({Role.SUBMIT}))
    assert [caller.speaks_for(named) for named in ("", "default", "acme")] == ["acme"] * 3
    with pytest.raises(ForbiddenError, match="not for 'globex'"):
        caller.speaks_for("globex")
    assert ANYBODY.speaks_for("globex") == "globex"
    assert ANYBODY.speaks_for("") == "default"


def test_who_calls_is_known_during_the_call_alone() -> None:
    caller = Caller("acme", frozenset({Role.READ}))
    with calling(caller):
        assert current() is caller
    assert current() is ANYBODY
