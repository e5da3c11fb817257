"""The public BEIR sets: their names, where they are, and which leave out a query's own document."""

from __future__ import annotations

import difflib
from pathlib import PurePosixPath
from urllib.parse import urlsplit

HOMEPAGE = "https://github.com/beir-cellar/beir"
CITATION = "Thakur et al. 2021, BEIR, arXiv:2104.08663"
DOWNLOAD = "https://public.ukp.informatik.tu-darmstadt.de/thakur/BEIR/datasets/{name}.zip"
PUBLIC = (
    "arguana",
    "climate-fever",
    "dbpedia-entity",
    "fever",
    "fiqa",
    "hotpotqa",
    "msmarco",
    "nfcorpus",
    "nq",
    "quora",
    "scidocs",
    "scifact",
    "trec-covid",
    "webis-touche2020",
)
"""Sets that are one corpus with open data."""
FORUMS = (
    "android",
    "english",
    "gaming",
    "gis",
    "mathematica",
    "physics",
    "programmers",
    "stats",
    "tex",
    "unix",
    "webmasters",
    "wordpress",
)
"""CQADupStack is twelve sets in one archive: `cqadupstack/android` and so on."""
CQADUPSTACK = "cqadupstack"
SELF_RETRIEVAL = frozenset({"arguana", "quora"})
"""Sets whose queries are documents of the corpus: finding itself is no merit (metric rules of BEIR)."""
ARCHIVES = (".zip", ".tar.gz", ".tgz", ".tar", ".tar.bz2", ".tar.xz")


def names() -> list[str]:
    """Return the names of all public sets."""
    return [*PUBLIC, *(f"{CQADUPSTACK}/{forum}" for forum in FORUMS)]


def is_public(name: str) -> bool:
    """Return whether a name is that of a public set."""
    first, _, forum = name.lower().partition("/")
    return name.lower() in PUBLIC or (first == CQADUPSTACK and forum in FORUMS)


def address_of(name: str) -> str:
    """Return where a public set can be downloaded."""
    return DOWNLOAD.format(name=name.lower().partition("/")[0])


def folder_of(name: str) -> str:
    """Return the folder of a public set in its archive, where that holds several; empty when it holds one."""
    return name.lower().partition("/")[2]


def hint(source: str) -> str:
    """Return what to say beside "does not exist": the public set that was probably meant; of a bare name, all sets."""
    if source.lower().partition("/")[0] == CQADUPSTACK:
        return f"; CQADupStack is twelve sets: {', '.join(f'{CQADUPSTACK}/{forum}' for forum in FORUMS)}"
    near = difflib.get_close_matches(set_name(source).lower(), PUBLIC, n=1, cutoff=0.75)
    meant = f"; did you mean the public set {near[0]!r}?" if near else ""
    return meant if "/" in source else f"{meant} (public sets: {', '.join(PUBLIC)})"


def set_name(source: str) -> str:
    """Return the name of a set from its path, address or public name: the last part without an archive's ending."""
    if is_public(source):
        return source.lower().replace("/", "-")
    path = urlsplit(source).path if "://" in source else source
    name = PurePosixPath(path.rstrip("/")).name
    ending = next((ending for ending in ARCHIVES if name.lower().endswith(ending)), "")
    return name[: len(name) - len(ending)] or "beir"
