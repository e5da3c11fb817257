"""Readers that do to their process what a hostile file would."""

from __future__ import annotations

import os
import signal
import time

from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument, UnreadableDocumentError


def read(source: SourceDocument, *, how: str = "") -> ParsedDocument:
    """Do what the document says, or the setting; else return its text and the process it was read in."""
    said = how or source.data.decode()
    if said == "spin":
        while True:
            pass
    if said == "wait":
        time.sleep(600)
    if said == "fill":
        return ParsedDocument(str(len(bytearray(4 << 30))))
    if said == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if said == "exit":
        os._exit(3)
    if said == "print":
        os.write(1, b"not a message")
    if said == "fault":
        raise ZeroDivisionError("a fault of the reader")
    if said == "refuse":
        raise UnreadableDocumentError("it says so")
    return ParsedDocument(said, notes=(str(os.getpid()),))
