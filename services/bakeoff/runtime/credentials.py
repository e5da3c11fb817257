"""The secrets of a platform: made once, random, each in a file that only its owner may read."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

from bakeoff.contract.bus_permissions import CONTROL, STAGES, config_of, service_permissions
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
NATS = "nats_authorization.conf"
HEAD = "# Made by `bakeoff credentials`; included by the message server's configuration. One user a service.\n"


def make_credentials(folder: Path) -> tuple[str, ...]:
    """Make the secrets that are not there yet, and return the names of the files that were made.

    The permissions of the bus's users are brought up to date in any case.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made = [name for name in SECRETS if not (folder / name).exists()]
    for name in made:
        write_private(folder / name, secrets.token_hex(SECRETS[name]))
    if not (folder / TOKENS).exists():
        token = new_token()
        write_private(folder / OPERATOR_TOKEN, token)
        entry = entry_of(ALL_TENANTS, [Role.OPERATE], "operator")
        write_private(folder / TOKENS, json.dumps({digest_of_token(token): entry}, indent=1))
        made += [OPERATOR_TOKEN, TOKENS]
    included = folder / NATS
    users = {
        service: ((folder / f"nats_password_{service}").read_text(encoding="utf-8"), service_permissions(service))
        for service in SERVICES
    }
    config = HEAD + config_of(users)
    if not included.exists() or included.read_text(encoding="utf-8") != config:
        write_private(included, config)
        made.append(included.name)
    return tuple(made)


def object_keys_of(folder: Path) -> dict[str, tuple[str, str]]:
    """Return the access key and the secret key of the object store by service, as `make_credentials` made them."""
    return {
        service: tuple(  # type: ignore[misc]  # two each
            (folder / f"s3_{kind}_key_{service}").read_text(encoding="utf-8") for kind in ("access", "secret")
        )
        for service in SERVICES
    }
