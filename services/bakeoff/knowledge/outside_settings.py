"""What the operator's settings say of indexes that lie outside of knowledge bases' files."""

from __future__ import annotations

from importlib.util import find_spec

from bakeoff.knowledge import lance_store, postgres_server
from bakeoff.knowledge.lance_store import LanceStore
from bakeoff.knowledge.outside import Outside
from bakeoff.knowledge.postgres_address import SETTING
from bakeoff.knowledge.postgres_server import PostgresServer
from bakeoff.runtime.settings import Settings

NO_SERVER = f"no PostgreSQL server is configured; the operator sets {SETTING} for the knowledge service"


def outside_of(settings: Settings) -> Outside:
    """Return where indexes may lie: in the platform's bucket, and on the operator's server.

    Raises:
        InvalidInputError: the address of the server is none.
    """
    options = {
        "aws_endpoint": settings.s3_endpoint,
        "aws_access_key_id": settings.s3_access_key,
        "aws_secret_access_key": settings.s3_secret_key,
        "aws_region": settings.s3_region,
        "allow_http": str(settings.s3_endpoint.startswith("http://")).lower(),
        "aws_virtual_hosted_style_request": "false",
    }
    server = PostgresServer(settings.postgres_url) if settings.postgres_url else None
    return Outside(LanceStore(f"s3://{settings.s3_bucket}", options), server)


def lacking_outside(settings: Settings) -> dict[str, str]:
    """Return why indexes cannot be had here, by name; those that can are left out."""
    lacking = {}
    if find_spec("lancedb") is None:
        lacking["lance"] = lance_store.LACKING
    if find_spec("pg8000") is None:
        lacking["pgvector"] = postgres_server.LACKING
    elif not settings.postgres_url:
        lacking["pgvector"] = NO_SERVER
    return lacking
