"""Names derived from content: digests, evaluation ids, and injective encodings of foreign ids."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum

TOKEN = re.compile(r"[a-z0-9_][a-z0-9_-]{0,63}")
ENCODED = "x-"
"""Prefix of an encoded id; a plain id that starts so is encoded too, which keeps the encoding injective."""
KEY_SAFE = frozenset((string.ascii_letters + string.digits + "-_.").encode())
LEAVES = frozenset((str, int, float, bool, type(None)))
LONGEST_ENCODED = 100
"""Characters of base32 up to which an id is spelled out; a longer one is named by its SHA-256."""


def canonical_json(value: object) -> bytes:
    """Return the one JSON text of a value: sorted keys, no spaces, UTF-8, no NaN.

    Args:
        value: JSON types, dataclasses (as objects of their fields), enums (as their values), tuples (as arrays).

    Raises:
        ValueError: a number is NaN or infinite.
        TypeError: a value of another type.
    """
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def plain(value: object) -> object:
    """Return a value as nothing but dicts with text keys, lists, text, numbers, booleans and None."""
    if type(value) in LEAVES:  # nearly all; told by type, since an enum may be text too
        return value
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [plain(item) for item in value]
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"a {type(value).__name__} has no canonical form: {value!r}")


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of bytes as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def digest_of(value: object) -> str:
    """Return the SHA-256 of a value's canonical JSON, 64 hexadecimal digits."""
    return sha256_hex(canonical_json(value))


def token(text: str) -> str:
    """Return a subject token for any id: `[a-z0-9_-]`, at most about 100 characters, injective.

    A short id of just those characters stays as it is. Any other is spelled in base32 behind `x-`, or named by its
    SHA-256 behind `x-` when that would be long (then injective as far as SHA-256 is).

    Raises:
        ValueError: the id is empty.
    """
    if not text:
        raise ValueError("an id must not be empty")
    if TOKEN.fullmatch(text) and not text.startswith(ENCODED):
        return text
    spelled = base64.b32encode(text.encode()).decode().rstrip("=").lower()
    if len(spelled) > LONGEST_ENCODED:
        # 9 is no base32 digit: a named id never equals a spelled one.
        return f"{ENCODED}9{sha256_hex(text.encode())}"
    return ENCODED + spelled


def key_segment(text: str) -> str:
    """Return one segment of an object key for any id: readable, injective, at most 200 bytes.

    Letters, digits, `-`, `_` and `.` stay; every other byte becomes `=` and two hexadecimal digits, since `+`, spaces,
    `#`, `%` and `//` in keys break the signatures of some stores. `.` and `..` are encoded whole.

    Raises:
        ValueError: the id is empty.
    """
    if not text:
        raise ValueError("an id must not be empty")
    if text in (".", ".."):
        return "=2E" * len(text)
    safe = "".join(chr(byte) if byte in KEY_SAFE else f"={byte:02X}" for byte in text.encode())
    if len(safe) > 200:
        # `==` never comes out of the encoding above, so a shortened segment equals no other.
        return f"{safe[:120]}=={sha256_hex(text.encode())}"
    return safe


def evaluation_id(tenant: str, idempotency_key: str) -> str:
    """Return the id of the evaluation that a tenant asked for under a key: `ev-` and 24 hexadecimal digits."""
    return "ev-" + digest_of({"tenant": tenant, "idempotency_key": idempotency_key})[:24]
