"""What an operator may set: read once from `BAKEOFF_*`, passed down, never changing a result."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from urllib.parse import urlsplit

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.runtime.key_addresses import read_key_addresses

PORTS = {
    "control": 7601,
    "preparation": 7602,
    "ingestion": 7603,
    "knowledge": 7604,
    "inference": 7605,
    "scoring": 7606,
    "reporting": 7607,
}


KEY_PREFIX = "BAKEOFF_KEY_"
"""Begin of the variables that hold keys of model endpoints."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where things are and how much of them may be used. Each field is `BAKEOFF_` and its name in upper case."""

    nats_url: str = "nats://127.0.0.1:4222"
    nats_token: str = field(default="", repr=False)
    """Token of the bus; empty when it needs none."""
    nats_user: str = ""
    """User of the bus, with a password, instead of a token; empty when there is none."""
    nats_password: str = field(default="", repr=False)
    nats_ca: str = ""
    """PEM file of the authorities of the bus's certificate, of a `tls://` address; empty means the system's."""
    replicas: int = 1
    """Copies of every stream and bucket, 1 to 5."""
    s3_endpoint: str = "http://127.0.0.1:9000"
    """Address of the object store; https for TLS."""
    s3_access_key: str = field(default="", repr=False)
    s3_secret_key: str = field(default="", repr=False)
    s3_bucket: str = "bakeoff"
    s3_region: str = "us-east-1"
    s3_readable_buckets: str = ""
    """Buckets of the same store that benchmarks may be read from beside the own, separated by commas; `*` means all.
    Empty means none where there is a tokens file, and all where there is none."""
    listen: str = ""
    """Address of the gRPC server, host:port; empty means 127.0.0.1 and the service's own port."""
    server: str = ""
    """Where the command finds a platform, host:port; empty means: look for an embedded one."""
    token: str = field(default="", repr=False)
    """What commands and clients show a platform; empty when it asks for none."""
    tokens_file: str = ""
    """File of the tokens that callers of gRPC must show one of; empty lets anybody in who reaches the address."""
    service_token: str = field(default="", repr=False)
    """What services show each other where there is a tokens file; one for all of them."""
    allow_anonymous: bool = False
    """Whether gRPC may be served to other machines without a tokens file."""
    tls: bool = False
    """Whether gRPC is called over TLS; also so when there is a `tls_ca`."""
    tls_certificate: str = ""
    """PEM file of the certificate that servers show, and clients where they are asked; empty serves without TLS."""
    tls_key: str = ""
    """PEM file of its key."""
    tls_ca: str = ""
    """PEM file of the authorities whose certificates are believed; empty means the system's."""
    tls_clients: bool = False
    """Whether callers must show a certificate of `tls_ca`."""
    preparation_address: str = "127.0.0.1:7602"
    """Where the control service, which passes calls on, finds preparation; likewise those below."""
    ingestion_address: str = "127.0.0.1:7603"
    knowledge_address: str = "127.0.0.1:7604"
    """Also where inference asks knowledge bases."""
    inference_address: str = "127.0.0.1:7605"
    scoring_address: str = "127.0.0.1:7606"
    reporting_address: str = "127.0.0.1:7607"
    cache_dir: Path = Path(".bakeoff/cache")
    """Downloads, opened knowledge bases and what is worked on; may be deleted while nothing runs."""
    knowledge_cache_bytes: int = 50 << 30
    """What the files of knowledge bases in the cache may take together; those not used for longest go first."""
    build_processes: int = 0
    """Processes that one build of a knowledge base computes in, from 1; 0 means one for each processor."""
    postgres_url: str = field(default="", repr=False)
    """PostgreSQL server for indexes of the kind pgvector: `postgresql://user:password@host:port/database`; empty means
    none."""
    slots: int = 2
    """Items that one worker process has in hand per stage, from 1."""
    ack_wait_s: float = 30.0
    """Seconds without a sign of life after which an item is given to another worker."""
    stop_grace_s: float = 20.0
    """Seconds that a service told to stop gives the items in its hands; the rest comes elsewhere."""
    attempts: int = 5
    """Attempts of an item that raises, from 1."""
    upgrade_s: float = 600.0
    """Seconds after its start for which a worker gives back items that were planned with other versions of their
    components, since workers of another version may still run; then it gives them up."""
    sweep_s: float = 2.0
    """Seconds between sweeps of the control service."""
    window: int = 64
    """Items of one stage that the control service keeps released over all evaluations, from 1."""
    max_document_bytes: int = 1 << 30
    """Largest original that is taken."""
    allow_private_addresses: bool = False
    """Whether downloads may go to addresses inside private networks."""
    mirror_dir: str = ""
    """Folder with copies of downloads, each at `<host>/<path>` of its address; empty when there is none."""
    allow_private_models: bool = False
    """Whether models inside private networks may be asked; without a tokens file they may in any case."""
    local_paths: str = ""
    """Folders that requests may name paths in, separated by `:`; `*` means all. Empty means none where there is a
    tokens file, and all where there is none."""
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Keys of model endpoints by the name that recipes call them by; each is a variable `BAKEOFF_KEY_<NAME>`."""
    keys_dir: str = ""
    """Folder with one file for each further key, named as recipes call it; empty when there is none."""
    keys_sent_to: str = ""
    """Addresses of endpoints that keys may be sent to, as `name=address` separated by commas; `*` means any name, or
    any address. Empty means nowhere where there is a tokens file, and anywhere where there is none."""
    unconfined_code: bool = False
    """Whether code of answers may run where this system cannot confine it. Only for machines that hold nothing."""
    agent_commands: bool = False
    """Whether recipes may start agents as commands beside the inference service: then whoever asks can run anything."""
    plugins: str = ""
    """Modules to import for their plug-ins, separated by commas."""
    metrics_listen: str = ""
    """Address at which Prometheus reads metrics over HTTP, host:port, path /metrics; empty means nowhere."""
    traces_endpoint: str = ""
    """OpenTelemetry collector that traces are sent to over gRPC, such as `http://collector:4317`; empty sends none."""
    log_level: str = "info"
    """debug, info, warning or error."""
    log_format: str = "json"
    """json or console."""

    @property
    def plugin_modules(self) -> tuple[str, ...]:
        """The modules to import for their plug-ins."""
        return tuple(name.strip() for name in self.plugins.split(",") if name.strip())

    def as_environment(self) -> dict[str, str]:
        """Return the variables that `from_environment` reads these settings from; they hold secrets."""
        named = {f"BAKEOFF_{each.name.upper()}": str(getattr(self, each.name)) for each in fields(self)}
        del named["BAKEOFF_KEYS"]
        return {**named, **{f"{KEY_PREFIX}{name.upper()}": key for name, key in self.keys.items()}}

    @property
    def secrets(self) -> tuple[str, ...]:
        """All that nobody may read in a log, an error or a report."""
        named = (getattr(self, each.name) for each in fields(self) if not each.repr and each.name != "keys")
        # Addresses may hold a password.
        values = (getattr(self, each.name) for each in fields(self))
        addresses = (value for value in values if isinstance(value, str) and "://" in value)
        passwords = (urlsplit(address.partition(",")[0]).password or "" for address in addresses)
        return tuple(text for text in (*named, *self.keys.values(), *passwords) if text)

    @property
    def private_models(self) -> bool:
        """Whether models inside private networks may be asked: without tokens, who asks is who runs the machine."""
        return self.allow_private_models or not self.tokens_file

    @property
    def local_folders(self) -> tuple[Path, ...] | None:
        """The folders that requests may name paths in; None means all."""
        if self.local_paths == "*" or not (self.local_paths or self.tokens_file):
            return None
        return tuple(Path(each) for each in self.local_paths.split(os.pathsep) if each)

    @property
    def key_addresses(self) -> Mapping[str, tuple[str, ...]] | None:
        """The addresses that keys may be sent to, by name in lower case; None means anywhere."""
        if not (self.keys_sent_to or self.tokens_file):
            return None
        return read_key_addresses(self.keys_sent_to)

    @property
    def readable_buckets(self) -> frozenset[str] | None:
        """The buckets that benchmarks may be read from beside the own; None means all."""
        if self.s3_readable_buckets == "*" or not (self.s3_readable_buckets or self.tokens_file):
            return None
        return frozenset(name.strip() for name in self.s3_readable_buckets.split(",") if name.strip())

    @property
    def addresses(self) -> dict[str, str]:
        """host:port by name of the services that others call."""
        return {name: str(getattr(self, f"{name}_address")) for name in PORTS if name != "control"}

    def with_addresses(self, addresses: Mapping[str, str]) -> Settings:
        """Return these settings with other addresses, host:port by name of the service."""
        return replace(self, **{f"{name}_address": where for name, where in addresses.items()})  # type: ignore[arg-type]

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Read the settings.

        A secret may also stand in a file that the variable with `_FILE` at its end names, such as
        `BAKEOFF_S3_SECRET_KEY_FILE`: that is how containers are given them.

        Args:
            environment: Instead of the process's own.

        Raises:
            InvalidInputError: a `BAKEOFF_*` variable holds no such value, or a file cannot be read; all faults at once.
        """
        violations: list[Violation] = []
        given = _with_files(os.environ if environment is None else environment, violations)
        values: dict[str, object] = {}
        values["keys"] = {
            name.removeprefix(KEY_PREFIX).lower(): value for name, value in given.items() if name.startswith(KEY_PREFIX)
        }
        for setting in fields(cls):
            name = f"BAKEOFF_{setting.name.upper()}"
            if name not in given or setting.name == "keys":
                continue
            try:
                values[setting.name] = _read(str(setting.type), given[name])
            except ValueError as error:
                secret = not setting.repr
                shown = "a secret" if secret else repr(given[name])
                violations.append(Violation(name, f"must be {error}, not {shown}"))
        if violations:
            raise InvalidInputError("the environment has settings that cannot be read", violations)
        settings = cls(**values)  # type: ignore[arg-type]  # each value was read by its field's type
        settings.check()
        return settings

    def check(self) -> None:
        """Check ranges.

        Raises:
            InvalidInputError: a number is out of its range; all faults at once.
        """
        least = {"slots": 1, "attempts": 1, "window": 1, "replicas": 1, "ack_wait_s": 1.0, "sweep_s": 0.05}
        least |= {"stop_grace_s": 0.0, "knowledge_cache_bytes": 0, "build_processes": 0}
        violations = [
            Violation(f"BAKEOFF_{name.upper()}", f"must be at least {minimum}, not {getattr(self, name)}")
            for name, minimum in least.items()
            if getattr(self, name) < minimum
        ]
        try:
            read_key_addresses(self.keys_sent_to)
        except InvalidInputError as error:
            violations += error.violations
        if self.log_level not in ("debug", "info", "warning", "error"):
            violations.append(
                Violation("BAKEOFF_LOG_LEVEL", f"must be debug, info, warning or error, not {self.log_level!r}")
            )
        if self.log_format not in ("json", "console"):
            violations.append(Violation("BAKEOFF_LOG_FORMAT", f"must be json or console, not {self.log_format!r}"))
        if violations:
            raise InvalidInputError("the settings are out of range", violations)


