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
"""Sets that are one corpus with open data. CQADupStack is twelve, so each of its folders is a set of its own."""
SELF_RETRIEVAL = frozenset({"arguana", "quora"})
"""Sets whose queries are documents of the corpus: finding itself is no merit (metric rules of BEIR)."""
ARCHIVES = (".zip", ".tar.gz", ".tgz", ".tar", ".tar.bz2", ".tar.xz")


def address_of(name: str) -> str:
    """Return where a public set can be downloaded."""
    return DOWNLOAD.format(name=name)


def hint(source: str) -> str:
    """Return what to say beside "does not exist": the public set that was probably meant; of a bare name, all sets."""
    near = difflib.get_close_matches(set_name(source).lower(), PUBLIC, n=1, cutoff=0.75)
    meant = f"; did you mean the public set {near[0]!r}?" if near else ""
    return meant if "/" in source else f"{meant} (public sets: {', '.join(PUBLIC)})"


def set_name(source: str) -> str:
    """Return the name of a set from its path, address or public name: the last part without an archive's ending."""
    path = urlsplit(source).path if "://" in source else source
    name = PurePosixPath(path.rstrip("/")).name
    ending = next((ending for ending in ARCHIVES if name.lower().endswith(ending)), "")
    return name[: len(name) - len(ending)] or "beir"
