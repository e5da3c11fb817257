"""Streams, consumers and buckets as JetStream wants them described, and how they come to be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bakeoff.contract.subjects import ConsumerSpec, Retention, StreamSpec
from bakeoff.domain.errors import InvalidInputError, OutOfReachError
from bakeoff.runtime.bus_rules import stream_for
from bakeoff.runtime.nats_api import NAME_TAKEN, RefusedError, call
from bakeoff.runtime.nats_connection import NatsConnection

NANOSECONDS = 1_000_000_000
DUPLICATE_WINDOW_S = 30.0  # outlives every retry of a publish; longer costs the server memory
WORK_QUEUE = "workqueue"
BUCKET_STREAM = "KV_"
BUCKET_SUBJECT = "$KV."


class NatsStreams:
    """Knows which streams there are, and creates those that are missing."""

    def __init__(self, connection: NatsConnection, replicas: int, *, makes: bool = True) -> None:
        """Work on a server.

        Args:
            connection: To it.
            replicas: Copies of every stream, 1 to 5.
            makes: Whether its user may make streams; others wait for those who may.
        """
        self._makes = makes
        self._connection = connection
        self._replicas = replicas
        self._subjects: dict[str, tuple[str, ...]] = {}
        self._work_queues: set[str] = set()

    async def ensure(
        self, streams: Sequence[StreamSpec], consumers: Sequence[ConsumerSpec], buckets: Sequence[str]
    ) -> None:
        """Create what is missing and bring what differs to the given shape.

        Raises:
            InvalidInputError: the server refuses a shape; the message has its reason.
            OutOfReachError: its user may make nothing, and something is not there yet.
        """
        if not self._makes:
            await self._find([spec.name for spec in streams] + [BUCKET_STREAM + bucket for bucket in buckets])
            return
        for spec in streams:
            await self._ensure_stream(stream_config(spec, self._replicas))
        for bucket in buckets:
            await self._ensure_stream(bucket_config(bucket, self._replicas))
        for consumer in consumers:
            await self.ensure_consumer(consumer)

    async def ensure_consumer(self, spec: ConsumerSpec) -> dict[str, Any]:
        """Create or change a consumer, and return the server's information about it.

        Raises:
            InvalidInputError: the server refuses it: the stream does not exist, or another consumer of a work queue
                has a filter that overlaps.
        """
        request = {"stream_name": spec.stream, "config": consumer_config(spec)}
        try:
            return await call(self._connection, f"CONSUMER.DURABLE.CREATE.{spec.stream}.{spec.durable}", request)
        except RefusedError as error:
            raise InvalidInputError(
                f"the bus refuses the consumer {spec.durable} of the stream {spec.stream}: {error}"
            ) from error

    async def of(self, filter: str) -> str:
        """Return the stream that holds a subject, or what is under a filter.

        Raises:
            InvalidInputError: there is none, or there are several.
            OutOfReachError: there may be one, but streams are there that nobody leads now.
        """
        found = stream_for(filter, self._subjects.items())
        if not found:
            leaderless = await self._learn()
            found = stream_for(filter, self._subjects.items())
            if not found and leaderless:
                raise self._connection.out_of_reach(f"nobody leads {', '.join(leaderless)}")
        if not found:
            raise InvalidInputError(
                f"no stream of the bus at {self._connection.address} holds the subject {filter!r}; "
                f"there are: {', '.join(sorted(self._subjects)) or 'none'}"
            )
        return found

    async def exists(self, filter: str) -> bool:
        """Say whether the server has a stream for a subject now, whatever was known before.

        In doubt it has: a stream of a cluster that nobody leads for a moment does not say what it holds.
        """
        self._subjects.clear()
        leaderless = await self._learn()
        return bool(leaderless) or stream_for(filter, self._subjects.items()) is not None

    async def is_work_queue(self, stream: str) -> bool:
        """Say whether a stream lets go of what is acknowledged."""
        if stream not in self._subjects:
            await self._learn()
        return stream in self._work_queues

    async def _ensure_stream(self, config: dict[str, Any]) -> None:
        name = config["name"]
        try:
            try:
                await call(self._connection, f"STREAM.CREATE.{name}", config)
            except RefusedError as error:
                if error.err_code != NAME_TAKEN:
                    raise
                await call(self._connection, f"STREAM.UPDATE.{name}", config)
        except RefusedError as error:
            raise InvalidInputError(f"the bus refuses the stream {name}: {error}") from error
        self._remember(config)

    async def _find(self, names: Sequence[str]) -> None:
        await self._learn()
        lacking = [name for name in names if name not in self._subjects]
        if lacking:
            there = self._connection.address
            raise OutOfReachError(f"the bus at {there} has no {', '.join(lacking)} yet; the control service makes them")

    async def _learn(self) -> list[str]:
        """Ask for all streams; return the names of those that cannot be described, because nobody leads them now."""
        leaderless: list[str] = []
        offset, total = 0, 1
        while offset < total:
            page = await call(self._connection, "STREAM.LIST", {"offset": offset})
            streams = page.get("streams") or []
            for stream in streams:
                self._remember(stream["config"])
            leaderless += page.get("missing") or []
            offset, total = offset + len(streams), page["total"] if streams else 0
        return leaderless

    def _remember(self, config: dict[str, Any]) -> None:
        self._subjects[config["name"]] = tuple(config.get("subjects") or ())
        if config["retention"] == WORK_QUEUE:
            self._work_queues.add(config["name"])


def stream_config(spec: StreamSpec, replicas: int) -> dict[str, Any]:
    """Return a stream's description."""
    age = int((spec.max_age_s or 0) * NANOSECONDS)
    window = int(DUPLICATE_WINDOW_S * NANOSECONDS)
    config: dict[str, Any] = {
        "name": spec.name,
        "subjects": list(spec.subjects),
        "retention": WORK_QUEUE if spec.retention is Retention.WORK_QUEUE else "limits",
        "storage": "file",
        "num_replicas": replicas,
        "max_age": age,
        "duplicate_window": min(window, age) if age else window,
        "allow_direct": True,
        "discard": "old",
        "max_msgs_per_subject": -1,
        "max_msgs": -1,
        "max_bytes": -1,
        "max_consumers": -1,
    }
    if spec.one_per_subject:
        config |= {"discard": "new", "discard_new_per_subject": True, "max_msgs_per_subject": 1}
    return config


def bucket_config(bucket: str, replicas: int) -> dict[str, Any]:
    """Return the description of the stream behind a bucket, as every NATS client makes it."""
    return {
        "name": BUCKET_STREAM + bucket,
        "subjects": [f"{BUCKET_SUBJECT}{bucket}.>"],
        "retention": "limits",
        "storage": "file",
        "num_replicas": replicas,
        "duplicate_window": int(DUPLICATE_WINDOW_S * NANOSECONDS),
        "allow_direct": True,
        "allow_rollup_hdrs": True,
        "deny_delete": True,
        "discard": "new",
        "max_msgs_per_subject": 1,
        "max_msgs": -1,
        "max_bytes": -1,
        "max_consumers": -1,
    }


def consumer_config(spec: ConsumerSpec) -> dict[str, Any]:
    """Return a consumer's description. It has no `backoff`: that would take the place of the ack wait."""
    return {
        "durable_name": spec.durable,
        "filter_subject": spec.filter,
        "deliver_policy": "all",
        "ack_policy": "explicit",
        "replay_policy": "instant",
        "ack_wait": int(spec.ack_wait_s * NANOSECONDS),
        "max_deliver": spec.max_deliver,
        "max_ack_pending": spec.max_ack_pending,
    }
