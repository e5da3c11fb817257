"""The secrets of a platform: made once, random, each in a file that only its owner may read."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from bakeoff.contract.bus_permissions import CONTROL, STAGES, config_of, service_permissions
from bakeoff.domain.errors import InvalidInputError
from bakeoff.runtime.callers import ALL_TENANTS, Role
from bakeoff.runtime.private_files import write_private
from bakeoff.runtime.tokens import digest_of_token, entry_of, new_token

SERVICES = (CONTROL, *STAGES)
SECRETS = {
    "s3_access_key": 10,
    "s3_secret_key": 20,
    "service_token": 24,
    **{f"nats_password_{service}": 24 for service in SERVICES},
    **{f"s3_access_key_{service}": 10 for service in SERVICES},
    **{f"s3_secret_key_{service}": 20 for service in SERVICES},
}
"""Files of one secret each, and the bytes of chance in them."""
OPERATOR_TOKEN = "operator_token"  # a file's name
TOKENS = "tokens.json"
OUTSIDERS = "nats_outsiders.json"
"""Users of the bus outside of the platform, by name: tenant and password."""
NATS = "nats_authorization.conf"
NAME = re.compile(r"[a-z0-9_-]{1,64}")
OUTSIDER_BYTES = 24
NOBODY: Mapping[str, str] = MappingProxyType({})
HEAD = "# Made by `bakeoff credentials`; included by the message server's configuration. One user a service.\n"


def make_credentials(folder: Path, outsiders: Mapping[str, str] = NOBODY) -> tuple[str, ...]:
    """Make the secrets that are not there yet, and return the names of the files that were made.

    The permissions of the bus's users are brought up to date in any case.

    Args:
        folder: Where the files are.
        outsiders: Tenant by name of users of the bus who ask for evaluations from outside; those that were made before
            stay, with their passwords.

    Raises:
        InvalidInputError: an outsider has a name that cannot be, or is there with another tenant.
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    known = outsiders_of(folder)
    for name, tenant in outsiders.items():
        _check_outsider(name, tenant, known)
    made = [name for name in SECRETS if not (folder / name).exists()]
    for name in made:
        write_private(folder / name, secrets.token_hex(SECRETS[name]))
    if not (folder / TOKENS).exists():
        token = new_token()
        write_private(folder / OPERATOR_TOKEN, token)
        entry = entry_of(ALL_TENANTS, [Role.OPERATE], "operator")
        write_private(folder / TOKENS, json.dumps({digest_of_token(token): entry}, indent=1))
        made += [OPERATOR_TOKEN, TOKENS]
    added = {name: tenant for name, tenant in outsiders.items() if name not in known}
    if added:
        known |= {name: (secrets.token_hex(OUTSIDER_BYTES), tenant) for name, tenant in added.items()}
        told = {name: {"tenant": tenant, "password": password} for name, (password, tenant) in known.items()}
        write_private(folder / OUTSIDERS, json.dumps(told, indent=1))
        made.append(OUTSIDERS)
    included = folder / NATS
    users = {
        service: ((folder / f"nats_password_{service}").read_text(encoding="utf-8"), service_permissions(service))
        for service in SERVICES
    }
    config = HEAD + config_of(users, known)
    if not included.exists() or included.read_text(encoding="utf-8") != config:
        write_private(included, config)
        made.append(included.name)
    return tuple(made)


def outsiders_of(folder: Path) -> dict[str, tuple[str, str]]:
    """Return password and tenant of the users of the bus outside of the platform, by name.

    Raises:
        InvalidInputError: the file with them is none.
    """
    file = folder / OUTSIDERS
    if not file.exists():
        return {}
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return {str(name): (str(each["password"]), str(each["tenant"])) for name, each in found.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInputError(f"{file} is no list of users: {type(error).__name__}") from None


def _check_outsider(name: str, tenant: str, known: Mapping[str, tuple[str, str]]) -> None:
    if not NAME.fullmatch(name) or name in SERVICES:
        problem = f"a user of the bus is named by a-z, 0-9, _ and -, at most 64, and not as a service, not {name!r}"
        raise InvalidInputError(problem)
    if not tenant or tenant == ALL_TENANTS:
        raise InvalidInputError(f"the user {name!r} of the bus must have a tenant, not {tenant!r}")
    if name in known and known[name][1] != tenant:
        raise InvalidInputError(f"there is a user {name!r} of the bus already, of the tenant {known[name][1]!r}")


def object_keys_of(folder: Path) -> dict[str, tuple[str, str]]:
    """Return the access key and the secret key of the object store by service, as `make_credentials` made them."""
    return {
        service: tuple(  # type: ignore[misc]  # two each
            (folder / f"s3_{kind}_key_{service}").read_text(encoding="utf-8") for kind in ("access", "secret")
        )
        for service in SERVICES
    }
