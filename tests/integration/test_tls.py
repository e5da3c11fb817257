"""gRPC over TLS: services and clients believe their authority alone, and show certificates where they are asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bakeoff.client import AsyncClient, Client
from bakeoff.domain.errors import InvalidInputError, UnauthenticatedError, UnavailableError
from bakeoff.domain.evaluation import EvaluationState
from bakeoff.runtime.openness import check_openness, is_loopback
from bakeoff.runtime.settings import Settings
from bakeoff.runtime.tls import channel_credentials, server_credentials
from bakeoff.runtime.tokens import Tokens
from tests.integration.guarded_platform import GuardedPlatform, guarded_platform, quick_start
from tests.integration.self_made import Pair, an_authority, vouched_for

pytestmark = pytest.mark.timeout(180)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return an_authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def platform(authority: Pair, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedPlatform]:
    """A platform whose services show each other certificates, and ask clients for theirs."""
    folder = tmp_path_factory.mktemp("tls")
    own = vouched_for(folder, "services", authority)
    settings = Settings(
        tls_certificate=str(own.certificate), tls_key=str(own.key), tls_ca=str(authority.certificate), tls_clients=True
    )
    with guarded_platform(folder, settings) as running:
        yield running


def test_an_evaluation_works_over_mutual_tls_from_the_client_to_the_last_service(platform: GuardedPlatform) -> None:
    with platform.client("acme") as acme:
        name = acme.submit(quick_start("Sealed"))[0].evaluation_id
        *_, ended = acme.watch(name)
        assert ended.state is EvaluationState.COMPLETED, ended.reason
        assert b"".join(acme.report_file(name, "json")).startswith(b"{")


def test_who_shows_no_certificate_or_believes_another_authority_is_not_served(
    platform: GuardedPlatform, authority: Pair, tmp_path: Path
) -> None:
    stranger = an_authority(tmp_path, "stranger")
    theirs = vouched_for(tmp_path, "theirs", stranger)
    token = platform.tokens["acme"]
    wrong = [
        Settings(token=token),
        Settings(token=token, tls_ca=str(authority.certificate)),
        Settings(token=token, tls_ca=str(stranger.certificate)),
        Settings(
            token=token,
            tls_ca=str(authority.certificate),
            tls_certificate=str(theirs.certificate),
            tls_key=str(theirs.key),
        ),
    ]
    for settings in wrong:
        with Client(platform.address, settings) as client, pytest.raises(UnavailableError):
            client.components()


def test_both_clients_take_tls_by_their_arguments_and_from_the_environment(
    platform: GuardedPlatform, authority: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = vouched_for(tmp_path, "ann", authority)
    token, files = (
        platform.tokens["acme"],
        {"certificate": own.certificate, "key": own.key, "ca": authority.certificate},
    )
    given: dict[str, Any] = {f"tls_{name}": str(file) for name, file in files.items()}

    async def awaited(client: AsyncClient) -> str:
        async with client:
            status = await client.wait((await client.submit(quick_start("Sealed and awaited"))).status.evaluation_id)
            report = await client.report(status.evaluation_id)
            assert [each.evaluation_id async for each in client.evaluations()].count(status.evaluation_id) == 1
            return report.name

    with Client(platform.address, token=token, **given) as client:
        assert client.components()
        name = client.wait(client.submit(quick_start("Sealed by arguments")).status.evaluation_id).evaluation_id
        assert client.report(name).name == "Sealed by arguments"
        assert client.save_report(name, tmp_path / "report", ["json"])[0].read_bytes().startswith(b"{")

    async def by_arguments() -> str:
        return await awaited(AsyncClient(platform.address, token=token, **given))

    assert asyncio.run(by_arguments()) == "Sealed and awaited"

    for variable, value in {**given, "token": token, "server": platform.address}.items():
        monkeypatch.setenv(f"BAKEOFF_{variable.upper()}", value)

    async def from_environment() -> str:
        return await awaited(AsyncClient.from_environment())

    with Client.from_environment() as client:
        assert client.get(name).tenant == "acme"
    assert asyncio.run(from_environment()) == "Sealed and awaited"


def test_an_awaiting_client_is_not_served_without_a_certificate_or_by_another_authority(
    platform: GuardedPlatform, authority: Pair, tmp_path: Path
) -> None:
    stranger = an_authority(tmp_path, "stranger")

    async def ask(**given: str | bool) -> None:
        async with AsyncClient(platform.address, token=platform.tokens["acme"], **given) as client:  # type: ignore[arg-type]
            await client.components()

    for given in ({}, {"tls": True}, {"tls_ca": str(authority.certificate)}, {"tls_ca": str(stranger.certificate)}):
        with pytest.raises(UnavailableError, match=platform.address):
            asyncio.run(ask(**given))


def test_where_no_certificate_is_asked_for_the_authority_and_a_token_are_enough(
    authority: Pair, tmp_path: Path
) -> None:
    own = vouched_for(tmp_path, "services", authority)
    settings = Settings(tls_certificate=str(own.certificate), tls_key=str(own.key), tls_ca=str(authority.certificate))
    with guarded_platform(tmp_path, settings) as running:
        token, tls_ca = running.tokens["acme"], str(authority.certificate)
        with Client(running.address, token=token, tls_ca=tls_ca) as client:
            assert list(client.evaluations()) == []
        with Client(running.address, tls_ca=tls_ca) as client, pytest.raises(UnauthenticatedError):
            client.components()

        async def ask() -> list[str]:
            async with AsyncClient(running.address, token=token, tls_ca=tls_ca) as client:
                return [each.evaluation_id async for each in client.evaluations()]

        assert asyncio.run(ask()) == []
        with Client(running.address, token=token) as plain, pytest.raises(UnavailableError):
            plain.components()


def test_settings_of_tls_that_do_not_go_together_are_refused(authority: Pair) -> None:
    pem, key = str(authority.certificate), str(authority.key)
    wrong = [
        (Settings(tls_certificate=pem), "BAKEOFF_TLS_KEY is not set"),
        (Settings(tls_certificate=pem, tls_key=key, tls_clients=True), "needs BAKEOFF_TLS_CA"),
        (Settings(tls_clients=True), "needs BAKEOFF_TLS_CERTIFICATE"),
        (Settings(tls_certificate=pem, tls_key="/nowhere"), "'/nowhere' cannot be read"),
        (Settings(tls_certificate=pem, tls_key="/etc/hostname"), "is no PEM"),
    ]
    for settings, words in wrong:
        with pytest.raises(InvalidInputError) as error:
            server_credentials(settings)
        assert words in str(error.value)
    assert server_credentials(Settings()) is None
    assert channel_credentials(Settings()) is None
    assert channel_credentials(Settings(tls=True)) is not None


def test_a_server_for_other_machines_asks_for_tokens_or_is_refused(tmp_path: Path) -> None:
    check_openness("127.0.0.1:7601", Tokens(), Settings())
    for listen in ("0.0.0.0:7600", "[::]:7600", "10.1.2.3:7600", "host.example:7600", ":7600"):
        with pytest.raises(InvalidInputError, match="nothing asks who calls"):
            check_openness(listen, Tokens(), Settings())
        check_openness(listen, Tokens(), Settings(allow_anonymous=True))
    assert is_loopback("[::1]:1")
    assert is_loopback("localhost:1")
    assert not is_loopback("127.0.0.1.example:1")
    file = tmp_path / "tokens.json"
    file.write_text("{}")
    tokens = Tokens(str(file), "")
    with pytest.raises(InvalidInputError, match="BAKEOFF_SERVICE_TOKEN"):
        check_openness("0.0.0.0:7600", tokens, replace(Settings(), tokens_file=str(file)))
