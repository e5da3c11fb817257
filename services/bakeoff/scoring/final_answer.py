"""What an answer says in the end: behind `####`, in the last box or tag, or behind its last "the answer is"."""

from __future__ import annotations

import re

REASONING = re.compile(r"^.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
"""Models that think aloud do it before their answer."""
HASHES = re.compile(r"####[ \t]*(?P<said>[^\n]+)")
TAGGED = re.compile(
    r"<(?P<tag>(?:final[_-]?)?answer)>\s{0,50}(?P<said>[^<>]{1,500}?)\s{0,50}</(?P=tag)>", re.IGNORECASE
)
"""What prompts ask for that want to find the answer again."""
SPACED = (
    r"\b(?:answers?|ans|solution|respuesta|réponse|antwort|ответ|resposta|risposta|odpowiedź|jawaban|cevap|antwoord|svar|"
    r"απάντηση|đáp\s+án|उत्तर|(?:correct|right|best|final)\s+(?:choice|option))(?:\s+(?:choice|option|key))?"
)
UNSPACED = r"(?:정답|답|答案|回答|答え|正解|الإجابة|תשובה|คำตอบ)"
MARKS = r"[*_\"'’\s]{0,8}"
IS = (
    r"(?:\s{1,3}to\s+the\s+question)?\s{0,3}"
    r"(?:(?:is|are|was|should\s+be|would\s+be|must\s+be|will\s+be|equals|es|est|ist|é|è)\b|[是为為选은는はが])"
)
LEAD_IN = re.compile(rf"(?:{SPACED}|{UNSPACED}){MARKS}(?:{IS}{MARKS}[:：]?|[:：=】])", re.IGNORECASE)
"""Where an explicit statement of the answer begins, in the languages that benchmarks are in."""
SENTENCE_END = re.compile(r"\n|\.(?=[\s*]|$)|[。！？!?；;]")
NEXT_QUESTION = re.compile(r"\n\s*(?:Question|Q|问题|質問|질문)\s*\d*\s*[:：]")
"""Where a model that was not stopped goes on with a question of its own."""
LAST = 20_000
"""Characters at an answer's end that are looked at: what counts is said last."""
LONGEST = 500
"""Characters of a statement that are looked at; a model that repeats itself writes sentences without end."""
QUOTES = " \t*_$\"'“”‘’「」«»"


def without_reasoning(text: str) -> str:
    """Return an answer without what a model thought aloud before it; only the end of a very long one."""
    return REASONING.sub("", text, count=1)[-LAST:]


def boxed(text: str) -> list[tuple[int, str]]:
    r"""Return the place and the content of each `\boxed{…}` or `\fbox{…}`, braces balanced."""
    closes: dict[int, int] = {}
    opened: list[int] = []
    for brace in re.finditer(r"[{}]", text):
        if brace.group() == "{":
            opened.append(brace.start())
        elif opened:
            closes[opened.pop()] = brace.start()
    boxes = [(match.start(), match.end()) for match in re.finditer(r"\\f?boxed\s*\{", text)]
    return [(place, text[start : closes[start - 1]]) for place, start in boxes if start - 1 in closes]


def statements(text: str) -> list[tuple[int, str]]:
    """Return the place of each explicit statement of the answer and the rest of its sentence."""
    found = []
    for lead in LEAD_IN.finditer(text):
        rest = text[lead.end() : lead.end() + LONGEST].lstrip(QUOTES + "\n")
        end = SENTENCE_END.search(rest)
        said = (rest[: end.start()] if end else rest).strip(QUOTES)
        if said:
            found.append((lead.start(), said))
    return found


def final_answer(text: str) -> str | None:
    r"""Return what the last explicit statement says; None when there is none.

    A statement is `#### x`, `\boxed{x}`, `<answer>x</answer>`, "the answer is x" or its like in other languages; the
    last one counts.
    """
    text = without_reasoning(text)
    marked = [(match.start(), match["said"].strip()) for form in (HASHES, TAGGED) for match in form.finditer(text)]
    found = sorted([*marked, *boxed(text), *statements(text)])
    if not found:
        return None
    said = found[-1][1]
    inner = boxed(said)
    return inner[-1][1] if inner else said
