"""What each user of the bus may publish and hear: a service no more than its work needs, an outsider one subject."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bakeoff.contract import subjects
from bakeoff.contract.subjects import (
    CLAIMS_BUCKET,
    COMPONENTS_BUCKET,
    DEAD,
    DEAD_CONSUMER,
    DONE,
    EVENTS,
    LIMITS_BUCKET,
    REQUEST_CONSUMER,
    ROOT,
    STATES_BUCKET,
    TASKS,
    ConsumerSpec,
)
from bakeoff.domain.evaluation import Stage

API = "$JS.API"
CONTROL = "control"
ACCOUNT = "BAKEOFF"
"""The account of the bus that has the streams."""
NOBODY: Mapping[str, tuple[str, str]] = MappingProxyType({})
STAGES = {
    "preparation": Stage.PREPARE,
    "ingestion": Stage.INGEST,
    "knowledge": Stage.BUILD,
    "inference": Stage.INFER,
    "scoring": Stage.SCORE,
    "reporting": Stage.REPORT,
}
"""The stage that a service works on."""
ASK_MODELS = ("knowledge", "inference", "scoring")
"""Services that share what may be asked of models."""


@dataclass(frozen=True, slots=True)
class Permissions:
    """What a user may do; everything else is refused by the server."""

    publish: tuple[str, ...]
    subscribe: tuple[str, ...]


def service_permissions(service: str) -> Permissions:
    """Return what the user of a service may do.

    Raises:
        KeyError: it is no service.
    """
    publish = _of_control() if service == CONTROL else _of_worker(service, STAGES[service])
    return Permissions((*publish, f"$KV.{COMPONENTS_BUCKET}.{service}"), (inbox(service),))


def submitter_permissions(user: str, tenant: str) -> Permissions:
    """Return what a user outside of the platform may do: ask for evaluations as one tenant, and hear the answers."""
    return Permissions((subjects.request(tenant),), (inbox(user),))


def follower_permissions(user: str) -> Permissions:
    """Return what a user who follows the events of all tenants may do; events of one tenant come by gRPC.

    It is one of the services' account, and so must be trusted as they are.
    """
    return Permissions(
        (
            f"{API}.STREAM.INFO.{EVENTS}",
            f"{API}.STREAM.NAMES",
            *_read(EVENTS),
            # Older clients name no consumer there.
            f"{API}.CONSUMER.CREATE.{EVENTS}",
            f"{API}.CONSUMER.CREATE.{EVENTS}.>",
            f"{API}.CONSUMER.DELETE.{EVENTS}.*",
            f"{API}.CONSUMER.INFO.{EVENTS}.*",
            f"{API}.CONSUMER.MSG.NEXT.{EVENTS}.*",
            # Answers to the server's question whether the client keeps up.
            f"$JS.FC.{EVENTS}.>",
        ),
        (inbox(user), f"{ROOT}.event.*.*"),
    )


def inbox(user: str) -> str:
    """Return the filter of the subjects on which a user's answers come."""
    return f"_INBOX.{user}.>"


def config_of(users: Mapping[str, tuple[str, Permissions]], outsiders: Mapping[str, tuple[str, str]] = NOBODY) -> str:
    """Return the part of a NATS server's configuration that lets users in.

    Services share an account, which has the streams. Each outsider has an account of its own, from which requests of
    its tenant come in: who publishes also names the subject on which the server answers, which no permission limits.
    In an account that has no streams, an answer that is sent elsewhere reaches nobody.

    Args:
        users: Password and permissions by name, of services and of whoever is trusted as they are.
        outsiders: Password and tenant by name, of those who ask for evaluations over the bus.
    """
    inside = "".join(_block(name, password, allowed) for name, (password, allowed) in users.items())
    outside = "".join(
        _account(name, _block(name, password, submitter_permissions(name, tenant)), subjects.request(tenant))
        for name, (password, tenant) in outsiders.items()
    )
    export = json.dumps(f"{ROOT}.request.*")
    return (
        f"accounts {{\n  {ACCOUNT} {{\n    jetstream: enabled\n    exports = [ {{ service: {export} }} ]\n"
        f"    users = [\n{inside}    ]\n  }}\n{outside}}}\n"
    )


