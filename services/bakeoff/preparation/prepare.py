"""Prepare a benchmark: read all of it, check it, and store it under a fingerprint of exactly what it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentCard, ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.preparation.draft import Draft, read_benchmark
from bakeoff.preparation.protocol import Workspace
from bakeoff.preparation.publish import publish
from bakeoff.preparation.registries import adapters
from bakeoff.runtime.local_paths import is_open, refusal
from bakeoff.runtime.objects import ObjectStore


@dataclass(frozen=True, slots=True)
class Prepared:
    """What preparing came to."""

    manifest: ObjectRef
    """The PreparedManifest."""
    documents: int
    cases: int


def prepare(
    choice: BenchmarkChoice,
    *,
    workspace: Workspace,
    objects: ObjectStore,
    scratch: Path,
    max_document_bytes: int,
    plugins: Sequence[str] = (),
    begin: Callable[[], None] = lambda: None,
    folders: tuple[Path, ...] | None = None,
) -> Prepared:
    """Prepare a benchmark. Nothing of it is visible before all of it was read and found sound.

    Args:
        choice: The benchmark.
        workspace: Where its resources come from.
        objects: Where it is stored.
        scratch: A folder of this call's own.
        max_document_bytes: Largest document that is taken.
        plugins: Modules with further adapters.
        begin: Called again and again; may raise to end the work.
        folders: Below which its documents' files must lie; None means everywhere. What a benchmark's data name must
            not be a way to read other files of this machine.

    Raises:
        NotFoundError: there is no such adapter, or a file of the benchmark is not there.
        InvalidInputError: the benchmark is wrong; says where.
        UnavailableError: a resource's server does not answer now.
    """
    adapter, card = adapters.load(plugins).make(choice.adapter), adapters.card(choice.adapter.name)
    begin()
    source = adapter.prepare(workspace)
    begin()
    try:
        draft = read_benchmark(choice, adapter, source, workspace, scratch, max_document_bytes, begin)
    except PermissionError as error:
        raise InvalidInputError(f"{error.filename!r} may not be read: {error.strerror}") from error
    begin()
    _check_files(draft, folders)
    draft = replace(draft, adapter=_portable(card, choice.adapter), adapter_version=card.version)
    return Prepared(publish(draft, objects), draft.documents, draft.cases)


def _check_files(draft: Draft, folders: tuple[Path, ...] | None) -> None:
    for original in draft.originals:
        if not is_open(str(original.path), folders):
            raise InvalidInputError(f"document {original.prepared.original_id!r}: {refusal(str(original.path))}")


def _portable(card: ComponentCard, spec: ComponentSpec) -> ComponentSpec:
    """Return a spec with all settings but paths and addresses: the same content elsewhere is the same benchmark."""
    paths = {setting.name for setting in card.settings if setting.type == "path"}
    settings = card.resolve(spec).settings
    return ComponentSpec(spec.name, {name: value for name, value in settings.items() if name not in paths})
