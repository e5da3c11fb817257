"""The shape of evaluation and recipe files: which keys there are, what they hold and what they mean.

Both the reader and the published JSON schema are made from these tables.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a mapping."""

    name: str
    type: str
    """`text`, `integer`, `number`, `flag`, or the name of a definition in the JSON schema."""
    doc: str
    required: bool = False
    nullable: bool = False
    """Whether null is allowed and means that the key is not there."""
    minimum: int | None = None
    """Smallest integer allowed; None when there is no bound."""
    share: bool = False
    """Whether a number must lie between 0 and 1, both excluded."""
    choices: tuple[str, ...] = ()
    """The texts that are allowed; empty when any is."""
    default: object = None
    """What holds when it is left out, for the schema; None when that is nothing."""


Shape = tuple[Key, ...]

NAME = Key("name", "text", "Title of the report.", required=True)
EVALUATION: Shape = (
    NAME,
    Key("benchmarks", "benchmarks", "What is asked: at least one benchmark.", required=True),
    Key("recipes", "recipes", "What is compared: at least one recipe.", required=True),
    Key("options", "options", "What is said of the run."),
    Key("tenant", "text", "Whose evaluation it is, for fairness between tenants.", default="default"),
    Key("idempotency_key", "text", "Requests of a tenant with one key are one evaluation; by content when left out."),
)
OPTIONS: Shape = (
    Key("seed", "integer", "Seed of everything random, with the case id.", default=0),
    Key("batch_cases", "integer", "Cases in one item of work; does not change results.", minimum=1, default=100),
    Key("concurrency", "integer", "Items of one stage at once; null: the platform's.", nullable=True, minimum=1),
    Key("confidence", "number", "Level of the intervals in the report.", share=True, default=0.95),
)
BENCHMARK: Shape = (
    Key("adapter", "adapter", "The benchmark's adapter, unless it is a key of its own.", required=True),
    Key("name", "text", "Name in keys and in the report; the adapter's own when left out."),
    Key("limit", "integer", "Only the first so many cases.", nullable=True, minimum=1),
    Key("evaluators", "evaluators", "Scoring methods instead of the benchmark's own.", nullable=True),
)
RECIPE: Shape = (
    Key("name", "text", "Name in the report; unique in the evaluation.", required=True),
    Key("build", "build", "How documents become a knowledge base."),
    Key(
        "query",
        "query",
        "How it is asked: one query mode or more, each of which is compared; left out when it answers without a "
        "knowledge base.",
    ),
    Key("answer", "answer", "How an answer is made; left out when only retrieval is compared.", nullable=True),
)
RECIPE_FILE: Shape = (
    Key("file", "text", "A file that holds one recipe; relative to this file.", required=True),
    Key("name", "text", "Name in the report instead of that in the file."),
)
BUILD: Shape = (
    Key("parser", "parser", "Turns a document's bytes into text.", default="auto"),
    Key("chunker", "chunker", "Cuts text into chunks.", default="none"),
    Key("embedder", "embedder", "Turns text into vectors; needed by indexes of vectors.", nullable=True),
    Key("indexes", "indexes", "What finds chunks: one index or more.", default=["bm25"]),
    Key("index", "index", "The same as `indexes` with one."),
)
MODE: Shape = (
    Key("engine", "query_engine", "Asks the indexes, unless it is a key of its own.", required=True),
    Key("name", "text", "Name in the report; the engine's when left out."),
    Key("top_k", "integer", "Passages that are retrieved.", minimum=1, default=100),
)
ANSWER: Shape = (
    Key("generator", "generator", "Makes the answer, unless it is a key of its own.", required=True),
    Key("passages", "integer", "First passages that the generator sees.", minimum=1, default=5),
    Key("template", "text", "The prompt template: the name of a built-in one, or its text; what fits when left out."),
    Key("template_file", "text", "A file that holds the prompt template; relative to this file."),
    Key("examples", "example_retriever", "Chooses the solved cases that a model is shown.", nullable=True),
    Key("samples", "integer", "Answers per case.", minimum=1, default=1),
    Key("likelihood", "likelihood", "Weighs choices and other given texts by their likelihood.", nullable=True),
)
LIKELIHOOD: Shape = (
    Key(
        "continuation",
        "text",
        "What of a choice is set behind the prompt.",
        choices=("text", "letter"),
        default="text",
    ),
    Key("unconditional", "text", "A context that says nothing, such as `Answer:`, in which choices are weighed too."),
    Key("generate", "flag", "Whether answers are generated as well.", default=False),
)
