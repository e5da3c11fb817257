"""Evaluation files: every way to write a thing is the same thing, and every fault says where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.cli.evaluation_file import read_evaluation, read_evaluation_file
from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec
from bakeoff.domain.errors import InvalidInputError, NotFoundError, Violation
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.domain.recipe import Continuation, LikelihoodPart
from tests.builders.component import some_cards

CARDS = some_cards()
SMALLEST = """\
name: Smallest
benchmarks: [beir(path=scifact)]
recipes:
  - {name: bm25, query: full_text_search}
"""
FULL = """\
name: Quick start
benchmarks:
  - folder: {path: documents, questions: questions.yaml}
    name: quickstart
    limit: 50
    evaluators: [ndcg(k=10), {evidence_recall: {k: 5}}]
recipes:
  - name: bm25
    build: {parser: auto, chunker: "sentences(max_tokens=120)", indexes: [bm25]}
    query: [full_text_search]
    answer: extractive
options: {seed: 7, batch_cases: 10, concurrency: null, confidence: 0.9}
tenant: team-a
idempotency_key: once
"""


def read(text: str, file: str = "folder/evaluation.yaml") -> EvaluationRequest:
    return read_evaluation(text, file, CARDS).request


def faults(text: str, file: str = "e.yaml") -> list[str]:
    with pytest.raises(InvalidInputError) as caught:
        read_evaluation(text, file, CARDS)
    return [str(violation) for violation in caught.value.violations]


def test_a_full_file_is_read() -> None:
    request = read(FULL)
    here = Path("folder").absolute()

    assert (request.name, request.tenant, request.idempotency_key) == ("Quick start", "team-a", "once")
    benchmark = request.benchmarks[0]
    assert benchmark.adapter == ComponentSpec(
        "folder", {"path": str(here / "documents"), "questions": str(here / "questions.yaml")}
    )
    assert (benchmark.name, benchmark.limit) == ("quickstart", 50)
    assert [str(evaluator) for evaluator in benchmark.evaluators] == ["ndcg(k=10)", "evidence_recall(k=5)"]
    recipe = request.recipes[0]
    assert str(recipe.build.chunker) == "sentences(max_tokens=120)"
    assert recipe.query[0].name == "full_text_search"
    assert recipe.query[0].top_k == 100
    assert recipe.answer is not None
    assert recipe.answer.passages == 5
    options = request.options
    assert (options.seed, options.batch_cases, options.concurrency, options.confidence) == (7, 10, None, 0.9)


def test_the_smallest_file_has_defaults_for_the_rest() -> None:
    request = read(SMALLEST)
    assert str(request.recipes[0].build.parser) == "auto"
    assert str(request.recipes[0].build.indexes[0]) == "bm25(b=0.4, k1=0.9)"
    assert request.recipes[0].answer is None
    assert request.tenant == "default"
    assert request.options.confidence == 0.95


@pytest.mark.parametrize(
    "written",
    [
        "tokens",
        "tokens()",
        "tokens(size=200)",
        '"tokens(overlap=0, size=200)"',
        "{tokens: }",
        "{tokens: {}}",
        "{tokens: {overlap: 0}}",
    ],
)
def test_a_component_is_the_same_whichever_way_it_is_written(written: str) -> None:
    request = read(SMALLEST.replace("query:", f"build: {{chunker: {written}}}, query:"))
    assert str(request.recipes[0].build.chunker) == "tokens(overlap=0, size=200)"


@pytest.mark.parametrize(
    "written",
    [
        "beir(path=scifact, split=train)",
        "{beir: {path: scifact, split: train}}",
        "{adapter: beir, path: scifact, split: train}",
        "{adapter: beir(path=scifact), split: train}",
        "{adapter: {beir: {path: scifact}}, split: train}",
    ],
)
def test_a_benchmark_is_the_same_whichever_way_it_is_written(written: str) -> None:
    request = read(SMALLEST.replace("beir(path=scifact)", f"'{written}'" if written[0] == "b" else written))
    assert str(request.benchmarks[0].adapter) == 'beir(path="scifact", split="train")'


@pytest.mark.parametrize(
    "written",
    [
        "full_text_search",
        "[full_text_search]",
        "{full_text_search: }",
        "[{full_text_search: {}}]",
        "{engine: full_text_search}",
        "[{engine: full_text_search, top_k: 100, name: full_text_search}]",
        "{full_text_search: {}, top_k: 100}",
    ],
)
def test_a_query_mode_is_the_same_whichever_way_it_is_written(written: str) -> None:
    assert read(SMALLEST.replace("query: full_text_search", f"query: {written}")) == read(SMALLEST)


@pytest.mark.parametrize("query", ["", "query: [], "])
def test_a_knowledge_base_that_would_never_be_asked_is_a_fault(query: str) -> None:
    text = SMALLEST.replace("query: full_text_search", f"{query}build: {{indexes: [bm25]}}, answer: extractive")
    with pytest.raises(
        InvalidInputError, match=r"recipes\[0\]\.build: is never asked, since the recipe has no `query`"
    ):
        read(text)


@pytest.mark.parametrize("written", ["indexes: [bm25]", "indexes: bm25", "index: bm25", "index: [bm25]"])
def test_one_index_may_be_written_alone(written: str) -> None:
    assert read(SMALLEST.replace("query:", f"build: {{{written}}}, query:")) == read(SMALLEST)


def test_a_generator_may_have_its_passages_beside_it() -> None:
    for written in ("{generator: extractive, passages: 3}", "{extractive: , passages: 3}"):
        answer = read(SMALLEST.replace("query:", f"answer: {written}, query:")).recipes[0].answer
        assert answer is not None
        assert (str(answer.generator), answer.passages) == ("extractive(sentences=1)", 3)


def test_paths_are_relative_to_the_file_and_addresses_and_known_names_are_not_paths(tmp_path: Path) -> None:
    def path(written: str) -> object:
        text = SMALLEST.replace("beir(path=scifact)", f'{{beir: {{path: "{written}"}}}}')
        return read(text, str(tmp_path / "e.yaml")).benchmarks[0].adapter.settings["path"]

    assert path("data/own") == str(tmp_path / "data/own")
    assert path("../own") == str(tmp_path.parent / "own")
    assert path("/srv/own") == "/srv/own"
    assert path("scifact") == "scifact"
    assert path("./scifact") == str(tmp_path / "scifact")
    assert path("https://example.org/set.zip") == "https://example.org/set.zip"


def test_text_stays_the_text_that_it_is() -> None:
    for written in ("no", "on", "2024-01-01", "12:30", "0b1", "1_000", "y"):
        assert read(SMALLEST.replace("Smallest", written)).name == written


def test_anchors_may_be_used() -> None:
    text = """\
