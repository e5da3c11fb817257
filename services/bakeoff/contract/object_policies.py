"""What each service may do in the bucket: write under its own prefixes alone, and read what its work needs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CHECKS = "checks/*"
"""Where every service proves at its start that it can write; it takes the objects away again."""


@dataclass(frozen=True, slots=True)
class Access:
    """Patterns of keys, in which `*` stands for anything, `/` among it."""

    writes: tuple[str, ...]
    reads: tuple[str, ...] = ()
    """Beside what it writes."""
    deletes: tuple[str, ...] = ()


ACCESS = {
    "control": Access(
        ("evaluations/*/request.json", "evaluations/*/plan.json", "evaluations/*/plans/*", "tenants/*"),
        ("prepared/*", "kb/*", "evaluations/*"),
    ),
    # What operators put into the bucket for benchmarks lies in inputs/.
    "preparation": Access(("prepared/*", "evaluations/*/prepared/*"), ("inputs/*", "raw/*", "tenants/*")),
    "ingestion": Access(("raw/*", "prepared/*/ingested/*"), ("prepared/*", "tenants/*")),
    "knowledge": Access(
        ("stages/*", "kb/*", "responses/*"), ("prepared/*", "raw/*", "tenants/*"), ("kb/*", "stages/*")
    ),
    "inference": Access(("evaluations/*/answers/*", "responses/*"), ("prepared/*", "kb/*", "tenants/*")),
    "scoring": Access(
        ("evaluations/*/scores/*", "responses/*"), ("prepared/*", "raw/*", "kb/*", "evaluations/*/answers/*")
    ),
    "reporting": Access(("evaluations/*/report*",), ("prepared/*", "raw/*", "kb/*", "evaluations/*", "responses/*")),
}
"""Only ingestion writes `raw/`; only scoring writes scores; nobody changes what another has written."""


def policy_of(service: str, bucket: str) -> dict[str, Any]:
    """Return the policy of a service, as S3, MinIO and SeaweedFS read it.

    Raises:
        KeyError: it is no service.
    """
    access = ACCESS[service]
    whole = ["s3:ListBucket", "s3:GetBucketLocation", "s3:ListBucketMultipartUploads"]
    if service == "control":
        whole.append("s3:CreateBucket")
    statements = [
        _statement(whole, [f"arn:aws:s3:::{bucket}"]),
        _statement(["s3:GetObject"], _within(bucket, (*access.reads, *access.writes, CHECKS))),
        _statement(
            ["s3:PutObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"],
            _within(bucket, (*access.writes, CHECKS)),
        ),
        _statement(["s3:DeleteObject"], _within(bucket, (*access.deletes, CHECKS))),
    ]
    return {"Version": "2012-10-17", "Statement": statements}


def identities_of(admin: tuple[str, str], services: Mapping[str, tuple[str, str]], bucket: str) -> str:
    """Return the configuration with which SeaweedFS knows each service by its own keys (`-s3.config`).

    Args:
        admin: Access key and secret key of who may do everything.
        services: Access key and secret key by service.
        bucket: The bucket.
    """
    users = [
        {"name": name, "credentials": [_keys(keys)], "policyNames": [name]} for name, keys in sorted(services.items())
    ]
    policies = [{"name": name, "content": json.dumps(policy_of(name, bucket))} for name in sorted(services)]
    administrator = {"name": "admin", "credentials": [_keys(admin)], "actions": ["Admin"]}
    return json.dumps({"identities": [administrator, *users], "policies": policies}, indent=1)


def may(service: str, action: str, key: str) -> bool:
    """Return whether a service may read, write or delete an object.

    Args:
        service: Its name.
        action: read, write or delete.
        key: The object's.
    """
    access = ACCESS[service]
    allowed = {
        "read": (*access.reads, *access.writes, CHECKS),
        "write": (*access.writes, CHECKS),
        "delete": (*access.deletes, CHECKS),
    }[action]
    return any(re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), key) for pattern in allowed)


def _keys(keys: tuple[str, str]) -> dict[str, str]:
    access, secret = keys
    return {"accessKey": access, "secretKey": secret}


def _statement(actions: list[str], resources: list[str]) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": actions, "Resource": resources}


def _within(bucket: str, patterns: tuple[str, ...]) -> list[str]:
    return sorted({f"arn:aws:s3:::{bucket}/{pattern}" for pattern in patterns})
