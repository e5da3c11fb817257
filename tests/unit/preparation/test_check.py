"""Looking at a benchmark before work starts."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.preparation.check import check_benchmark, source_stamp
from bakeoff.runtime.settings import Settings

Write = Callable[..., Path]


def choose(adapter: str, name: str = "", **settings: object) -> BenchmarkChoice:
    return BenchmarkChoice(ComponentSpec(adapter, settings), name)


def refusal(choice: BenchmarkChoice) -> str:
    with pytest.raises(InvalidInputError) as caught:
        check_benchmark(choice, Settings())
    return str(caught.value)


def test_a_sound_benchmark_says_who_it_is(beir_folder: Write) -> None:
    assert check_benchmark(choose("beir", path=str(beir_folder())), Settings()).name == "harbour"
    assert check_benchmark(choose("beir", "Other", path=str(beir_folder())), Settings()).name == "Other"


def test_a_path_that_does_not_exist_is_named_with_its_nearest_sibling(beir_folder: Write) -> None:
    folder = beir_folder()
    message = refusal(choose("beir", path=str(folder.parent / "harbuor")))
    assert f"beir.path: '{folder.parent / 'harbuor'}' does not exist; did you mean '{folder}'?" in message


def test_how_far_a_path_exists_is_told(tmp_path: Path) -> None:
    message = refusal(choose("beir", path=str(tmp_path / "no" / "such" / "folder")))
    assert f"does not exist: '{tmp_path}' has no 'no'" in message


def test_a_misspelt_public_set_is_refused_with_all_their_names() -> None:
    assert "public sets: arguana, climate-fever" in refusal(choose("beir", path="scifakt"))


def test_a_public_set_and_an_address_pass_without_the_network() -> None:
    assert check_benchmark(choose("beir", path="nfcorpus"), Settings()).name == "nfcorpus"
    address = "https://example.org/sets/fiqa.zip?x=1"
    assert check_benchmark(choose("beir", path=address), Settings()).name == "fiqa"


def test_files_that_a_folder_lacks_are_all_told(beir_folder: Write) -> None:
    folder = beir_folder()
    beir_folder(split="dev")
    (folder / "corpus.jsonl").unlink()
    message = refusal(choose("beir", path=str(folder), split="train"))
    assert "beir.path: " in message
    assert "has no corpus.jsonl" in message
    assert "beir.split: " in message
    assert "has no qrels/train.tsv; there are: dev, test" in message


@pytest.mark.parametrize("setting", ["split", "qrels"])
def test_judgements_are_only_taken_from_their_folder(beir_folder: Write, setting: str) -> None:
    message = refusal(choose("beir", path=str(beir_folder()), **{setting: "../../secret"}))
    assert f"beir.{setting}: must be the name of a file in qrels/, not '../../secret.tsv'" in message


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("words")
    assert "is no folder, zip or tar archive" in refusal(choose("beir", path=str(tmp_path / "notes.txt")))


def test_a_folder_for_a_file_and_a_file_for_a_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "jsonl.cases: " in refusal(choose("jsonl", documents=str(tmp_path / "file"), cases=str(tmp_path)))
    message = refusal(choose("folder", path=str(tmp_path / "file"), questions=str(tmp_path / "file")))
    assert f"folder.path: '{tmp_path / 'file'}' must be a folder" in message


def test_files_of_json_lines_that_are_missing_are_told(tmp_path: Path) -> None:
    (tmp_path / "documents.jsonl").touch()
    message = refusal(choose("jsonl", documents=str(tmp_path / "documents.jsonl"), cases=str(tmp_path / "case.jsonl")))
    assert "jsonl.cases: " in message
    assert "jsonl.documents: " not in message


def test_wrong_questions_are_told_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "q.yaml").write_text("cases:\n  - {id: a, question: b, evidence: [{document: gone.md}]}\n")
    message = refusal(choose("folder", path=str(tmp_path / "docs"), questions=str(tmp_path / "q.yaml")))
    assert "q.yaml:2: a.evidence[0].document: 'gone.md' is no file" in message


def test_unknown_adapters_and_settings_are_refused(beir_folder: Write) -> None:
    with pytest.raises(NotFoundError, match="did you mean 'beir'"):
        check_benchmark(choose("beri", path="x"), Settings())
    assert "did you mean 'split'" in refusal(choose("beir", path=str(beir_folder()), spilt="test"))


def stamp(folder: Path) -> str:
    return source_stamp(choose("beir", path=str(folder)), Settings())


def test_the_stamp_changes_with_a_file_and_not_with_others(beir_folder: Write) -> None:
    folder = beir_folder()
    before = stamp(folder)
    (folder / "unrelated.txt").touch()
    assert stamp(folder) == before
    os.utime(folder / "queries.jsonl", ns=(1, 1))
    changed = stamp(folder)
    assert changed != before
    with (folder / "corpus.jsonl").open("ab") as corpus:
        corpus.write(b"\n")
    os.utime(folder / "corpus.jsonl", ns=(1, 1))
    assert stamp(folder) != changed


def test_the_stamp_of_a_folder_sees_new_files(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "q.yaml").write_text("cases: [{id: a, question: b}]")
    choice = choose("folder", path=str(tmp_path / "docs"), questions=str(tmp_path / "q.yaml"))
    before = source_stamp(choice, Settings())
    (tmp_path / "docs" / "new.md").write_text("new")
    assert source_stamp(choice, Settings()) != before
