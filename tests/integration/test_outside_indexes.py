"""Indexes on a real object store and a real PostgreSQL server give what the index in the files gives."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bakeoff.contract import object_keys
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.knowledge.embedding import normalise
from bakeoff.knowledge.indexing import Arrays, Hits, IndexKind, MeasuringKind
from bakeoff.knowledge.lance_store import LanceStore
from bakeoff.knowledge.outside import Outside, placed
from bakeoff.knowledge.outside_errors import IndexUnavailableError
from bakeoff.knowledge.outside_settings import outside_of
from bakeoff.knowledge.postgres_server import PostgresServer
from bakeoff.knowledge.registries import indexes, load
from bakeoff.runtime.connect import connect_objects
from bakeoff.runtime.credentials import make_credentials, object_keys_of
from bakeoff.runtime.s3_server import S3Server
from bakeoff.runtime.settings import Settings
from tests.integration.outside_stores import Proxy, a_postgres, socket_of
from tests.integration.self_made import an_authority, vouched_for

DIMENSION = 48
EXACT = ("lance", "pgvector")
APPROXIMATE = (
    "lance(approximate=ivf, above=100, probes=4)",
    "pgvector(approximate=hnsw, above=100, links=2, effort_building=4)",
)
ONE, OTHER = "kb-" + "1" * 32, "kb-" + "2" * 32


@dataclass(frozen=True)
class Drawn:
    """An embedder whose texts are numbers of rows."""

    rows: NDArray[np.float32]

    @property
    def dimension(self) -> int:
        return self.rows.shape[1]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.rows[[int(text) for text in texts]]


def vectors(count: int, seed: int = 1) -> NDArray[np.float32]:
    return normalise(np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32))


CHUNKS = vectors(900)
CHUNKS[300:400] = CHUNKS[5]  # more that are equal than are asked for and fetched
CHUNKS[17] = 0
QUERIES = vectors(20, seed=2)
QUERIES[3] = 0
QUERIES[4] = CHUNKS[5]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with S3Server(tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with a_postgres() as url:
        yield url


@pytest.fixture(scope="module")
def settings(store: S3Server, postgres: str) -> Settings:
    return Settings(
        s3_endpoint=store.endpoint,
        s3_access_key=store.access_key,
        s3_secret_key=store.secret_key,
        postgres_url=postgres,
    )


@pytest.fixture
def outside(settings: Settings) -> Iterator[Outside]:
    outside = outside_of(settings)
    yield outside
    objects = connect_objects(settings)
    for kb_id in (ONE, OTHER):
        outside.forget(kb_id)
        for info in list(objects.list(object_keys.kb_prefix(kb_id))):
            objects.delete(info.key)


def made(spec: str, outside: Outside, kb_id: str = ONE) -> IndexKind:
    load()
    return placed(indexes.make(ComponentSpec.parse(spec)), outside.site(kb_id))


def search(kind: IndexKind, arrays: Arrays, top_k: int = 10) -> list[Hits]:
    return kind.open(arrays, Drawn(QUERIES)).search([str(number) for number in range(len(QUERIES))], top_k)


def plain(found: Sequence[Hits]) -> list[tuple[list[int], list[float]]]:
    return [(hits.chunks.tolist(), hits.scores.tolist()) for hits in found]


def dense(top_k: int = 10) -> list[Hits]:
    kind = indexes.load().make(ComponentSpec("dense"))
    return search(kind, kind.build([], CHUNKS), top_k)


@pytest.mark.parametrize("spec", EXACT)
@pytest.mark.parametrize("top_k", [1, 10, 5000])
def test_hits_and_scores_are_those_of_the_index_in_the_files(spec: str, top_k: int, outside: Outside) -> None:
    kind = made(spec, outside)
    assert plain(search(kind, kind.build([], CHUNKS), top_k)) == plain(dense(top_k))


@pytest.mark.parametrize("spec", APPROXIMATE)
def test_an_approximate_index_measures_its_recall_and_its_scores_are_right(spec: str, outside: Outside) -> None:
    kind = made(spec, outside)
    arrays = kind.build([], CHUNKS)
    found = search(kind, arrays)

    assert isinstance(kind, MeasuringKind)
    assert 0.2 < kind.measures(arrays)["recall_at_10"] <= 1.0
    for number, hits in enumerate(found):
        true = CHUNKS[hits.chunks].astype(np.float64) @ QUERIES[number].astype(np.float64)
        assert hits.scores == pytest.approx(true, abs=1e-5 if spec.startswith("lance") else 1e-11)
    shares = [
        len(np.intersect1d(a.chunks, b.chunks)) / 10 for a, b in zip(found, dense(), strict=True) if len(a.chunks)
    ]
    assert 0.2 < np.mean(shares) < 1.0  # these do miss some, or the test would not show that they are approximate


@pytest.mark.parametrize("spec", APPROXIMATE)
def test_few_chunks_are_compared_one_by_one_whatever_is_allowed(spec: str, outside: Outside) -> None:
    kind = made(spec.replace("above=100", "above=900"), outside)
    arrays = kind.build([], CHUNKS)

    assert plain(search(kind, arrays)) == plain(dense())
    assert isinstance(kind, MeasuringKind)
    assert kind.measures(arrays) == {}


@pytest.mark.parametrize("spec", [*EXACT, *APPROXIMATE])
def test_two_units_never_see_each_other(spec: str, outside: Outside) -> None:
    mine, theirs = CHUNKS[:200], CHUNKS[200:]
    one, other = made(spec, outside), made(spec, outside, OTHER)
    told = one.build([], mine), other.build([], theirs)

    [first] = one.open(told[0], Drawn(theirs[:1])).search(["0"], 5000)
    [second] = other.open(told[1], Drawn(mine[:1])).search(["0"], 5000)

    assert first.scores.max() < 0.99  # the other's chunk, equal to the query, is not among them
    assert second.scores.max() < 0.99
    with pytest.raises(NotFoundError):
        one.open(told[1], Drawn(QUERIES))  # nor does it by the other's file


@pytest.mark.parametrize("spec", [*EXACT, *APPROXIMATE])
def test_several_builders_of_the_same_do_not_disturb_each_other(
    spec: str, settings: Settings, outside: Outside
) -> None:
    start = threading.Barrier(3)

    def build(_: int) -> Arrays:
        kind = made(spec, outside_of(settings))
        start.wait()
        return kind.build([], CHUNKS)

    with ThreadPoolExecutor(3) as pool:
        told = list(pool.map(build, range(3)))

    assert len({bytes(arrays["name"]) for arrays in told}) == 1
    kind = made(spec, outside)
    assert len(kind.open(told[0], Drawn(CHUNKS[700:701])).search(["0"], 3)[0].chunks) == 3
    if spec in EXACT:
        assert plain(search(kind, told[2])) == plain(dense())


@pytest.mark.parametrize("spec", EXACT)
def test_any_number_of_readers_share_what_was_built_once(spec: str, settings: Settings, outside: Outside) -> None:
    arrays = made(spec, outside).build([], CHUNKS)

    def read(_: int) -> object:
        return plain(search(made(spec, outside_of(settings)), arrays))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(read, range(4))) == [plain(dense())] * 4


@pytest.mark.parametrize("spec", EXACT)
def test_a_build_that_dies_leaves_nothing_that_the_next_one_takes_for_whole(spec: str, outside: Outside) -> None:
    class Dies(np.ndarray):
        """Vectors that cannot be read to their end, after they were once."""

        reads = 0

        def __getitem__(self, at: object) -> object:
            if isinstance(at, slice) and at.start and at.start >= 8192:
                Dies.reads += 1
                if Dies.reads > 1:
                    raise OSError("the disk is gone")
            return super().__getitem__(at)

    many = np.tile(CHUNKS, (10, 1))
    kind = made(spec, outside)

    with pytest.raises(Exception, match="disk is gone"):
        kind.build([], many.view(Dies))

    found = search(kind, kind.build([], many), 3)
    assert found[4].chunks.tolist() == [5, 300, 301]


def test_what_is_forgotten_is_gone_and_the_rest_stays(outside: Outside, postgres: str) -> None:
    one, other = made("pgvector", outside), made("pgvector", outside, OTHER)
    told = one.build([], CHUNKS)
    other.build([], CHUNKS)

    outside.forget(ONE)
    outside.forget(ONE)

    with pytest.raises(NotFoundError, match="delete the knowledge base and build it again"):
        one.open(told, Drawn(QUERIES))
    assert plain(search(other, told)) == plain(dense())


def test_rows_that_went_missing_are_found_out(outside: Outside) -> None:
    kind = made("pgvector", outside)
    told = kind.build([], CHUNKS)
    assert outside.postgres is not None
    with outside.postgres.transaction() as transaction:
        transaction.run(f'DELETE FROM "bakeoff_{ONE}"."{bytes(told["name"]).decode()}" WHERE chunk = 4')

    with pytest.raises(InvalidInputError, match="has 899 vectors of 48 numbers, not 900 of 48"):
        kind.open(told, Drawn(QUERIES))


def test_a_server_that_goes_away_is_asked_again_when_it_is_back(postgres: str) -> None:
    proxy = Proxy(socket_of(postgres))
    server = PostgresServer(f"postgresql://postgres@127.0.0.1:{proxy.port}/postgres")
    kind = made("pgvector", Outside(None, server))
    told = kind.build([], CHUNKS)
    opened = kind.open(told, Drawn(QUERIES))

    proxy.leave()
    with pytest.raises(IndexUnavailableError, match=f"127.0.0.1:{proxy.port}/postgres does not answer"):
        opened.search(["0"], 3)
    proxy.away = False

    assert opened.search(["0"], 3)[0].chunks.tolist() == dense(3)[0].chunks.tolist()
    server.drop(ONE)
    server.close()
    proxy.close()


def test_tls_believes_the_authority_that_is_named_alone(postgres: str, tmp_path: Path) -> None:
    authority = an_authority(tmp_path)
    shown = vouched_for(tmp_path, "server", authority)
    proxy = Proxy(socket_of(postgres), (shown.certificate, shown.key))
    url = f"postgresql://postgres@127.0.0.1:{proxy.port}/postgres?sslmode="

    def ask(options: str) -> object:
        with PostgresServer(url + options).transaction() as transaction:
            return transaction.run("SELECT 1")

    assert ask(f"verify-full&sslrootcert={authority.certificate}") == [[1]]
    assert ask("require") == [[1]]
    with pytest.raises(IndexUnavailableError, match="certificate verify failed"):
        ask("verify-full")
    proxy.close()


@pytest.mark.parametrize(
    ("who", "message"),
    [
        ("postgres@/nowhere", 'database "nowhere" does not exist'),
        ("nobody@/postgres", 'role "nobody" does not exist'),
    ],
)
def test_a_server_that_refuses_is_no_matter_of_trying_again(who: str, message: str, postgres: str) -> None:
    url = postgres.replace("postgres@/postgres", who)
    with pytest.raises(InvalidInputError, match=message), PostgresServer(url).transaction():
        pass


def test_an_object_store_that_does_not_answer_is_asked_again_and_one_that_refuses_is_not(settings: Settings) -> None:
    refusing = made("lance", outside_of(replace(settings, s3_secret_key="wrong")))
    with pytest.raises(InvalidInputError, match="refuses"):
        refusing.build([], CHUNKS)

    store = outside_of(replace(settings, s3_endpoint="http://127.0.0.1:1")).lance
    assert store is not None
    impatient = LanceStore(store.uri, {**store.options, "client_max_retries": "0", "retry_timeout": "1s"})
    with pytest.raises(IndexUnavailableError):
        made("lance", Outside(impatient)).build([], CHUNKS)


def test_the_keys_of_the_knowledge_service_are_enough_and_those_of_others_are_not(tmp_path: Path) -> None:
    make_credentials(tmp_path / "credentials")
    keys = object_keys_of(tmp_path / "credentials")
    with S3Server(tmp_path / "s3", services=keys) as server:
        told = {}
        for service in ("knowledge", "scoring"):
            access, secret = keys[service]
            settings = Settings(s3_endpoint=server.endpoint, s3_access_key=access, s3_secret_key=secret)
            told[service] = made("lance(approximate=ivf, above=100)", outside_of(settings))

        arrays = told["knowledge"].build([], CHUNKS)
        assert search(told["knowledge"], arrays, 1)[4].scores == pytest.approx([1.0], abs=1e-5)
        with pytest.raises(InvalidInputError, match="refuses"):
            told["scoring"].build([], CHUNKS[:200])
