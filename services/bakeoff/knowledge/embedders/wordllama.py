"""Embedder: the static vectors that come with the package `wordllama`, 256 numbers a token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.arrays import read_arrays
from bakeoff.knowledge.embedding import Embedder, Vectors, normalise
from bakeoff.knowledge.registries import embedders
from bakeoff.runtime.registry import Is

if TYPE_CHECKING:
    from tokenizers import Tokenizer

WEIGHTS = Path("weights", "l2_supercat_256.safetensors")
TOKENIZER = Path("tokenizers", "l2_supercat_tokenizer_config.json")
BLOCK_TEXTS = 4096


@embedders.register("wordllama", facts={"libraries": ["numpy", "scipy", "tokenizers", "wordllama"]})
def wordllama(
    *, lowercase: Annotated[bool, Is("whether texts are put in lower case first; the model tells cases apart")] = True
) -> Embedder:
    """Take the mean of the token vectors of the model in the package `wordllama`; needs no network.

    White space is collapsed first. A text without a word has a zero vector.

    Source: https://github.com/dleemiller/WordLlama, model l2_supercat_256.
    """
    return WordLlama(lowercase)


@dataclass(frozen=True, slots=True)
class WordLlama:
    """The static model."""

    lowercase: bool

    @property
    def dimension(self) -> int:
        """Numbers of a vector."""
        return int(_model().vectors.shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text."""
        model = _model()
        out = np.zeros((len(texts), self.dimension), np.float32)
        for first in range(0, len(texts), BLOCK_TEXTS):
            block = [text.lower() if self.lowercase else text for text in texts[first : first + BLOCK_TEXTS]]
            out[first : first + BLOCK_TEXTS] = normalise(model.sums([text.split() for text in block]))
        return out


@dataclass(frozen=True, slots=True)
class _Model:
    tokenizer: Tokenizer
    vectors: NDArray[np.float32]
    """Shape (tokens, 256)."""

    def sums(self, texts: Sequence[Sequence[str]]) -> NDArray[np.float32]:
        """Return the sum of the token vectors of each text, which points where their mean does.

        The tokenizer marks the start of every word and never joins words, so that a word's tokens are the same in every
        text: each distinct word is cut once.
        """
        from scipy.sparse import csr_matrix

        numbers: dict[str, int] = {}
        words = np.array([numbers.setdefault(word, len(numbers)) for text in texts for word in text], np.int64)
        tokens = [
            encoding.ids for encoding in self.tokenizer.encode_batch_fast(list(numbers), add_special_tokens=False)
        ]
        lengths = np.array([len(ids) for ids in tokens], np.int64)
        begins = np.cumsum(lengths) - lengths
        flat = np.array([number for ids in tokens for number in ids], np.int32)
        counts = lengths[words]
        ends = np.cumsum(counts)
        # The place of each token in `flat`: that of its word's first, and how far it is behind that.
        places = np.arange(int(counts.sum())) + np.repeat(begins[words] - (ends - counts), counts)
        rows = np.zeros(len(texts) + 1, np.int64)
        rows[1:] = np.concatenate(([0], ends))[np.cumsum([len(text) for text in texts])]
        shape = (len(texts), len(self.vectors))
        occurrences = csr_matrix((np.ones(len(places), np.float32), flat[places], rows), shape=shape)
        return np.asarray(occurrences @ self.vectors, np.float32)


@cache
def _model() -> _Model:
    from tokenizers import Tokenizer

    # Not imported: the package sets up logging for the whole process when it is.
    found = find_spec("wordllama")
    if found is None or not found.submodule_search_locations:
        raise InvalidInputError("the embedder wordllama needs the package wordllama, which is not installed")
    folder = Path(found.submodule_search_locations[0])
    arrays, _ = read_arrays(folder / WEIGHTS)
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return _Model(tokenizer, arrays["embedding.weight"].astype(np.float32))
