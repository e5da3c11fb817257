"""Component cards and settings on the wire."""

from __future__ import annotations

from bakeoff.contract.codec.values import (
    enum_from_wire,
    enum_to_wire,
    struct_from_wire,
    struct_to_wire,
    value_from_wire,
    value_to_wire,
)
from bakeoff.domain.component import ComponentCard, ComponentKind, Setting
from bakeoff.v1 import component_pb2


def setting_to_wire(setting: Setting) -> component_pb2.ComponentSetting:
    """Return the message of a component's setting."""
    return component_pb2.ComponentSetting(
        name=setting.name,
        type=setting.type,
        default_value=None if setting.required else value_to_wire(setting.default),
        required=setting.required,
        minimum=setting.minimum,
        maximum=setting.maximum,
        choices=[value_to_wire(choice) for choice in setting.choices],
        below=setting.below or "",
        doc=setting.doc,
        nullable=setting.nullable,
    )


def setting_from_wire(message: component_pb2.ComponentSetting) -> Setting:
    """Return the setting of a message."""
    return Setting(
        message.name,
        message.type,
        value_from_wire(message.default_value) if message.HasField("default_value") else None,
        message.required,
        message.minimum if message.HasField("minimum") else None,
        message.maximum if message.HasField("maximum") else None,
        tuple(value_from_wire(choice) for choice in message.choices),
        message.below or None,
        message.doc,
        message.nullable,
    )


def component_card_to_wire(card: ComponentCard) -> component_pb2.ComponentCard:
    """Return the message of a component's card."""
    return component_pb2.ComponentCard(
        kind=enum_to_wire(card.kind, "COMPONENT_KIND", component_pb2.ComponentKind),  # type: ignore[arg-type]
        name=card.name,
        version=card.version,
        settings=[setting_to_wire(setting) for setting in card.settings],
        doc=card.doc,
        facts=struct_to_wire(card.facts),
    )


def component_card_from_wire(message: component_pb2.ComponentCard) -> ComponentCard:
    """Return the card of a message."""
    return ComponentCard(
        enum_from_wire(message.kind, "COMPONENT_KIND", component_pb2.ComponentKind, ComponentKind),
        message.name,
        message.version,
        tuple(setting_from_wire(setting) for setting in message.settings),
        message.doc,
        struct_from_wire(message.facts),
    )
