"""Query engine: the best sentence that was found is added to the query, and it is searched again; needs no model."""

from __future__ import annotations

from typing import Annotated

from bakeoff.domain.component import ComponentSpec
from bakeoff.inference.generators.extractive import Extractive
from bakeoff.inference.registries import engines
from bakeoff.inference.retrieving import model_settings as told
from bakeoff.inference.retrieving.fusing import Merge
from bakeoff.inference.retrieving.hop_settings import Hops, MergeName, Passages, RrfK
from bakeoff.inference.retrieving.hopping import Multihop
from bakeoff.inference.retrieving.scouts import SentenceScout
from bakeoff.inference.retrieving.searching import ModelEngine
from bakeoff.inference.terms import ENGLISH, LANGUAGES
from bakeoff.runtime.registry import Is


@engines.register("multihop_sentences", facts=told.OVER_AN_ENGINE)
def multihop_sentences(
    *,
    first: told.First,
    hops: Hops = 2,
    passages: Passages = 5,
    merge: MergeName = "best_rank",
    k: RrfK = 60,
    language: Annotated[str, Is("stems and leaves out the stop words of this language", choices=LANGUAGES)] = ENGLISH,
    max_chars: Annotated[int, Is("longest sentence in characters; a longer one is cut at a word", minimum=20)] = 300,
) -> ModelEngine:
    """Search, put the found sentence that shares most with the question behind the query, and search again.

    The sentence is chosen as the generator `extractive` does, among passages that no earlier hop has shown.

    Source: after Trivedi et al. 2023, arXiv:2212.10509, with a found sentence in the place of a model's.
    """
    scout = SentenceScout(passages, Extractive(language, max_chars))
    engine = ComponentSpec.parse(first)
    return Multihop("multihop_sentences", engine, None, scout, hops, passages, Merge(merge), k)
