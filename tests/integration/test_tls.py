"""gRPC over TLS: services and clients believe their authority alone, and show certificates where they are asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.client import Client
from bakeoff.domain.errors import InvalidInputError, UnavailableError
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
