"""Storing a knowledge base that was built: its files first, its manifest last."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bakeoff.contract import object_keys
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.knowledge import KnowledgeBaseIdentity, KnowledgeBaseManifest, RemarkedDocument
from bakeoff.domain.prepared import IngestedOriginal, PreparedUnit
from bakeoff.domain.recipe import BuildPart
from bakeoff.knowledge.build import Built, build_lots
from bakeoff.knowledge.outside import Outside
from bakeoff.knowledge.parts import component_versions
from bakeoff.knowledge.shelf import PreparedBenchmark
from bakeoff.knowledge.stages import Stages
from bakeoff.knowledge.workers import Workers
from bakeoff.models.access import ModelAccess
from bakeoff.runtime.object_integrity import digest_of_file
from bakeoff.runtime.objects import ObjectStore

BUILT = "kb"
"""Folder in the scratch folder that then holds the files."""
WORTH_PROCESSES = 16 << 20
"""Effort, in bytes of plain text, from which processes take less time than starting them (0.5 s each) costs."""


@dataclass(frozen=True, slots=True)
class Resources:
    """What a build may use beside its input."""

    objects: ObjectStore
    """Where originals are and where the files go."""
    stages: Stages | None = None
    """Where artefacts of stages are kept; None keeps none."""
    processes: int = 1
    """That compute, from 1, which is this one."""
    plugins: tuple[str, ...] = ()
    """Modules that those processes import for their components."""
    models: ModelAccess | None = None
    """Opens what an embedder asks; None opens models that need no key."""
    outside: Outside = field(default_factory=Outside)
    """Where indexes may lie that are kept outside of the files."""


@dataclass(frozen=True, slots=True)
class StoredBuild:
    """A knowledge base whose files are stored."""

    manifest: KnowledgeBaseManifest
    work: dict[str, int]
    """What was done for it and what was there already, as in `Built`."""


def build_and_store(
    benchmark: PreparedBenchmark,
    unit: PreparedUnit,
    build: BuildPart,
    originals: Mapping[str, IngestedOriginal],
    *,
    resources: Resources,
    scratch: Path,
    step: Callable[[], None] = lambda: None,
) -> StoredBuild:
    """Build the knowledge base of a unit and store its files; the manifest is left to the caller.

    Args:
        benchmark: The prepared benchmark.
        unit: One of its units.
        build: How, with all settings filled in.
        originals: Where the unit's originals are, by id, and perhaps others.
        resources: What the build may use.
        scratch: An empty folder of this call's own; the files stay there under `BUILT`.
        step: Called before each long step; what it raises ends the build.

    Raises:
        InvalidInputError: an original was not ingested, or no document gave a chunk.
        NotFoundError: an original is gone from raw storage.
        DigestMismatchError: an original's bytes are others than were ingested.
    """
    kb_id = KnowledgeBaseIdentity(unit.documents_digest, build, component_versions(build)).kb_id
    lots = benchmark.lots_of(unit, originals, resources.objects)
    processes = resources.processes if resources.processes > 1 and lots.takes(WORTH_PROCESSES) else 1
    with Workers(processes, resources.plugins) as workers:
        built = build_lots(
            lots,
            build,
            scratch / BUILT,
            step=step,
            workers=workers,
            stages=resources.stages,
            models=resources.models,
            site=resources.outside.site(kb_id),
        )
    of = benchmark.manifest.benchmark
    manifest = KnowledgeBaseManifest(
        kb_id,
        of.name,
        of.split,
        unit.unit_id,
        unit.documents_digest,
        built.build,
        dict(sorted(built.versions.items())),
        built.documents,
        built.chunks,
        built.characters,
        _stored(kb_id, built, resources.objects),
        built.skipped,
        tuple(RemarkedDocument(document_id, remarks) for document_id, remarks in built.remarks.items()),
        built.measures,
    )
    return StoredBuild(manifest, built.work)


def check_identity(kb_id: str, unit: PreparedUnit, build: BuildPart, versions: dict[str, str]) -> None:
    """Check that a knowledge base would become what it is called.

    Raises:
        InvalidInputError: a component has another version here, or the id is that of something else.
    """
    ours = component_versions(build)
    if ours != versions:
        differing = sorted(name for name in ours.keys() | versions.keys() if ours.get(name) != versions.get(name))
        told = "; ".join(
            f"{name}: {ours.get(name, 'none')} here, {versions.get(name, 'none')} asked" for name in differing
        )
        raise InvalidInputError(f"{kb_id} was planned with other versions of its components: {told}")
    expected = KnowledgeBaseIdentity(unit.documents_digest, build, versions).kb_id
    if expected != kb_id:
        raise InvalidInputError(
            f"the documents of unit {unit.unit_id!r} and its build part make {expected}, not {kb_id}"
        )


def _stored(kb_id: str, built: Built, objects: ObjectStore) -> dict[str, ObjectRef]:
    return {name: _store(kb_id, built.folder / name, objects) for name in built.files}


def _store(kb_id: str, path: Path, objects: ObjectStore) -> ObjectRef:
    """Store a file under its name, or under a name with its digest when another builder's bytes are there.

    Two builders with different libraries may differ in a last bit. Each manifest must name files of one builder.
    """
    created = objects.create_from_file(object_keys.kb_file(kb_id, path.name), path)
    if created.created:
        return created.ref
    digest, _ = digest_of_file(path)
    if created.ref.sha256 == digest:
        return created.ref
    return objects.create_from_file(object_keys.kb_file(kb_id, f"{path.stem}-{digest[:16]}{path.suffix}"), path).ref
