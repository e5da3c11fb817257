"""The settings of a service: read from variables, secrets also from files, all faults told at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.domain.errors import InvalidInputError
from bakeoff.runtime.settings import Settings, unknown_variables


def test_a_secret_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of the store\n")

    settings = Settings.from_environment({"BAKEOFF_S3_SECRET_KEY_FILE": str(tmp_path / "secret")})

    assert settings.s3_secret_key == "of the store"


def test_a_secret_that_is_given_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("one")
    given = {"BAKEOFF_NATS_TOKEN": "two", "BAKEOFF_NATS_TOKEN_FILE": str(tmp_path / "secret")}

    with pytest.raises(InvalidInputError, match="BAKEOFF_NATS_TOKEN is set as well") as caught:
        Settings.from_environment(given)

    assert "two" not in str(caught.value)


def test_a_secret_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"BAKEOFF_S3_ACCESS_KEY_FILE.*nowhere.*cannot be read: No such file"):
        Settings.from_environment({"BAKEOFF_S3_ACCESS_KEY_FILE": str(tmp_path / "nowhere")})


def test_only_secrets_may_stand_in_files() -> None:
    assert unknown_variables({"BAKEOFF_S3_SECRET_KEY_FILE": "x", "BAKEOFF_SLOTS_FILE": "x"}) == ["BAKEOFF_SLOTS_FILE"]


def test_all_faults_are_told_at_once_and_no_secret_is_shown() -> None:
    with pytest.raises(InvalidInputError) as caught:
        Settings.from_environment({"BAKEOFF_SLOTS": "many", "BAKEOFF_ACK_WAIT_S": "soon"})

    assert [violation.field for violation in caught.value.violations] == ["BAKEOFF_SLOTS", "BAKEOFF_ACK_WAIT_S"]


def test_settings_survive_the_way_through_the_environment() -> None:
    settings = Settings(slots=7, allow_private_addresses=True, keys={"house": "k"}, s3_secret_key="s")

    assert Settings.from_environment(settings.as_environment()) == settings
