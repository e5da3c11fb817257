"""E-mail: its head, its body, and the names of what is attached."""

from __future__ import annotations

from email import policy
from email.message import EmailMessage, MIMEPart
from email.parser import BytesParser

from bakeoff.knowledge.composing import Composer
from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument, UnreadableDocumentError, decode_text
from bakeoff.knowledge.visible import visible_text

SHOWN = ("From", "To", "Cc", "Date")


def read_mail(source: SourceDocument) -> ParsedDocument:
    """Return the text of a message: its subject as a heading, who wrote to whom and when, and its body.

    Of a body that is both plain and HTML the plain one is taken. Attachments are named; what is in them is not read.

    Raises:
        UnreadableDocumentError: it has no head, or its body cannot be decoded.
    """
    # Some programs write the envelope's line of a mailbox before the head; the parser takes it.
    message = BytesParser(policy=policy.default).parsebytes(source.data)
    if not isinstance(message, EmailMessage) or not message.keys():
        raise UnreadableDocumentError("this is no e-mail: it has no head")
    composer = Composer()
    composer.heading(str(message.get("Subject", "")), 1)
    composer.block("\n".join(f"{name}: {value}" for name in SHOWN for value in message.get_all(name, [])))
    body = message.get_body(preferencelist=("plain", "html"))
    if body is not None:
        composer.block(_body(body))
    attached = [_named(part) for part in message.iter_attachments()] if message.is_multipart() else []
    composer.block("\n".join(f"Attachment: {name}" for name in attached))
    if attached:
        composer.notes.append(f"what is attached is not read: {', '.join(attached)}")
    return composer.parsed()


def _body(part: MIMEPart) -> str:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    text = decode_text(data, f"text/plain; charset={part.get_content_charset('windows-1252')}")
    return visible_text(text) if part.get_content_type() == "text/html" else text.replace("\r\n", "\n")


def _named(part: MIMEPart) -> str:
    data = part.get_payload(decode=True)
    size = f", {len(data):,} bytes" if isinstance(data, bytes) else ""
    return f"{part.get_filename() or 'without a name'} ({part.get_content_type()}{size})"