name: Anchors
benchmarks: [beir(path=scifact)]
recipes:
  - {name: a, build: &build {chunker: tokens(size=50)}, query: full_text_search}
  - {name: b, build: *build, query: full_text_search}
"""
    first, second = read(text).recipes
    assert first.build == second.build
    assert str(first.build.chunker) == "tokens(overlap=0, size=50)"


def test_a_recipe_may_stand_in_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "recipes").mkdir()
    (tmp_path / "recipes/own.yaml").write_text("name: own\nquery: full_text_search\n")
    file = tmp_path / "evaluation.yaml"
    file.write_text(SMALLEST + "  - file: recipes/own.yaml\n  - {file: recipes/own.yaml, name: another}\n")
    request = read_evaluation_file(file, CARDS).request
    assert [recipe.name for recipe in request.recipes] == ["bm25", "own", "another"]


def test_a_fault_in_a_recipe_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text("name: own\nbuild:\n  chunker: tokns\nquery: full_text_search\nquerry: 1\n")
    (tmp_path / "torn.yml").write_text("name: [torn\n")
    text = SMALLEST + "  - file: own.yaml\n  - file: gone.yaml\n  - file: torn.yml\n"
    own = tmp_path / "own.yaml"
    file = str(tmp_path / "e.yaml")
    assert faults(text, file) == [
        f"{file}:6: recipes[2].file: there is no file {str(tmp_path / 'gone.yaml')!r}; there is own.yaml, torn.yml",
        f"{own}:3: build.chunker: no chunker is named 'tokns'; did you mean 'tokens'? known: none, sentences, tokens",
        f"{own}:5: querry: there is no key 'querry' here; did you mean 'query'? allowed: name, build, query, answer",
        f"{tmp_path / 'torn.yml'}:2: is no YAML: expected ',' or ']', but got '<stream end>' "
        "(while parsing a flow sequence)",
    ]


def test_every_fault_of_a_file_is_said_at_once_with_its_line() -> None:
    text = """\
name: [Quick start]
benchmarks:
  - folder: {path: documents}
    limt: 5
    limit: 0
  - {adapter: beir, path: scifact, splt: test}
