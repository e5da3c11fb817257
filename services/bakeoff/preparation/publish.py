"""Store a draft: originals first, then the parts, and the manifest last, since a prepared benchmark is its manifest."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from bakeoff.contract import object_keys, stored
from bakeoff.domain.errors import DigestMismatchError, InvalidInputError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.identity import digest_of, sha256_hex
from bakeoff.domain.prepared import PreparedManifest
from bakeoff.preparation.draft import CASES_PER_PART, Draft
from bakeoff.preparation.originals import Original
from bakeoff.preparation.spool import Part
from bakeoff.runtime.objects import ObjectStore

THREADS = 4  # an upload waits for the store most of its time; more would only queue there


def publish(draft: Draft, objects: ObjectStore) -> ObjectRef:
    """Store a draft and return its manifest. What is there already is not stored again.

    Raises:
        InvalidInputError: a file was changed while it was read.
        DigestMismatchError: the store has other bytes under a key of this fingerprint.
    """
    uploads = _Uploads(fingerprint(draft))
    manifest = _manifest(draft, uploads)
    data = stored.encode(manifest)
    ref = ObjectRef(object_keys.prepared_manifest(manifest.fingerprint), sha256_hex(data), len(data))
    there = objects.stat(ref.key)
    if there is not None and there.sha256 == ref.sha256:
        return ref
    blobs = {original.prepared.blob_key: original for original in draft.originals}
    with ThreadPoolExecutor(THREADS, thread_name_prefix="publish") as pool:
        _all(pool.map(lambda original: _put_original(original, objects), blobs.values()))
        _all(pool.map(lambda upload: _put_part(upload, objects), uploads.made))
    _expect(objects.create(ref.key, data, media_type=stored.JSON).ref, ref)
    return ref


def fingerprint(draft: Draft) -> str:
    """Return the digest over everything that a prepared benchmark is; where it lay is no part of that."""
    return digest_of(
        {
            "benchmark": draft.benchmark,
            "adapter": str(draft.adapter),
            "adapter_version": draft.adapter_version,
            "evaluators": [str(spec) for spec in draft.evaluators],
            "originals": [part.sha256 for part in draft.original_parts],
            "documents": [part.sha256 for part in draft.document_parts],
            "cases": [part.sha256 for part in draft.case_parts],
            "examples": [part.sha256 for part in draft.example_parts],
            "units": draft.units.sha256,
            "quality": draft.quality.sha256,
            "resources": draft.resources,
        }
    )


@dataclass(frozen=True, slots=True)
class _Upload:
    part: Part
    ref: ObjectRef


class _Uploads:
    """Gives each part its key, and remembers what is to be stored."""

    def __init__(self, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self.made: list[_Upload] = []

    def parts(self, kind: str, parts: Iterable[Part]) -> tuple[ObjectRef, ...]:
        keys = (object_keys.prepared_part(self.fingerprint, kind, number) for number in range(1_000_000))
        return tuple(self._add(key, part) for key, part in zip(keys, parts, strict=False))

    def file(self, name: str, part: Part) -> ObjectRef:
        return self._add(object_keys.prepared_file(self.fingerprint, name), part)

    def _add(self, key: str, part: Part) -> ObjectRef:
        ref = ObjectRef(key, part.sha256, part.size_bytes)
        self.made.append(_Upload(part, ref))
        return ref


def _manifest(draft: Draft, uploads: _Uploads) -> PreparedManifest:
    return PreparedManifest(
        fingerprint=uploads.fingerprint,
        benchmark=draft.benchmark,
        adapter=draft.adapter,
        adapter_version=draft.adapter_version,
        evaluators=draft.evaluators,
        originals=len(draft.originals),
        documents=draft.documents,
        cases=draft.cases,
        original_parts=uploads.parts("originals", draft.original_parts),
        document_parts=uploads.parts("documents", draft.document_parts),
        case_parts=uploads.parts("cases", draft.case_parts),
        cases_per_part=CASES_PER_PART,
        units=uploads.file("units.json", draft.units),
        quality=uploads.file("quality.json", draft.quality),
        needs_texts=draft.needs_texts,
        resources=draft.resources,
        examples=draft.examples,
        example_parts=uploads.parts("examples", draft.example_parts),
    )


def _put_original(original: Original, objects: ObjectStore) -> None:
    prepared = original.prepared
    created = objects.create_from_file(prepared.blob_key, original.path, media_type=prepared.media_type)
    if created.ref.sha256 != prepared.sha256:
        objects.delete(prepared.blob_key)
        raise InvalidInputError(f"{str(original.path)!r} was changed while it was prepared; prepare it again")


def _put_part(upload: _Upload, objects: ObjectStore) -> None:
    _expect(objects.create_from_file(upload.ref.key, upload.part.path, media_type=stored.JSON).ref, upload.ref)


def _expect(found: ObjectRef, wanted: ObjectRef) -> None:
    if found.sha256 != wanted.sha256:
        raise DigestMismatchError(f"{wanted.key} should have SHA-256 {wanted.sha256}, but has {found.sha256}")


def _all(results: Iterable[None]) -> None:
    """Wait for all, and let the first error pass."""
    for _ in results:
        pass
