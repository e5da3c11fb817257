"""PDF files made by hand: text, printed labels, images without text, encryption."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
ALLOWED = -4
FILE_ID = b"0123456789abcdef"
IMAGE = b"q 100 0 0 100 50 50 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q"
DRAWING = b"0 0 m 100 100 l S"


def a_pdf(pages: Sequence[str | bytes], *, labels: str = "", password: str | None = None) -> bytes:
    """Make a PDF.

    Args:
        pages: Lines of text, or what is drawn; empty for a blank page.
        labels: The number tree of `/PageLabels`, such as `0 << /S /r >> 2 << /S /D >>`.
        password: Encrypts the file with 40-bit RC4; empty for one that everybody can open.
    """
    first = 4  # behind catalogue, tree and font
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(pages)))
    tree = f"/PageLabels << /Nums [{labels}] >>" if labels else ""
    objects = {
        1: f"<< /Type /Catalog /Pages 2 0 R {tree} >>".encode(),
        2: f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    }
    key, protection = _protection(password)
    for number, page in enumerate(pages):
        at = first + 2 * number
        content = page if isinstance(page, bytes) else _shown(page)
        if key:
            content = _rc4(hashlib.md5(key + (at + 1).to_bytes(3, "little") + b"\0\0").digest()[:10], content)
        objects[at] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {at + 1} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        ).encode()
        objects[at + 1] = b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)
    return _file(objects, protection)


def _shown(text: str) -> bytes:
    if not text:
        return b""
    lines = [line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)") for line in text.split("\n")]
    return ("BT /F1 12 Tf 20 700 Td 14 TL " + " ".join(f"({line}) Tj T*" for line in lines) + " ET").encode("latin-1")


def _file(objects: dict[int, bytes], protection: bytes) -> bytes:
    data = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in sorted(objects.items()):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % place for place in places)
    data += b"trailer << /Size %d /Root 1 0 R %s >>\n" % (len(objects) + 1, protection)
    return bytes(data + b"startxref\n%d\n%%%%EOF\n" % table)


def _protection(password: str | None) -> tuple[bytes, bytes]:
    """Return the key and the trailer's entries: the standard handler's revision 2, algorithms 2 to 4 of PDF 1.4."""
    if password is None:
        return b"", b""
    padded = (password.encode() + PAD)[:32]
    owner = _rc4(hashlib.md5(padded).digest()[:5], padded)
    allowed = ALLOWED.to_bytes(4, "little", signed=True)
    key = hashlib.md5(padded + owner + allowed + FILE_ID).digest()[:5]
    user = _rc4(key, PAD)
    entries = f"/Filter /Standard /V 1 /R 2 /O <{owner.hex()}> /U <{user.hex()}> /P {ALLOWED}"
    return key, f"/Encrypt << {entries} >> /ID [<{FILE_ID.hex()}> <{FILE_ID.hex()}>]".encode()


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    out = bytearray()
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