recipes:
  - name: bm25
    build:
      chunkr: none
      chunker:
        tokens: {size: 20, overlap: 20}
      indexes: [bm25, dense]
    query:
      - full_text_serch
      - {engine: hybrid_search(fusion=rfr), top_k: ten}
    answer: extractive(
  - query: vector_search
options: {confidence: 95, sed: 1}
seed: 0
"""
    assert faults(text) == [
        "e.yaml:1: name: must be text, not a list",
        "e.yaml:3: benchmarks[0].folder.questions: folder needs the setting 'questions'",
        "e.yaml:4: benchmarks[0].limt: there is no key 'limt' here; did you mean 'limit'? "
        "allowed: name, limit, evaluators",
        "e.yaml:5: benchmarks[0].limit: must be a whole number from 1 to 4294967295, not 0",
        "e.yaml:6: benchmarks[1].splt: there is no key 'splt' here; did you mean 'split'? "
        "allowed: adapter, name, limit, evaluators, path, split",
        "e.yaml:10: recipes[0].build.chunkr: there is no key 'chunkr' here; did you mean 'chunker'? "
        "allowed: parser, chunker, embedder, indexes, index",
        "e.yaml:12: recipes[0].build.chunker.tokens.overlap: must be smaller than size (20), not 20",
        "e.yaml:13: recipes[0].build.indexes[1]: dense needs vectors: name an embedder beside it (static)",
        "e.yaml:15: recipes[0].query[0]: no query engine is named 'full_text_serch'; did you mean 'full_text_search'? "
        "known: full_text_search, hybrid_search, vector_search",
        "e.yaml:16: recipes[0].query[1].top_k: must be a whole number, not the text 'ten'",
        "e.yaml:16: recipes[0].query[1].engine.fusion: must be one of 'rrf', 'weighted', not 'rfr'; "
        "did you mean 'rrf'?",
        "e.yaml:17: recipes[0].answer: 'extractive(' is no component; write it as name or name(setting=value, …)",
        "e.yaml:18: recipes[1].name: is missing (name in the report; unique in the evaluation)",
        "e.yaml:18: recipes[1].query: vector_search needs the index dense, but the recipe builds bm25",
        "e.yaml:19: options.sed: there is no key 'sed' here; did you mean 'seed'? "
        "allowed: seed, batch_cases, concurrency, confidence",
        "e.yaml:19: options.confidence: must be between 0 and 1, both excluded, not 95",
        "e.yaml:20: seed: there is no key 'seed' here; allowed: name, benchmarks, recipes, options, tenant, "
        "idempotency_key",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "e.yaml:1: is empty"),
        ("- a\n", "e.yaml:1: must be a mapping with the keys name, benchmarks, recipes, options, tenant, "
                  "idempotency_key, not a list"),
        ("name: a\n  b: c\n", "e.yaml:2: is no YAML: mapping values are not allowed here"),
        ("name: [a\n",
         "e.yaml:2: is no YAML: expected ',' or ']', but got '<stream end>' (while parsing a flow sequence)"),
        ("a: *b\n", "e.yaml:1: is no YAML: found undefined alias 'b'"),
        ("name: a\n---\nname: b\n",
         "e.yaml:2: is no YAML: but found another document (expected a single document in the stream)"),
        (SMALLEST + "name: again\n", "e.yaml:5: name: stands there twice; first on line 1"),
        (SMALLEST.replace("Smallest", "2024"), "e.yaml:1: name: must be text, not the number 2024; put it in quotes"),
        (SMALLEST.replace("Smallest", ""), "e.yaml:1: name: must be text, not empty"),
        (SMALLEST.replace("Smallest", "!!python/object:os.system x"),
         "e.yaml:1: name: has the tag 'tag:yaml.org,2002:python/object:os.system'; tags are not allowed"),
        (SMALLEST + "1: x\n", "e.yaml:5: 1: is a key that is no text; keys must be text"),
        (SMALLEST + "options: {confidence: .nan}\n", "e.yaml:5: options.confidence: must be a finite number, not .nan"),
        (SMALLEST + 'tenant: "a\\0"\n', "e.yaml:5: tenant: holds a character that no text may have: 'a\\x00'"),
        (SMALLEST + "tenant: &t [*t]\n", "e.yaml:1: holds more than 100,000 values, or an anchor that holds itself"),
        (SMALLEST.replace("[beir(path=scifact)]", "beir(path=scifact)"),
         "e.yaml:2: benchmarks: must be a list, not the text 'beir(path=scifact)'"),
        (SMALLEST.replace("[beir(path=scifact)]", "[]"), "e.yaml:2: benchmarks: must have at least one benchmark"),
        (SMALLEST.replace("beir(path=scifact)", "{name: x}"),
         "e.yaml:2: benchmarks[0]: must name an adapter, as a key or under 'adapter'; known: beir, folder"),
        (SMALLEST.replace("query:", "build: {index: bm25, indexes: [bm25]}, query:"),
         "e.yaml:4: recipes[0].build.index: stands beside `indexes`; keep one of the two"),
        (SMALLEST.replace("query:", "build: {chunker: {tokens: 5}}, query:"),
         "e.yaml:4: recipes[0].build.chunker.tokens: must be a mapping of settings, not the number 5"),
        (SMALLEST.replace("query:", "build: {chunker: [tokens]}, query:"),
         "e.yaml:4: recipes[0].build.chunker: must be a chunker: name, name(setting=value, …) or "
         "{name: {setting: value}}, not a list"),
        (SMALLEST.replace("query:", "build: {chunker: {tokens: {}, none: {}}}, query:"),
         "e.yaml:4: recipes[0].build.chunker: must have one key, the name of a chunker, not 2 keys"),
        (SMALLEST.replace("query:", "build: {chunker: tokens(size=NaN)}, query:"),
         "e.yaml:4: recipes[0].build.chunker: 'tokens(size=NaN)' has a number that is not finite"),
    ],
)  # fmt: skip
def test_a_fault_names_file_line_field_value_and_what_is_allowed(text: str, expected: str) -> None:
    assert faults(text) == [expected]


def test_a_file_that_is_not_there_is_not_found() -> None:
    with pytest.raises(NotFoundError, match=r"there is no file 'gone\.yaml'"):
        read_evaluation_file(Path("gone.yaml"), CARDS)


def test_a_file_that_is_no_text_says_where(tmp_path: Path) -> None:
    file = tmp_path / "e.yaml"
    file.write_bytes(b"name: \xff\n")
    with pytest.raises(InvalidInputError, match="is not UTF-8: byte 6 is 0xff"):
        read_evaluation_file(file, CARDS)


def test_a_further_check_is_located_and_only_asked_when_nothing_else_is_wrong() -> None:
    def further(request: EvaluationRequest) -> list[Violation]:
        return [Violation("benchmarks[0].adapter.path", "is not there"), Violation("", "is broken", "data.tsv", 3)]

    with pytest.raises(InvalidInputError) as caught:
        read_evaluation(SMALLEST, "e.yaml", CARDS, further)
    assert [str(violation) for violation in caught.value.violations] == [
        "e.yaml:2: benchmarks[0].path: is not there",
        "data.tsv:3: is broken",
    ]
    with pytest.raises(InvalidInputError, match="1 fault:"):
        read_evaluation(SMALLEST.replace("Smallest", "[]"), "e.yaml", CARDS, further)


def test_a_kind_without_cards_is_told_and_no_fault() -> None:
    cards = [card for card in CARDS if card.kind is not ComponentKind.INDEX]
    assert read_evaluation(SMALLEST, "e.yaml", cards).missing == [ComponentKind.INDEX]


LIKELIHOOD = """\
name: Likelihoods
benchmarks: [beir(path=scifact)]
recipes:
  - name: direct
    answer: {generator: asking, likelihood: LIKELIHOOD}
"""
ASKING = ComponentCard(ComponentKind.GENERATOR, "asking", "1", facts={"gives_likelihoods": True})


def weighing(text: str) -> LikelihoodPart | None:
    written = LIKELIHOOD.replace("LIKELIHOOD", text)
    (recipe,) = read_evaluation(written, "e.yaml", [*CARDS, ASKING]).request.recipes
    assert recipe.answer is not None
    return recipe.answer.likelihood


def test_a_likelihood_part_is_read_with_its_defaults() -> None:
    assert weighing("{}") == LikelihoodPart()
    assert weighing("null") is None
    written = '{continuation: letter, unconditional: "Answer:", generate: true}'
    assert weighing(written) == LikelihoodPart(Continuation.LETTER, "Answer:", True)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{continuation: words}", "must be one of text, letter, not 'words'"),
        ("{generate: 1}", "must be true or false, not the number 1"),
        ("{generates: true}", "there is no key 'generates' here; did you mean 'generate'?"),
        ("true", "must be a mapping with the keys continuation, unconditional, generate"),
    ],
)
def test_faults_of_a_likelihood_part_say_where_they_stand(text: str, fault: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        read_evaluation(LIKELIHOOD.replace("LIKELIHOOD", text), "e.yaml", [*CARDS, ASKING])
    (found,) = caught.value.violations
    assert (found.file, found.line) == ("e.yaml", 5)
    assert fault in found.problem
