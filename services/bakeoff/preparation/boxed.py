r"""What the last `\boxed` of a solution in LaTeX holds."""

from __future__ import annotations

import re

BOX = re.compile(r"\\f?box(?:ed)?\s*(?=\{)|\\f?boxed\s+")


def last_boxed(text: str) -> str | None:
    r"""Return what the last `\boxed{…}` or `\fbox{…}` holds, braces within braces included; None when there is none.

    Without braces, as in `\boxed 5`, it holds all up to the next `$` or the end.
    """
    boxes = list(BOX.finditer(text))
    if not boxes:
        return None
    start = boxes[-1].end()
    if text[start : start + 1] != "{":
        return text[start:].partition("$")[0].strip() or None
    depth = 0
    for position in range(start, len(text)):
        escaped = position and text[position - 1] == "\\"
        if text[position] in "{}" and not escaped:
            depth += 1 if text[position] == "{" else -1
            if depth == 0:
                return text[start + 1 : position].strip() or None
    return None
