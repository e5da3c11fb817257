"""Transactions on a PostgreSQL server, and its errors told apart."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from queue import Empty, Full, LifoQueue
from typing import Any

from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.knowledge.outside_errors import IndexUnavailableError
from bakeoff.knowledge.postgres_address import SETTING, PostgresAddress, postgres_address

LACKING = "the package pg8000 is not installed: pip install 'bakeoff[pgvector]'"
IDLE = 4
"""Connections that a process keeps for the next search, over all knowledge bases."""
CONNECT_S = 10.0
ANSWER_S = 120.0
"""How long a statement may keep us waiting, unless it builds something: a server whose machine is gone says nothing."""
SCHEMA = "bakeoff_"
LONGEST_NAME = 48
"""Characters of a knowledge base's name: an identifier has 63."""
WRONG = ("28", "3D", "42501", "0A", "58P01", "22", "42704")
"""SQL states of what stays wrong: who may come in, the database, rights, an extension that is not there, values."""
AWAY = ("08", "53", "57P", "57014", "40", "55P03", "58")
"""SQL states of what passes: connection, resources, shutdown, cancellation, conflicts, locks, the machine."""
GONE = ("42P01", "3F000")


class PostgresServer:
    """A server with the extension pgvector; thread-safe. Connections are opened when they are needed."""

    def __init__(self, url: str) -> None:
        """Say where it is; nothing is connected yet.

        Args:
            url: `postgresql://user:password@host:port/database?sslmode=…&sslrootcert=…`.

        Raises:
            InvalidInputError: it is no such URL, or the package that speaks to servers is not installed.
        """
        require_pg8000()
        self._address: PostgresAddress = postgres_address(url)
        self._idle: LifoQueue[Any] = LifoQueue(IDLE)

    def __repr__(self) -> str:
        """Print without password."""
        return f"PostgresServer({self._address})"

    @contextmanager
    def transaction(self, patience_s: float | None = ANSWER_S) -> Iterator[Transaction]:
        """Open a transaction, committed at the end of the block and undone by what it raises.

        Args:
            patience_s: Seconds that the server may be silent; None means for ever.

        Raises:
            InvalidInputError: the server refuses the user, the database, the rights, or what it is told.
            NotFoundError: a table or schema is not there.
            IndexUnavailableError: it does not answer, or not now.
        """
        with self._told_apart():
            connection = self._begun()
            try:
                # The library has one timeout, for connecting and for everything after it.
                connection._usock.settimeout(patience_s)
                yield Transaction(connection)
                connection.run("COMMIT")
            except BaseException:
                # Closing undoes the transaction whatever state the connection is in.
                with contextlib.suppress(Exception):
                    connection.close()
                raise
            self._keep(connection)

    def drop(self, name: str) -> None:
        """Remove all that a knowledge base has on the server; no error when there is nothing."""
        with self.transaction() as transaction:
            transaction.run(f'DROP SCHEMA IF EXISTS "{schema_of(name)}" CASCADE')

    def close(self) -> None:
        """Close the connections that nobody uses."""
        with contextlib.suppress(Empty):
            while True:
                self._idle.get_nowait().close()

    def _begun(self) -> Any:
        """Return a connection in a transaction: one that was kept, if the server has not closed it since."""
        with contextlib.suppress(Empty):
            while True:
                kept = self._idle.get_nowait()
                try:
                    kept.run("BEGIN")
                except Exception:
                    with contextlib.suppress(Exception):
                        kept.close()
                else:
                    return kept
        connection = self._connected()
        connection.run("BEGIN")
        return connection

    def _connected(self) -> Any:
        from pg8000.native import Connection

        address = self._address
        where = {"unix_sock": address.socket} if address.socket else {"host": address.host, "port": address.port}
        return Connection(
            address.user,
            password=address.password or None,
            database=address.database,
            ssl_context=address.tls(),
            timeout=CONNECT_S,
            application_name="bakeoff",
            **where,
        )

    def _keep(self, connection: Any) -> None:
        try:
            self._idle.put_nowait(connection)
        except Full:
            connection.close()

    @contextmanager
    def _told_apart(self) -> Iterator[None]:
        from pg8000.exceptions import DatabaseError, InterfaceError

        try:
            yield
        except (DatabaseError, InterfaceError, OSError) as error:
            told = _told(error)
            state, said = told.get("C", ""), told.get("M", "")
            if state.startswith(GONE):
                raise NotFoundError(
                    f"PostgreSQL at {self._address}: {said}; delete the knowledge base and build it again"
                ) from error
            if state.startswith(WRONG):
                raise InvalidInputError(f"PostgreSQL at {self._address} ({SETTING}) refuses: {said}") from error
            if state.startswith(AWAY):
                raise IndexUnavailableError(f"PostgreSQL at {self._address}: {said}") from error
            if state:
                raise
            said = f"{error}: {error.__cause__}" if error.__cause__ else str(error)
            raise IndexUnavailableError(f"PostgreSQL at {self._address} does not answer: {said}") from error


def _told(error: BaseException) -> dict[str, str]:
    """Return what the server said, by letter as its protocol has it; empty when it said nothing.

    When it ends a connection with an error, the library may meet the end while it deals with the error.
    """
    met: BaseException | None = error
    while met is not None:
        if met.args and isinstance(met.args[0], dict):
            return met.args[0]
        met = met.__context__
    return {}


class Transaction:
    """What is done together or not at all."""

    def __init__(self, connection: Any) -> None:
        """Take a connection in a transaction."""
        self._connection = connection

    def run(self, sql: str, *, stream: Iterable[bytes] | None = None, **values: object) -> list[list[Any]]:
        """Run a statement and return its rows.

        Args:
            sql: With `:name` for each value.
            stream: What a COPY is given, piece by piece.
            values: By name.
        """
        return list(self._connection.run(sql, stream=stream, **values) or ())


def schema_of(name: str) -> str:
    """Return the schema of a knowledge base.

    Raises:
        InvalidInputError: the name cannot be one.
    """
    if not re.fullmatch(r"[A-Za-z0-9_-]+", name) or len(name) > LONGEST_NAME:
        raise InvalidInputError(
            f"a knowledge base in PostgreSQL cannot be named {name!r}: 1 to {LONGEST_NAME} letters, digits, _ and -"
        )
    return SCHEMA + name


def require_pg8000() -> None:
    """Check that servers can be spoken to.

    Raises:
        InvalidInputError: the library is not installed.
    """
    if find_spec("pg8000") is None:
        raise InvalidInputError(LACKING)
