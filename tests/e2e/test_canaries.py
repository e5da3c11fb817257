"""No secret is anywhere in what a run leaves behind: objects, streams, states, logs, reports, output."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bakeoff.client import Client
from bakeoff.runtime.settings import Settings
from deploy.processes import Processes
from tests.e2e import command
from tests.e2e.test_processes import answers, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

MODEL_KEY = "canary-of-a-model-key-4b1f"
OTHER_KEY = "canary-of-another-key-77c0"
TYPED_KEY = "sk-canary-that-somebody-has-typed-into-a-recipe-9e2d"
KEPT_IN = ("credentials", "nats/nats.conf", "s3/identities.json")
"""Files that hold secrets because that is what they are for; each for its owner alone."""


@contextmanager
def an_indiscreet_endpoint() -> Iterator[str]:
    """Serve a model that repeats the key that it was shown: in answers, in refusals, in failures and in headers."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"][-1]["content"]
            shown = self.headers.get("Authorization", "")
            if "refuse" in told:
                self._send(400, {"error": {"message": f"header `Authorization: {shown}` is odd", "code": shown}})
            elif "forbid" in told:
                self._send(401, {"error": {"message": f"incorrect key: {shown}"}})
            elif "break" in told:
                self._send(501, {"detail": f"traceback: headers={{'authorization': '{shown}'}}"})
            else:
                message = {"role": "assistant", "content": f"you said {shown}"}
                self._send(200, {"id": shown, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})

        def _send(self, status: int, body: object) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.send_header("X-Echo", self.headers.get("Authorization", ""))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def write_evaluations(folder: Path, base_url: str) -> tuple[Path, Path]:
    """Write an evaluation that completes, with failed cases of each kind, and one whose benchmark cannot be read."""
    rows = ["say something", "refuse this", "forbid this", "break at this", "say more"]
    with (folder / "rows.jsonl").open("w") as file:
        for number, question in enumerate(rows):
            file.write(json.dumps({"id": f"r{number}", "question": question, "target": "something"}) + "\n")
    (folder / "broken.jsonl").write_text("{not json\n")
    text = """\
name: {name}
benchmarks:
  - rows: {{path: {file}, eval_type: key2_qa, keys: {{question: question, target: target}}}}
    name: rows
    evaluators: [exact_match]
recipes:
  - name: indiscreet
    answer:
      generator:
        openai: {{base_url: "{url}", model: parrot, key: house, stream: false}}
"""
    good, bad = folder / "good.yaml", folder / "bad.yaml"
    good.write_text(text.format(name="good", file="rows.jsonl", url=base_url))
    bad.write_text(text.format(name="bad", file="broken.jsonl", url=base_url))
    return good, bad


def write_attempts(folder: Path, good: str) -> tuple[Path, list[Path]]:
    """Write an evaluation that has a key sent where it is not for, and some into which somebody has typed one."""
    stolen = folder / "stolen.yaml"
    stolen.write_text(good.replace("key: house", "key: other"))
    typed = []
    for number, text in enumerate(
        [
            f"api_key: {TYPED_KEY}",
            f"key: {TYPED_KEY}",
            f"key: '{TYPED_KEY} '",
            f"parameters: {{api_key: {TYPED_KEY}}}",
        ]
    ):
        typed.append(folder / f"typed-{number}.yaml")
        typed[-1].write_text(good.replace("key: house", text))
    typed.append(folder / "typed-address.yaml")
    typed[-1].write_text(good.replace('"http://', f'"http://user:{TYPED_KEY}@'))
    return stolen, typed


def test_no_secret_is_in_anything_that_a_run_leaves_behind(tmp_path: Path) -> None:
    settings = {
        "BAKEOFF_KEY_HOUSE": MODEL_KEY,
        "BAKEOFF_KEY_OTHER": OTHER_KEY,
        "BAKEOFF_ALLOW_PRIVATE_MODELS": "true",
        "BAKEOFF_LOCAL_PATHS": str(tmp_path),
        "BAKEOFF_LOG_LEVEL": "debug",
    }
    said: list[str] = []
    with (
        an_indiscreet_endpoint() as base_url,
        Processes(
            tmp_path / "platform",
            settings={**settings, "BAKEOFF_KEYS_SENT_TO": f"house={base_url},other=https://models.example/v1"},
            guarded=True,
        ) as platform,
    ):
        good, bad = write_evaluations(tmp_path, base_url)
        stolen, typed = write_attempts(tmp_path, good.read_text())
        token = (platform.credentials / "operator_token").read_text()
        with Client(platform.address, Settings(token=token)) as client:
            until(lambda: answers(client), "every service has announced its components")
        own = {"BAKEOFF_TOKEN": token, "BAKEOFF_SERVER": platform.address}
        ended = command.run(["submit", str(good), "--wait", "--out", "good"], tmp_path, own)
        failed = command.run(["submit", str(bad), "--wait", "--out", "bad"], tmp_path, own)
        refused = [command.run(["submit", str(each), "--wait"], tmp_path, own) for each in (stolen, *typed)]
        wrong = command.run(["list"], tmp_path, {**own, "BAKEOFF_TOKEN": MODEL_KEY})
        doctor = command.run(["doctor", "--only", "platform"], tmp_path, {**platform.environment, **own})
        said += [text for done in (ended, failed, *refused, wrong, doctor) for text in (done.out, done.err)]
        objects = {info.key: platform.s3.connect().read_key(info.key) for info in platform.s3.connect().list("")}
    assert ended.code == 0, ended.err
    assert failed.code != 0
    assert [done.code for done in refused] == [2] * len(refused), [done.err for done in refused]
    assert "BAKEOFF_KEYS_SENT_TO" in refused[0].err
    for path in typed:
        path.unlink()  # whoever wrote it has it
    assert wrong.code == 6
    report = json.loads((tmp_path / "good/report.json").read_text())
    assert report["entrants"][0]["failed_cases"] == 3, "the endpoint has refused, forbidden and broken"
    assert any(key.startswith("responses/") for key in objects)
    left = {f"object {key}": data for key, data in objects.items()} | {
        f"output {n}": t.encode() for n, t in enumerate(said)
    }
    for path in tmp_path.rglob("*"):
        name = path.relative_to(tmp_path).as_posix()
        if path.is_file() and not name.startswith(tuple(f"platform/{each}" for each in KEPT_IN)):
            left[f"file {name}"] = path.read_bytes()
    assert any(name.startswith("file platform/nats/data") for name in left)
    assert any(b'"level"' in data for name, data in left.items() if name.endswith(".log"))

    found = [
        (what, name) for what, secret in secrets(tmp_path).items() for name, data in left.items() if secret in data
    ]

    assert found == []
    for each in KEPT_IN:
        place = tmp_path / "platform" / each
        assert all(path.stat().st_mode & 0o077 == 0 for path in ([place] if place.is_file() else place.iterdir())), each


def secrets(folder: Path) -> dict[str, bytes]:
    """Return every secret of the platform, plain and as base64 has it, by name."""
    plain = {"model key": MODEL_KEY, "other key": OTHER_KEY, "typed key": TYPED_KEY}
    for path in (folder / "platform/credentials").iterdir():
        if path.name not in ("tokens.json", "nats_authorization.conf"):
            plain[path.name] = path.read_text()
    assert len(plain) > 20
    # An access key of the object store is a user's name, which the store's own files hold.
    plain = {name: text for name, text in plain.items() if "access_key" not in name}
    encoded = {f"{name} in base64": base64.b64encode(text.encode()).rstrip(b"=") for name, text in plain.items()}
    return {**{name: text.encode() for name, text in plain.items()}, **encoded}
