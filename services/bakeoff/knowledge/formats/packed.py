"""Office files are ZIP archives: what is looked at before one is opened."""

from __future__ import annotations

import io
import zipfile

from bakeoff.knowledge.parsing import UnreadableDocumentError

MOST_BYTES = 1 << 30
"""Unpacked bytes over all parts: far beyond any office file that people write."""
MOST_PARTS = 50_000
MOST_RATIO = 250
"""Unpacked to packed bytes; XML of large sheets comes to some 40."""
RATIO_MATTERS_BYTES = 64 << 20
"""Below this size unpacked a high ratio harms nobody."""


def opened(data: bytes, kind: str, main_part: str) -> io.BytesIO:
    """Return an archive as a file, after a look at its table of contents.

    Args:
        data: The archive.
        kind: What it should be, for messages.
        main_part: Name of the part that makes it one.

    Raises:
        UnreadableDocumentError: it is damaged, unpacks to too much, reaches out of itself, or is something else.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise UnreadableDocumentError(f"the {kind} is damaged: {error}") from error
    unpacked = sum(part.file_size for part in parts)
    if unpacked > MOST_BYTES or (unpacked > RATIO_MATTERS_BYTES and unpacked > MOST_RATIO * len(data)):
        raise UnreadableDocumentError(
            f"the {kind} of {len(data):,} bytes unpacks to {unpacked:,}: at most {MOST_BYTES:,} and, "
            f"above {RATIO_MATTERS_BYTES:,}, {MOST_RATIO} times its size are allowed"
        )
    if len(parts) > MOST_PARTS:
        raise UnreadableDocumentError(f"the {kind} has {len(parts):,} parts: at most {MOST_PARTS:,} are allowed")
    for part in parts:
        if part.filename.startswith(("/", "\\")) or ".." in part.filename.replace("\\", "/").split("/"):
            raise UnreadableDocumentError(f"the {kind} has a part {part.filename!r} that reaches out of it")
        if part.flag_bits & 1:
            raise UnreadableDocumentError(f"the {kind} is encrypted: its part {part.filename!r} asks for a password")
    if main_part not in {part.filename for part in parts}:
        raise UnreadableDocumentError(f"this is no {kind}: it has no part {main_part!r}")
    return io.BytesIO(data)
