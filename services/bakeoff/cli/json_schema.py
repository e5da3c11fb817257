"""The JSON schemas of evaluation and recipe files, made from their shape and from the cards of the components."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from bakeoff.cli import shape
from bakeoff.cli.shape import Key, Shape
from bakeoff.domain.component import ComponentCard, ComponentKind, Setting

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
UNNAMED = (ComponentKind.RENDERER,)
"""Kinds that no file names."""
TYPES = {"text": "string", "integer": "integer", "number": "number", "flag": "boolean"}
SETTING_TYPES = {
    "bool": "boolean",
    "int": "integer",
    "float": "number",
    "str": "string",
    "path": "string",
    "list": "array",
    "mapping": "object",
}


def evaluation_schema(cards: Sequence[ComponentCard]) -> Schema:
    """Return the schema of evaluation files.

    It says what an editor can check: keys, types, ranges, names of components and their settings. What needs several
    places at once (unique names, indexes that an engine needs) or a signature's inside is left to `bakeoff validate`.

    Args:
        cards: The components that files may name.
    """
    definitions = {
        "benchmarks": _items(_companioned(ComponentKind.ADAPTER, shape.BENCHMARK, cards)),
        "recipes": _items({"anyOf": [_mapping(shape.RECIPE), _mapping(shape.RECIPE_FILE)]}),
        "options": _mapping(shape.OPTIONS),
        "evaluators": _one_or_more("evaluator"),
        **_recipe_definitions(cards),
    }
    return _document("Bakeoff evaluation file", shape.EVALUATION, definitions)


def recipe_schema(cards: Sequence[ComponentCard]) -> Schema:
    """Return the schema of recipe files, which hold one recipe.

    Args:
        cards: The components that files may name.
    """
    return _document("Bakeoff recipe file", shape.RECIPE, _recipe_definitions(cards))


def written(schema: Schema) -> str:
    """Return a schema as the text of its file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _document(title: str, keys: Shape, definitions: Schema) -> Schema:
    return {"$schema": DIALECT, "title": title, **_mapping(keys), "$defs": definitions}


def _recipe_definitions(cards: Sequence[ComponentCard]) -> Schema:
    return {
        "build": {**_mapping(shape.BUILD), "not": {"required": ["index", "indexes"]}},
        "indexes": _one_or_more("index"),
        "query": {"anyOf": [{"$ref": "#/$defs/mode"}, _items({"$ref": "#/$defs/mode"})]},
        "mode": _companioned(ComponentKind.QUERY_ENGINE, shape.MODE, cards),
        "answer": _companioned(ComponentKind.GENERATOR, shape.ANSWER, cards),
        "likelihood": _mapping(shape.LIKELIHOOD),
        **{kind.value: _component(kind, cards) for kind in ComponentKind if kind not in UNNAMED},
    }


def _mapping(keys: Shape) -> Schema:
    return {
        "type": "object",
        "properties": {key.name: _key(key) for key in keys},
        "required": [key.name for key in keys if key.required],
        "additionalProperties": False,
    }


def _key(key: Key) -> Schema:
    known: Schema = {"description": key.doc}
    if key.default is not None:
        known["default"] = key.default
    if key.type not in TYPES:
        there: Schema = {"$ref": f"#/$defs/{key.type}"}
    else:
        there = {"type": TYPES[key.type]}
        if key.minimum is not None:
            there["minimum"] = key.minimum
        if key.choices:
            there["enum"] = list(key.choices)
        if key.share:
            there |= {"exclusiveMinimum": 0, "exclusiveMaximum": 1}
        if key.type == "text" and key.required:
            there["pattern"] = r"\S"
    return {**known, "anyOf": [there, {"type": "null"}]} if key.nullable else {**known, **there}


def _items(item: Schema) -> Schema:
    return {"type": "array", "items": item, "minItems": 1}


def _one_or_more(kind: str) -> Schema:
    one = {"$ref": f"#/$defs/{kind}"}
    return {"anyOf": [one, _items(one)]}


def _of(kind: ComponentKind, cards: Sequence[ComponentCard]) -> list[ComponentCard]:
    return sorted((card for card in cards if card.kind is kind), key=lambda card: card.name)


def _signature(kind: ComponentKind, cards: Sequence[ComponentCard]) -> Schema:
    """Return the schema of a component as text: its name, or its name and settings in brackets."""
    names = [card.name for card in _of(kind, cards)]
    return {
        "type": "string",
        "anyOf": [{"enum": names}, {"pattern": rf"^\s*({'|'.join(names)})\s*\(.*\)\s*$"}],
    }


def _component(kind: ComponentKind, cards: Sequence[ComponentCard]) -> Schema:
    by_name = {card.name: _settings(card) for card in _of(kind, cards)}
    mapping = {
        "type": "object",
        "properties": by_name,
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": False,
    }
    return {"anyOf": [_signature(kind, cards), mapping]}


def _companioned(kind: ComponentKind, keys: Shape, cards: Sequence[ComponentCard]) -> Schema:
    """Return the schema of a component that may have other keys beside it."""
    own, *companions = keys
    beside = {key.name: _key(key) for key in companions}
    by_name = {card.name: _settings(card) for card in _of(kind, cards)}
    under_its_name = {
        "type": "object",
        "properties": {**by_name, **beside},
        "oneOf": [{"required": [name]} for name in by_name],
        "additionalProperties": False,
    }
    under_the_key = {
        "type": "object",
        "properties": {own.name: {"$ref": f"#/$defs/{own.type}"}, **beside},
        "required": [own.name],
    }
    return {"anyOf": [_signature(kind, cards), under_its_name, under_the_key]}


def _settings(card: ComponentCard) -> Schema:
    required = [setting.name for setting in card.settings if setting.required]
    return {
        "description": card.doc,
        "type": "object" if required else ["object", "null"],
        "properties": {setting.name: _setting(setting) for setting in card.settings},
        "required": required,
        "additionalProperties": False,
    }


def _setting(setting: Setting) -> Schema:
    known: Schema = {"description": setting.doc}
    if not setting.required:
        known["default"] = setting.default
    if setting.choices:
        return {**known, "enum": [*setting.choices, *([None] if setting.nullable else [])]}
    # A default of null is a value that may be written, too.
    nullable = setting.nullable or (setting.default is None and not setting.required)
    kind = SETTING_TYPES[setting.type]
    there: Schema = {**known, "type": [kind, "null"] if nullable else kind}
    if setting.minimum is not None:
        there["minimum"] = setting.minimum
    if setting.maximum is not None:
        there["maximum"] = setting.maximum
    return there
