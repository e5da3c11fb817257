"""The rubrics and the frames of prompts that come with Bakeoff, one file each."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml

from bakeoff.scoring.judge_prompts import Frame, Rubric, Scale

HERE = Path(__file__).parent
RUBRICS = ("answer_relevance", "correctness", "faithfulness", "helpfulness")
"""Names of the built-in rubrics."""


@cache
def built_in_rubric(name: str) -> Rubric:
    """Return a built-in rubric.

    Args:
        name: One of RUBRICS.
    """
    said = yaml.safe_load((HERE / "rubrics" / f"{name}.yaml").read_text(encoding="utf-8"))
    scale = None
    if "scale" in said:
        lowest, highest = said["scale"]
        scale = Scale(lowest, highest, said.get("anchors", {}))
    shows = said["shows"]
    return Rubric(name, said["criterion"], scale, "references" in shows, "passages" in shows, "given" in shows)


@cache
def frame(name: str) -> Frame:
    """Return the frame of `pointwise` or `pairwise` prompts."""
    said = yaml.safe_load((HERE / "judge_texts" / f"{name}.yaml").read_text(encoding="utf-8"))
    return Frame(said["system"], said["prompt"])
