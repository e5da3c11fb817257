"""Knowledge bases at hand: brought from the object store once, opened once, and the least used closed."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from bakeoff.contract import object_keys
from bakeoff.contract.stored import decode
from bakeoff.domain.errors import NotFoundError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.knowledge import KnowledgeBaseManifest
from bakeoff.knowledge.kept_folders import KeptFolders
from bakeoff.knowledge.last_used import LastUsed
from bakeoff.knowledge.outside import Outside
from bakeoff.knowledge.search import KnowledgeBase, open_knowledge_base
from bakeoff.models.access import ModelAccess
from bakeoff.runtime.object_integrity import digest_of_file
from bakeoff.runtime.objects import ObjectStore

KB_ID = re.compile(r"kb-[0-9a-f]{32}")
MANIFEST = "manifest.json"
CACHE_BYTES = 50 << 30
"""What the files of knowledge bases may take unless said otherwise."""
TRIES = 3
"""A file may be removed between its arrival and its opening, by another process that makes room."""
OPEN = 64
"""Knowledge bases that stay open. Their files are mapped, so that an idle one holds little but its vocabulary."""


class Library:
    """The knowledge bases of an object store; thread-safe."""

    def __init__(
        self,
        objects: ObjectStore,
        cache_dir: Path,
        *,
        capacity: int = OPEN,
        cache_bytes: int = CACHE_BYTES,
        models: ModelAccess | None = None,
        outside: Outside | None = None,
    ) -> None:
        """Open a library.

        Args:
            objects: Where knowledge bases are stored.
            cache_dir: Where their files are kept; may be shared by processes and deleted at any time.
            capacity: Knowledge bases that stay open, from 1.
            cache_bytes: What their files may take together, from 0; the one that is used now stays in any case.
            models: Opens what an embedder asks; None opens models that need no key.
            outside: Where indexes may lie that are kept outside of the files; None means nowhere.
        """
        self._objects = objects
        self._models = models
        self._outside = outside or Outside()
        self._folder = cache_dir / "kb"
        self._kept = KeptFolders(self._folder, cache_bytes)
        self._opened: LastUsed[str, KnowledgeBase] = LastUsed(capacity)

    def get(self, kb_id: str) -> KnowledgeBase:
        """Return a knowledge base, opening it when it is not open.

        Raises:
            NotFoundError: there is none of that id.
            DigestMismatchError: a file in the store is not what the manifest says.
        """
        return self._opened.get(kb_id, lambda: self._open(self.manifest(kb_id)))

    def manifest(self, kb_id: str) -> KnowledgeBaseManifest:
        """Return what is known of a knowledge base.

        Raises:
            NotFoundError: there is none of that id.
        """
        if not KB_ID.fullmatch(kb_id):
            raise NotFoundError(f"there is no knowledge base {kb_id!r}; an id is kb- and 32 hexadecimal digits")
        try:
            data = self._objects.read_key(object_keys.kb_manifest(kb_id))
        except NotFoundError:
            raise NotFoundError(f"there is no knowledge base {kb_id!r}") from None
        return decode(data, KnowledgeBaseManifest)

    def manifests(self) -> Iterator[KnowledgeBaseManifest]:
        """Yield what is known of every knowledge base, by id."""
        for info in self._objects.list(object_keys.kb_prefix()):
            place = PurePosixPath(info.key)
            if place.name == MANIFEST and KB_ID.fullmatch(place.parent.name):
                yield self.manifest(place.parent.name)

    def delete(self, kb_id: str) -> bool:
        """Remove a knowledge base, its manifest first; return whether it was there. Originals stay.

        Another process that has it open goes on answering from its own copy, but not from indexes that lie outside of
        its files. When it fails half way, doing it again removes the rest.

        Raises:
            InvalidInputError: it has an index on a server that is not configured here; nothing is removed.
            IndexUnavailableError: a server that may hold an index of it does not answer.
        """
        if not KB_ID.fullmatch(kb_id):
            return False
        with contextlib.suppress(NotFoundError):
            self._outside.require(self.manifest(kb_id).build)
        manifest = object_keys.kb_manifest(kb_id)
        existed = self._objects.stat(manifest) is not None
        self._objects.delete(manifest)
        for info in list(self._objects.list(object_keys.kb_prefix(kb_id))):
            self._objects.delete(info.key)
        self._opened.drop(kb_id)
        self._outside.forget(kb_id)
        return existed

    def keep(self, manifest: KnowledgeBaseManifest, built: Path) -> None:
        """Take the files of a knowledge base that was built here, so that its first search need not fetch them.

        Args:
            manifest: What they are; a file that is not as it says is left out and fetched when it is needed.
            built: Folder with the files under their names at build time; they are moved.
        """
        folder = self._folder / manifest.kb_id
        folder.mkdir(parents=True, exist_ok=True)
        for name, ref in manifest.files.items():
            place = folder / _place(ref)
            if not place.exists():
                # The same folder's own file system first, then its name in one step: nobody sees half a file.
                arriving = Path(shutil.move(built / name, folder / f"{place.name}.{os.getpid()}.new"))
                arriving.replace(place)
        self._kept.trim(in_use=manifest.kb_id)

    def _open(self, manifest: KnowledgeBaseManifest) -> KnowledgeBase:
        folder = self._folder / manifest.kb_id
        for attempt in range(TRIES):
            folder.mkdir(parents=True, exist_ok=True)
            self._kept.touch(manifest.kb_id)
            try:
                places = {name: self._bring(ref, folder) for name, ref in manifest.files.items()}
                site = self._outside.site(manifest.kb_id)
                opened = open_knowledge_base(folder, places, models=self._models, site=site)
            except FileNotFoundError:
                if attempt == TRIES - 1:
                    raise
                continue
            self._kept.trim(in_use=manifest.kb_id)
            return opened
        raise AssertionError("the last attempt returns or raises")

    def _bring(self, ref: ObjectRef, folder: Path) -> str:
        """Have a file in the folder and return its name there, which is that of its bytes."""
        name = _place(ref)
        path = folder / name
        if not (path.exists() and digest_of_file(path)[0] == ref.sha256):
            self._objects.download(ref, path)
        return name


def _place(ref: ObjectRef) -> str:
    """Return the name under which a file is kept: that of its bytes."""
    return f"{ref.sha256}{PurePosixPath(ref.key).suffix}"
