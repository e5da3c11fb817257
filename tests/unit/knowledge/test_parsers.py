"""Parsers: bytes of one document in, its text out."""

from __future__ import annotations

import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.knowledge.parsing import SourceDocument, UnreadableDocumentError
from bakeoff.knowledge.registries import parsers

RECORD = "application/vnd.bakeoff.record+json"


def parse(data: bytes | str, media_type: str = "text/plain", spec: str = "auto") -> str:
    source = SourceDocument("d1", data.encode() if isinstance(data, str) else data, media_type)
    return parsers.load().make(ComponentSpec.parse(spec))(source).text


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (b"\xef\xbb\xbfgr\xc3\xbcn", "text/plain"),
        ("grün".encode("utf-16"), "text/plain"),
        ("grün".encode("latin-1"), "text/plain; charset=latin-1"),
        ("grün".encode(), "text/plain; charset=latin-1"),  # UTF-8 that is valid is hardly ever anything else
        ("grün".encode(), "text/csv"),
    ],
)
def test_text_is_decoded_by_its_mark_as_utf8_or_as_declared(data: bytes, media_type: str) -> None:
    assert parse(data, media_type) == "grün"


@pytest.mark.parametrize(
    ("data", "media_type", "words"),
    [
        (b"ab\x81", "text/plain", "byte 2 .0x81. is no UTF-8"),
        (b"ab\xff", "text/plain; charset=klingon", "'klingon' is not known"),
        (b"ab\xff", "text/plain; charset=ascii", "byte 2 is not"),
        (b"\xff\xd8\xff", "text/plain", "no parser is known for the media type 'image/jpeg'"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/msword", "an old Office file, or an encrypted one"),
        (b"PK\x03\x04", "", "an archive"),
        (b"\0\1\2", "", "no text"),
        (b'{"text": 3}', RECORD, "no record"),
        (b"[1]", RECORD, "no record"),
        (b'{"text": "\xff"}', RECORD, "no record"),
    ],
)
def test_what_cannot_be_read_is_told(data: bytes, media_type: str, words: str) -> None:
    with pytest.raises(UnreadableDocumentError, match=words):
        parse(data, media_type)


def test_plain_text_is_left_as_it_is() -> None:
    assert parse("  a\r\n\tb  \n") == "  a\r\n\tb  \n"


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ('{"_id": "1", "title": "Moles", "text": "A mole is a pier."}', "Moles A mole is a pier."),
        ('{"_id": "1", "title": "", "text": "A mole is a pier."}', "A mole is a pier."),
        ('{"_id": "1", "title": null, "text": "A mole is a pier."}', "A mole is a pier."),
        ('{"_id": "1", "text": "A mole is a pier."}', "A mole is a pier."),
        ('\ufeff{"text": "gr\\u00fcn", "metadata": {"x": [1]}}', "grün"),
        ('{"title": "Moles"}', "Moles"),
        ("{}", ""),
    ],
)
def test_a_record_is_its_title_a_space_and_its_text(record: str, text: str) -> None:
    assert parse(record, RECORD) == text


def test_what_stands_between_title_and_text_can_be_set() -> None:
    record = '{"title": "Moles", "text": "A mole is a pier."}'

    assert parse(record, RECORD, r'record(title_separator="\n\n")') == "Moles\n\nA mole is a pier."
    assert parse(record, RECORD, 'auto(title_separator=": ")') == "Moles: A mole is a pier."


def test_markdown_loses_its_signs_and_keeps_its_words() -> None:
    text = """# The *old* mole

The [harbour](https://example.org) is **closed** by a
mole of `granite`, see ![a chart](chart.png).

* first\\
  line
* second &amp; third

| stone | tons |
|---|---|
| granite | 12 |

```
x = 1

y = 2
```
<div>An <b>island</b></div>
<!-- not seen -->
"""

    assert parse(text, "text/markdown") == (
        "The old mole\n\n"
        "The harbour is closed by a mole of granite, see a chart.\n\n"
        "first\nline\n\n"
        "second & third\n\n"
        "stone | tons\ngranite | 12\n\n"
        "x = 1\n\ny = 2\n\n"
        "An island"
    )


def test_a_quoted_sentence_is_found_in_rendered_markdown() -> None:
    source = "The *North Quay* was\n[rebuilt](x.md) in **1911**."

    assert "The North Quay was rebuilt in 1911." in parse(source, "text/markdown")
    assert parse(source, "text/markdown", "text") == source


def test_html_is_what_its_reader_sees() -> None:
    html = """<!doctype html><html><head><title>T</title><style>p {}</style><script>var x = "<p>no</p>"</script></head>
<body><header>Site</header><nav><a href=/>Home</a></nav>
<main><h1>The mole</h1><p>It is   made of <b>gran</b>ite,<br>12&nbsp;tons &amp; more.</p>
<ul><li>one<li>two</ul><table><tr><th>stone<th>tons</tr><tr><td>granite</td><td>12</td></tr></table>
<pre>a
  b</pre><template>no</template><!-- no --></main><footer>Imprint</footer><noscript>no</noscript></body></html>"""

    assert parse(html, "text/html") == (
        "The mole\n\nIt is made of granite,\n12 tons & more.\n\none\n\ntwo\n\nstone | tons\ngranite | 12\n\na\nb"
    )


def test_html_declares_its_own_encoding() -> None:
    html = '<html><head><meta charset="iso-8859-1"></head><body>grün</body></html>'

    assert parse(html.encode("latin-1"), "text/html") == "grün"


def test_html_that_nests_deeper_than_python_recurses_is_read() -> None:
    assert parse("<div>" * 5000 + "deep" + "</div>" * 5000, "text/html") == "deep"


@pytest.mark.parametrize("name", ["auto", "text", "markdown", "html"])
def test_an_empty_document_has_an_empty_text(name: str) -> None:
    assert parse(b"", "text/plain", name) == ""


def test_the_version_of_auto_holds_those_of_the_parsers_it_chooses_from() -> None:
    cards = {card.name: card for card in parsers.load().cards()}

    chosen = set(cards) - {"auto", "kreuzberg", "scanned"} - {name for name in cards if name.endswith("_for_tests")}
    assert all(f"+{name}-{cards[name].version}" in cards["auto"].version for name in chosen)
