"""Addresses that a download may not go to."""

from __future__ import annotations

import pytest

from bakeoff.domain.errors import InvalidInputError
from bakeoff.preparation.addresses import check_address, check_host


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "::1",
        "::",
        "fe80::1%eth0",
        "fd00::1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
    ],
)
def test_addresses_inside_of_networks_are_refused(address: str) -> None:
    with pytest.raises(InvalidInputError, match="no public address; set BAKEOFF_ALLOW_PRIVATE_ADDRESSES"):
        check_address("http://harbour.example/", address)


@pytest.mark.parametrize("address", ["8.8.8.8", "130.83.47.181", "2001:4860:4860::8888", "::ffff:8.8.8.8"])
def test_public_addresses_are_allowed(address: str) -> None:
    check_address("http://harbour.example/", address)


@pytest.mark.parametrize("host", ["localhost", "127.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]"])
def test_however_the_own_machine_is_written_it_is_refused(host: str) -> None:
    with pytest.raises(InvalidInputError, match="leads to"):
        check_host(f"http://{host}:8080/data.zip")


def test_an_address_without_a_host_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="names no host"):
        check_host("http:///data.zip")