def _account(name: str, user: str, subject: str) -> str:
    imported = f"{{ service: {{ account: {ACCOUNT}, subject: {json.dumps(subject)} }} }}"
    return f"  {json.dumps(f'outside-{name}')} {{\n    imports = [ {imported} ]\n    users = [\n{user}    ]\n  }}\n"


def _block(name: str, password: str, allowed: Permissions) -> str:
    publish, subscribe = (
        "\n".join(f"          {json.dumps(subject)}" for subject in each)
        for each in (allowed.publish, allowed.subscribe)
    )
    return (
        f"    {{\n      user: {json.dumps(name)}, password: {json.dumps(password)}\n      permissions: {{\n"
        f"        publish: {{ allow: [\n{publish}\n        ] }}\n"
        f"        subscribe: {{ allow: [\n{subscribe}\n        ] }}\n      }}\n    }}\n"
    )


def _of_control() -> tuple[str, ...]:
    """Control makes everything, moves everything on, and cannot take a task."""
    return (
        f"{API}.STREAM.LIST",
        f"{API}.STREAM.CREATE.*",
        f"{API}.STREAM.UPDATE.*",
        f"{API}.STREAM.INFO.*",
        f"{API}.STREAM.PURGE.{TASKS}",
        *(f"{API}.STREAM.MSG.DELETE.{stream}" for stream in (TASKS, DONE, DEAD, subjects.REQUESTS)),
        f"{API}.DIRECT.GET.>",
        f"{API}.STREAM.MSG.GET.*",
        f"{API}.CONSUMER.DURABLE.CREATE.*.*",
        f"{API}.CONSUMER.INFO.*.*",
        # Its followers, which the server keeps in memory only.
        *(
            f"{API}.CONSUMER.{operation}"
            for stream in (DONE, EVENTS, DEAD)
            for operation in (f"CREATE.{stream}.>", f"DELETE.{stream}.*", f"MSG.NEXT.{stream}.*")
        ),
        *_take(REQUEST_CONSUMER),
        *_take(DEAD_CONSUMER),
        *(f"{ROOT}.{kind}.>" for kind in ("task", "done", "event", "dead")),
        f"$KV.{STATES_BUCKET}.>",
    )


def _of_worker(service: str, stage: Stage) -> tuple[str, ...]:
    consumer = subjects.stage_consumer(stage, 0)
    shared = [LIMITS_BUCKET] if service in ASK_MODELS else []
    shared += [CLAIMS_BUCKET] if service == "knowledge" else []
    downloads = (f"{ROOT}.download.*.*",) if stage is Stage.PREPARE else ()
    buckets = [f"KV_{bucket}" for bucket in (STATES_BUCKET, *shared)]
    return (
        f"{API}.STREAM.LIST",
        f"{API}.CONSUMER.INFO.{consumer.stream}.{consumer.durable}",
        f"{API}.CONSUMER.DURABLE.CREATE.{consumer.stream}.{consumer.durable}",
        *_take(consumer),
        # After a crash of the server an acknowledgement may have to be made good by hand.
        f"{API}.STREAM.INFO.{TASKS}",
        f"{API}.STREAM.MSG.GET.{TASKS}",
        f"{API}.DIRECT.GET.{TASKS}",  # which a worker of the previous version asks
        f"{API}.STREAM.MSG.DELETE.{TASKS}",
        *_read(DONE),
        # Whether a message whose confirmation was lost has arrived.
        *(f"{API}.STREAM.MSG.GET.{stream}" for stream in (DONE, DEAD, *(f"KV_{bucket}" for bucket in shared))),
        f"{API}.DIRECT.GET.KV_{COMPONENTS_BUCKET}.>",
        f"{ROOT}.done.*.{stage.value}.*",
        f"{ROOT}.dead.*.{stage.value}.*",
        *downloads,
        *(subject for bucket in buckets for subject in _read(bucket)),
        *(f"$KV.{bucket}.>" for bucket in shared),
    )


def _take(consumer: ConsumerSpec) -> tuple[str, ...]:
    return (
        f"{API}.CONSUMER.MSG.NEXT.{consumer.stream}.{consumer.durable}",
        f"$JS.ACK.{consumer.stream}.{consumer.durable}.>",
    )


def _read(stream: str) -> tuple[str, ...]:
    return (f"{API}.DIRECT.GET.{stream}", f"{API}.DIRECT.GET.{stream}.>")
