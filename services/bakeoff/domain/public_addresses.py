"""Which network addresses are public."""

from __future__ import annotations

import ipaddress

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
NAT64 = ipaddress.ip_network("64:ff9b::/96")


def is_public(text: str) -> bool:
    """Return whether an IP address, perhaps with a zone such as `%eth0`, is one of the public network.

    Raises:
        ValueError: it is no IP address.
    """
    address = _embedded(ipaddress.ip_address(text.partition("%")[0]))
    return address.is_global and not address.is_multicast


def _embedded(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 one stands for (mapped, 6to4, NAT64), or the address itself."""
    if isinstance(address, ipaddress.IPv6Address):
        if address in NAT64:
            return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        return address.ipv4_mapped or address.sixtofour or address
    return address
