"""What failed is done again once its cause is mended: that alone, and the report is as if nothing had happened."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from bakeoff.cli.main import main
from bakeoff.client import Client
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import EvaluationOptions, EvaluationRequest, EvaluationState
from bakeoff.domain.recipe import AnswerPart, BuildPart, QueryMode, Recipe
from bakeoff.domain.report import EvaluationReport
from bakeoff.embedded import Embedded
from bakeoff.reporting.load import load_report
from bakeoff.runtime.settings import Settings
from tests.e2e.synthetic import write_benchmark

CASES = 12
BATCH = 4


@dataclass(frozen=True)
class Trouble:
    """A platform, and an evaluation with an entrant that fails unless a file is there."""

    platform: Embedded
    folder: Path
    fault: str

    def request(self, key: str) -> EvaluationRequest:
        log = {"log": str(self.folder / f"{self.fault}-began")}
        settings = {"well": log, "troubled": {**log, self.fault: str(self.folder / f"{self.fault}-mended")}}
        words = (QueryMode("", ComponentSpec("full_text_search"), 10),)
        recipes = tuple(
            Recipe(name, BuildPart(), words, AnswerPart(ComponentSpec("faulty", each)))
            for name, each in settings.items()
        )
        benchmark = write_benchmark(self.folder / "data", documents=CASES, cases=CASES)
        options = EvaluationOptions(batch_cases=BATCH)
        return EvaluationRequest("trouble", (benchmark,), recipes, options, idempotency_key=f"{self.fault}-{key}")

    def mend(self) -> None:
        (self.folder / f"{self.fault}-mended").touch()

    def began(self) -> int:
        """Count the cases that began so far."""
        return len((self.folder / f"{self.fault}-began").read_text().split())

    def finish(self, client: Client, evaluation_id: str) -> EvaluationReport:
        *_, last = client.watch(evaluation_id)
        assert last.state is EvaluationState.COMPLETED, last.reason
        return load_report(b"".join(client.report_file(evaluation_id, "json")))

    def command(self, *arguments: str) -> list[dict[str, object]]:
        """Run a command against the platform; return the lines that it prints."""
        out = io.StringIO()
        with redirect_stdout(out):
            main([*arguments, "--server", self.platform.address, "--json"])
        return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    settings = Settings(plugins="tests.e2e.faults", attempts=1, sweep_s=0.2)
    with Embedded(tmp_path_factory.mktemp("platform"), settings) as platform:
        yield platform


@pytest.mark.parametrize(
    ("fault", "failed_cases", "letters"), [("breaks_without", False, CASES // BATCH), ("fails_without", True, 0)]
)
def test_a_replay_does_what_failed_again_and_gives_the_report_of_an_undisturbed_run(
    platform: Embedded, tmp_path: Path, fault: str, failed_cases: bool, letters: int
) -> None:
    trouble = Trouble(platform, tmp_path, fault)
    with Client(platform.address) as client:
        name = client.submit(trouble.request("disturbed"))[0].evaluation_id
        first = trouble.finish(client, name)
        assert {each.recipe: each.failed_cases for each in first.entrants} == {"well": 0, "troubled": CASES}

        listed = trouble.command("dead", "list", name)
        assert [(each["stage"], each["cases"], each["replayed"]) for each in listed] == [("infer", 4, False)] * letters
        for each in listed:
            (shown,) = trouble.command("dead", "show", name, f"infer/{each['item']}")
            assert shown["reason"] == "RuntimeError: told to break"
        (wrong,) = (each for each in trouble.command("doctor", name) if str(each["name"]).startswith("failed"))
        assert ("told to break" if letters else "what it needs is not there") in str(wrong["detail"])

        trouble.mend()
        before, executed = trouble.began(), platform.counts()["score"].executed
        (replayed,) = trouble.command("dead", "replay", name, *(["--failed-cases"] if failed_cases else []))
        again = trouble.finish(client, name)
        assert isinstance(replayed["items"], list)
        assert len(replayed["items"]) == 2 * CASES // BATCH, "to be asked and to be scored; the other entrant is well"
        assert trouble.began() - before == CASES
        assert platform.counts()["score"].executed - executed == CASES // BATCH
        assert [each["replayed"] for each in trouble.command("dead", "list", name)] == [True] * letters

        with pytest.raises(InvalidInputError, match="nothing to replay"):
            client.replay(name, failed_cases=failed_cases)
        assert client.submit(trouble.request("disturbed"))[0].state is EvaluationState.COMPLETED
        calm = trouble.finish(client, client.submit(trouble.request("calm"))[0].evaluation_id)
    assert again.digest == calm.digest
    assert again.digest != first.digest
