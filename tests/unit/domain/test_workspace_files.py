"""Files of a workspace as JSON, and by what they are named."""

from __future__ import annotations

import json

import pytest

from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.workspace_files import pack_files, unpack_files


def test_files_come_back_as_they_were_whatever_their_bytes() -> None:
    files = {"a.txt": "á\r\n\0".encode(), "out/b.bin": b"\xff\x00", "empty": b""}
    packed = json.loads(json.dumps(pack_files(files)))
    assert packed["a.txt"] == "á\r\n\0"
    assert unpack_files(packed, "case 'c'") == files


@pytest.mark.parametrize(
    ("packed", "problem"),
    [
        (["a.txt"], "case 'c': files must be a mapping of texts by path, not a list"),
        ({"../a": "x"}, r"'\.\./a' leads out of the workspace"),
        ({"/a": "x"}, "'/a' leads out of the workspace"),
        ({"": "x"}, "'' is no path"),
        ({".": "x"}, "'.' leads out"),
        ({"a": 1}, "file 'a' must be text or a mapping with `base64`, not a int"),
        ({"a": {"base64": "???"}}, "file 'a' is no Base64"),
    ],
)
def test_what_is_no_file_in_a_workspace_is_refused(packed: object, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        unpack_files(packed, "case 'c'")