def unknown_variables(environment: Mapping[str, str] | None = None) -> list[str]:
    """Return the `BAKEOFF_*` variables that are no settings, sorted; those of tests, `BAKEOFF_TEST_*`, are left out.

    They are no error: Kubernetes gives every container variables that are named after services.

    Args:
        environment: Instead of the process's own.
    """
    given = os.environ if environment is None else environment
    known = {f"BAKEOFF_{setting.name.upper()}" for setting in fields(Settings)} | set(_FILES)
    return sorted(
        name
        for name in given
        if name.startswith("BAKEOFF_") and not name.startswith(("BAKEOFF_TEST_", KEY_PREFIX)) and name not in known
    )


_FILES = {
    f"BAKEOFF_{setting.name.upper()}_FILE": f"BAKEOFF_{setting.name.upper()}"
    for setting in fields(Settings)
    if not setting.repr and setting.name != "keys"
}
"""Variables that name the file of a secret, and the variable that it stands for."""


def _with_files(given: Mapping[str, str], violations: list[Violation]) -> dict[str, str]:
    """Return the variables with the secrets that stand in files."""
    found = dict(given)
    for name, secret in _FILES.items():
        if not given.get(name):
            continue
        if given.get(secret):
            violations.append(Violation(name, f"{secret} is set as well: one of them"))
            continue
        try:
            found[secret] = Path(given[name]).read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            violations.append(Violation(name, f"the file {given[name]!r} cannot be read: {why}"))
    return found


def _read(kind: str, text: str) -> object:
    if kind == "bool":
        if text.lower() in ("1", "true", "yes", "on"):
            return True
        if text.lower() in ("0", "false", "no", "off", ""):
            return False
        raise ValueError("true or false")
    if kind == "int":
        try:
            return int(text)
        except ValueError:
            raise ValueError("a whole number") from None
    if kind == "float":
        try:
            return float(text)
        except ValueError:
            raise ValueError("a number") from None
    return Path(text) if kind == "Path" else text
