"""The tokens file: who may call, by the digest of the token that is shown. Read again when it changes."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from bakeoff.domain.errors import InvalidInputError, UnauthenticatedError, Violation
from bakeoff.runtime import logs
from bakeoff.runtime.callers import ALL_TENANTS, ANYBODY, Caller, Role

TOKEN_BYTES = 24
DIGEST = re.compile(r"[0-9a-f]{64}")
GIVEN = (Role.SUBMIT, Role.READ, Role.OPERATE)
"""Roles that a tokens file may give."""
log = logs.get("tokens")


def new_token() -> str:
    """Return a new random token."""
    return f"bk_{secrets.token_urlsafe(TOKEN_BYTES)}"


def digest_of_token(token: str) -> str:
    """Return what a tokens file keeps of a token. A random one of 192 bits needs no salt and no slow hash."""
    return hashlib.sha256(token.encode()).hexdigest()


def entry_of(tenant: str, roles: Iterable[str], name: str = "") -> dict[str, Any]:
    """Return the entry of a token for a tokens file.

    Raises:
        InvalidInputError: the tenant is empty, a role is unknown, or all tenants go without `operate`.
    """
    entry = {"tenant": tenant, "roles": sorted(set(roles)), "name": name}
    faults = list(_faults("token", entry))
    if faults:
        raise InvalidInputError("there can be no such token", faults)
    return entry


def read_tokens(text: str, file: str) -> dict[str, Caller]:
    """Return the callers of a tokens file by digest.

    Args:
        text: A JSON object: SHA-256 of the token as 64 hexadecimal digits → `tenant`, `roles`, and a `name`.
        file: For messages.

    Raises:
        InvalidInputError: it is none; all faults at once, none with a digest in full.
    """
    try:
        found = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise InvalidInputError(f"the tokens file {file!r} is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise InvalidInputError(f"the tokens file {file!r} must be an object: digest of a token → tenant and roles")
    faults: list[Violation] = []
    for digest, entry in found.items():
        if not DIGEST.fullmatch(digest):
            # A token itself may stand there by mistake: it is not repeated.
            problem = "must be a SHA-256 as 64 hexadecimal digits; make it with `bakeoff token add`"
            faults.append(Violation(f"{digest[:4]}…", problem, file))
        faults += _faults(f"{digest[:8]}…", entry, file)
    if faults:
        raise InvalidInputError(f"the tokens file {file!r} cannot be used", faults)
    return {
        digest: Caller(entry["tenant"], frozenset(Role(role) for role in entry["roles"]), entry.get("name", ""))
        for digest, entry in found.items()
    }


def _faults(field: str, entry: Any, file: str | None = None) -> Iterable[Violation]:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("roles"), list):
        yield Violation(field, "must be an object with `tenant` and a list `roles`", file)
        return
    tenant, known = entry.get("tenant"), ", ".join(role.value for role in GIVEN)
    if not isinstance(tenant, str) or not tenant:
        yield Violation(f"{field}.tenant", f"must be a text that is not empty, not {tenant!r}", file)
    wrong = [role for role in entry["roles"] if role not in [given.value for given in GIVEN]]
    if wrong or not entry["roles"]:
        yield Violation(f"{field}.roles", f"must be some of {known}, not {wrong or 'none'}", file)
    if tenant == ALL_TENANTS and Role.OPERATE.value not in entry["roles"]:
        yield Violation(f"{field}.tenant", "all tenants (`*`) go with the role operate only", file)
    if not isinstance(entry.get("name", ""), str):
        yield Violation(f"{field}.name", "must be text", file)


class Tokens:
    """Tells callers by their tokens. Safe to use from any thread."""

    def __init__(self, file: str = "", service_token: str = "") -> None:
        """Read the file.

        Args:
            file: The tokens file; empty lets anybody in.
            service_token: What services show each other; empty when there is none.

        Raises:
            InvalidInputError: the file cannot be read or used.
        """
        self._file = Path(file) if file else None
        self._service = digest_of_token(service_token) if service_token else ""
        self._lock = threading.Lock()
        self._stamp: tuple[int, int, int] | None = None
        self._callers: dict[str, Caller] = {}
        if self._file:
            self._load(self._file)

    @property
    def asked(self) -> bool:
        """Whether callers must show a token."""
        return self._file is not None

    def caller(self, token: str) -> Caller:
        """Return who shows a token.

        Raises:
            UnauthenticatedError: nobody does, or nobody whom the file knows.
        """
        if self._file is None:
            return ANYBODY
        if not token:
            raise UnauthenticatedError("this platform asks for a token: set BAKEOFF_TOKEN or BAKEOFF_TOKEN_FILE")
        digest = digest_of_token(token)
        if self._service and hmac.compare_digest(digest, self._service):
            return Caller(ALL_TENANTS, frozenset({Role.INTERNAL, *GIVEN}), "service")
        self._load_changed(self._file)
        caller = self._callers.get(digest)
        if caller is None:
            raise UnauthenticatedError("this platform does not know the token that was shown")
        return caller

    def _load_changed(self, file: Path) -> None:
        with self._lock:
            try:
                if _stamp(file) != self._stamp:
                    self._load(file)
                    log.info("tokens read again", tokens=len(self._callers))
            except (InvalidInputError, OSError) as error:
                # A file that is being replaced must not lock everybody out, nor let anybody in.
                log.error("tokens stay as they were", reason=str(error))

    def _load(self, file: Path) -> None:
        try:
            stamp = _stamp(file)
            text = file.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise InvalidInputError(f"the tokens file {str(file)!r} cannot be read: {why}") from error
        self._stamp, self._callers = stamp, read_tokens(text, str(file))


def _stamp(file: Path) -> tuple[int, int, int]:
    stat = file.stat()
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
