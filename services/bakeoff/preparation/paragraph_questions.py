"""Questions that are published with their paragraphs: HotpotQA's own layout, and those that others made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.preparation.row import Row

TYPES = ("type", "level")
"""What a question may be grouped by."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ParagraphQuestion:
    """One question with the paragraphs that come with it."""

    case_id: str
    question: str
    answers: tuple[str, ...]
    labels: dict[str, str]
    paragraphs: tuple[Paragraph, ...]
    supporting: tuple[Paragraph, ...]
    """The paragraphs that the answer rests on; one whose text is not given has an empty one."""
    facts: tuple[tuple[str, int], ...]
    """Title and number, from 0, of each sentence that the answer rests on; empty when only paragraphs are known."""


def read_question(row: Row) -> ParagraphQuestion:
    """Return the question of a row, in whichever layout it is.

    Known are HotpotQA's and 2WikiMultihopQA's own (`context`, `supporting_facts`; as lists or, as the datasets library
    has them, as columns), HippoRAG's (`paragraphs`) and IRCoT's (`contexts`).

    Raises:
        InvalidInputError: it has no question, or no paragraphs in a known layout.
    """
    values = row.plain()
    question = values.get("question", values.get("question_text"))
    if not isinstance(question, str) or not question.strip():
        raise row.fault("question", f"must be text, not {question!r}")
    given = values.get("_id", values.get("id", values.get("question_id")))
    case_id = str(row.number - 1) if given is None else str(given)
    labels = {name: str(values[name]) for name in TYPES if values.get(name)}
    if "context" in values:
        paragraphs = tuple(_contexts(row, values["context"]))
        facts = tuple(_facts(row, values.get("supporting_facts")))
        texts = {each.title: each for each in reversed(paragraphs)}
        supporting = tuple(
            texts.get(title, Paragraph(title, "")) for title in dict.fromkeys(title for title, _ in facts)
        )
    else:
        marked = list(_marked(row, values.get("paragraphs", values.get("contexts"))))
        paragraphs, facts = tuple(each for each, _ in marked), ()
        supporting = tuple(each for each, supports in marked if supports)
    return ParagraphQuestion(case_id, question, _answers(row, values), labels, paragraphs, supporting, facts)


def joined(sentences: Sequence[str]) -> str:
    """Return the text of sentences; HotpotQA's begin with their own spaces, those of 2WikiMultihopQA do not."""
    spaced = any(each.startswith(" ") for each in sentences[1:])
    return ("" if spaced else " ").join(sentences).strip()


def _contexts(row: Row, context: object) -> Iterator[Paragraph]:
    pairs = zip(*_columns(context, "title", "sentences"), strict=False) if isinstance(context, Mapping) else context
    if not isinstance(pairs, list | zip):
        raise row.fault("context", f"must be a list of [title, sentences], not {type(context).__name__}")
    for index, pair in enumerate(pairs):
        match pair:
            case [str(title), [*sentences]] if all(isinstance(each, str) for each in sentences):
                yield Paragraph(title, joined(sentences))
            case (str(title), [*sentences]) if all(isinstance(each, str) for each in sentences):
                yield Paragraph(title, joined(sentences))
            case _:
                raise row.fault(f"context[{index}]", f"must be [title, sentences], not {str(pair)[:80]}")


def _facts(row: Row, facts: object) -> Iterator[tuple[str, int]]:
    pairs = zip(*_columns(facts, "title", "sent_id"), strict=False) if isinstance(facts, Mapping) else facts or []
    if not isinstance(pairs, list | zip):
        raise row.fault("supporting_facts", f"must be a list of [title, number], not {type(facts).__name__}")
    for index, pair in enumerate(pairs):
        match pair:
            case (str(title), int(number)) | [str(title), int(number)]:
                yield title, number
            case _:
                raise row.fault(f"supporting_facts[{index}]", f"must be [title, number], not {str(pair)[:80]}")


def _columns(mapping: Mapping[str, object], *names: str) -> Iterator[Sequence[object]]:
    for name in names:
        column = mapping.get(name)
        yield column if isinstance(column, list) else []


def _marked(row: Row, paragraphs: object) -> Iterator[tuple[Paragraph, bool]]:
    if not isinstance(paragraphs, list):
        raise row.fault(
            "context", f"is missing, and so are paragraphs and contexts; there are: {', '.join(row.values)}"
        )
    for index, each in enumerate(paragraphs):
        text = each.get("paragraph_text", each.get("text")) if isinstance(each, Mapping) else None
        if not isinstance(text, str):
            raise row.fault(f"paragraphs[{index}]", "must have title and paragraph_text")
        yield Paragraph(str(each.get("title") or ""), text), each.get("is_supporting") is True


def _answers(row: Row, values: Mapping[str, object]) -> tuple[str, ...]:
    if "answers_objects" in values:
        objects = values["answers_objects"]
        spans = [
            span
            for each in (objects if isinstance(objects, list) else [])
            for span in (each.get("spans") or [each.get("number")] if isinstance(each, Mapping) else [])
        ]
        return tuple(str(span) for span in spans if span)
    answer, aliases = values.get("answer"), values.get("answer_aliases") or []
    golds = [*(answer if isinstance(answer, list) else [answer]), *(aliases if isinstance(aliases, list) else [])]
    return tuple(dict.fromkeys(str(gold) for gold in golds if gold not in (None, "")))
