"""Who calls: the tenant that a call speaks for and what it may do, known to whatever works on the call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum

from bakeoff.domain.errors import ForbiddenError

ALL_TENANTS = "*"
"""Tenant of those who see everybody's."""
DEFAULT_TENANT = "default"
"""Tenant of requests that name none."""


class Role(StrEnum):
    """What a token allows."""

    SUBMIT = "submit"
    """Ask for evaluations and answers, and steer one's own."""
    READ = "read"
    """Look at one's own evaluations, documents and reports."""
    OPERATE = "operate"
    """Everything that the others may, and what is shared by all tenants: knowledge bases, raw storage."""
    INTERNAL = "internal"
    """Services among themselves; may speak for a caller. No token of a tokens file has it."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who calls."""

    tenant: str
    """`*` for all."""
    roles: frozenset[Role]
    name: str = ""
    """Of the token, for logs; never the token."""

    def may(self, role: Role) -> bool:
        """Return whether it may do what a role allows."""
        return role in self.roles or (role is not Role.INTERNAL and Role.OPERATE in self.roles)

    def sees(self, tenant: str) -> bool:
        """Return whether what belongs to a tenant exists for this caller."""
        return self.tenant in (ALL_TENANTS, tenant)

    def speaks_for(self, tenant: str) -> str:
        """Return the tenant of a request that names one, or none.

        Raises:
            ForbiddenError: it names another than the caller's.
        """
        if self.tenant == ALL_TENANTS:
            return tenant or DEFAULT_TENANT
        # Whoever names no tenant sends the default: it means "mine".
        if tenant not in ("", DEFAULT_TENANT, self.tenant):
            raise ForbiddenError(f"this token speaks for the tenant {self.tenant!r}, not for {tenant!r}")
        return self.tenant


ANYBODY = Caller(ALL_TENANTS, frozenset(Role) - {Role.INTERNAL}, "anybody")
"""Whoever reaches a platform that asks for no tokens, and what runs in this process itself."""
_current: ContextVar[Caller] = ContextVar("caller", default=ANYBODY)


def current() -> Caller:
    """Return who calls; `ANYBODY` outside of calls."""
    return _current.get()


@contextmanager
def calling(caller: Caller) -> Iterator[None]:
    """Let a caller be the current one."""
    before = _current.set(caller)
    try:
        yield
    finally:
        _current.reset(before)
