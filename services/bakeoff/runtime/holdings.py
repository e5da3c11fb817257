"""What belongs to which tenant: evaluations by their requests, and what is shared by the benchmarks they use.

Originals, prepared benchmarks and knowledge bases are stored once for all tenants, under what they are. A tenant may
read those that its own evaluations use: the control service notes each benchmark that a plan uses under the tenant.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from bakeoff.contract import object_keys
from bakeoff.contract.stored import PreparedReader, decode
from bakeoff.domain.errors import NotFoundError
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.domain.prepared import IngestedOriginal, PreparedManifest
from bakeoff.runtime.callers import ALL_TENANTS, Caller
from bakeoff.runtime.objects import ObjectStore

REMEMBERED = 64
"""Benchmarks whose originals and units are kept in mind: a hundred thousand keys are some 20 MB."""


@dataclass(frozen=True, slots=True)
class _Contents:
    """What one prepared benchmark holds."""

    raw_keys: frozenset[str]
    documents_digests: frozenset[str]


@dataclass(frozen=True, slots=True)
class Holdings:
    """Tells what a caller may see. Thread-safe; every answer about something foreign is that it does not exist."""

    objects: ObjectStore
    _known: OrderedDict[str, _Contents] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note_benchmark(self, tenant: str, manifest: PreparedManifest) -> None:
        """Note that a tenant's evaluation uses a prepared benchmark; may be repeated."""
        benchmark = manifest.benchmark
        key = object_keys.tenant_benchmark(tenant, benchmark.name, benchmark.split, manifest.fingerprint)
        self.objects.create(key, b"{}", media_type="application/json")

    def evaluation(self, caller: Caller, evaluation_id: str, missing: str) -> None:
        """Check that an evaluation exists for a caller.

        Args:
            caller: Who asks.
            evaluation_id: An id that may stand in an object's key.
            missing: What is said when it does not.

        Raises:
            NotFoundError: it does not.
        """
        if caller.tenant == ALL_TENANTS:
            return
        try:
            request = decode(self.objects.read_key(object_keys.request(evaluation_id)), EvaluationRequest)
        except NotFoundError:
            raise NotFoundError(missing) from None
        if not caller.sees(request.tenant):
            raise NotFoundError(missing)

    def holds_benchmark(self, caller: Caller, name: str, split: str, fingerprint: str) -> bool:
        """Return whether a caller may see a prepared benchmark."""
        if caller.tenant == ALL_TENANTS:
            return True
        return self.objects.stat(object_keys.tenant_benchmark(caller.tenant, name, split, fingerprint)) is not None

    def holds_original(self, caller: Caller, raw_key: str) -> bool:
        """Return whether a caller may see an original, by its key in raw storage."""
        if caller.tenant == ALL_TENANTS:
            return True
        place = raw_key.removeprefix(object_keys.raw_prefix()).split("/")[:2]
        prefix = object_keys.tenant_benchmarks(caller.tenant) + "/".join([*place, ""])
        return any(
            raw_key in self._contents(info.key.rpartition("/")[2]).raw_keys for info in self.objects.list(prefix)
        )

    def holds_documents(self, caller: Caller, benchmark: str, split: str, documents_digest: str) -> bool:
        """Return whether a caller may see what was built of exactly these documents, such as a knowledge base."""
        if caller.tenant == ALL_TENANTS:
            return True
        found = self.objects.list(object_keys.tenant_benchmarks(caller.tenant, benchmark, split))
        return any(documents_digest in self._contents(info.key.rpartition("/")[2]).documents_digests for info in found)

    def _contents(self, fingerprint: str) -> _Contents:
        with self._lock:
            if fingerprint in self._known:
                self._known.move_to_end(fingerprint)
                return self._known[fingerprint]
        contents, complete = self._read(fingerprint)
        if complete:
            with self._lock:
                self._known[fingerprint] = contents
                while len(self._known) > REMEMBERED:
                    self._known.popitem(last=False)
        return contents

    def _read(self, fingerprint: str) -> tuple[_Contents, bool]:
        """Return what a benchmark holds, and whether all of it has been ingested."""
        manifest = decode(self.objects.read_key(object_keys.prepared_manifest(fingerprint)), PreparedManifest)
        digests = frozenset(unit.documents_digest for unit in PreparedReader(self.objects, manifest).units())
        keys: set[str] = set()
        complete = True
        for part in range(len(manifest.original_parts)):
            try:
                data = self.objects.read_key(object_keys.ingested_part(fingerprint, part))
            except NotFoundError:  # on its way
                complete = False
                continue
            keys.update(original.raw_key for original in decode(data, tuple[IngestedOriginal, ...]))
        return _Contents(frozenset(keys), digests), complete
