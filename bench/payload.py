# SPDX-License-Identifier: Apache-2.0
"""Makes wide Arrow columns quickly: text that compresses like text, and nested payload.

All strings are windows on one long text of random words, so a column of hundreds of megabytes costs
only its offsets. Windows of one batch lie side by side and a Parquet page is far smaller than the
text, so no page sees the same passage twice and compression finds only what it finds in real text:
repeated words.

Needs pyarrow and the standard library only. Everything follows from the seed.
"""

import array
import itertools
import random

import pyarrow as pa
import pyarrow.compute as pc

PAYLOAD_TYPE = pa.list_(
    pa.struct(
        [
            pa.field("source", pa.string()),
            pa.field("text", pa.string()),
            pa.field("score", pa.float64()),
            pa.field("tags", pa.list_(pa.string())),
        ]
    )
)

_LETTERS = "e" * 11 + "t" * 8 + "a" * 7 + "o" * 8 + "i" * 7 + "n" * 7 + "ssssss" + "hhhhhhrrrrrr"
_LETTERS += "ddddlllluuuccmmwwffggyyppbbvk"


class Text:
    """A long text of random words; windows on it become string arrays without copying."""

    def __init__(self, rng: random.Random, size_bytes: int, vocabulary_words: int):
        words = [
            "".join(rng.choices(_LETTERS, k=rng.randint(2, 11))) for _ in range(vocabulary_words)
        ]
        # Word i has weight 1 / (i + 50): a few words are everywhere, most are rare.
        cumulative = list(itertools.accumulate(1.0 / (i + 50) for i in range(vocabulary_words)))
        parts = []
        length = 0
        while length < size_bytes:
            part = " ".join(rng.choices(words, cum_weights=cumulative, k=10_000)) + ". "
            parts.append(part)
            length += len(part)
        self._bytes = "".join(parts).encode("ascii")[:size_bytes]
        self._rng = rng

    def strings(self, offsets: pa.Buffer, count: int, byte_count: int, validity=None) -> pa.Array:
        """Gives `count` strings that share one window of `byte_count` bytes at a random place."""
        start = self._rng.randrange(len(self._bytes) - byte_count)
        window = pa.py_buffer(memoryview(self._bytes)[start : start + byte_count])
        return pa.StringArray.from_buffers(count, offsets, window, validity)

    def column(self, count: int, length_min: int, length_max: int) -> pa.Array:
        """Gives `count` strings of random lengths."""
        offsets, byte_count = random_offsets(self._rng, count, length_min, length_max)
        return self.strings(offsets, count, byte_count)


def random_offsets(rng: random.Random, count: int, length_min: int, length_max: int):
    """Gives an int32 offsets buffer of `count` random lengths, and the last offset."""
    lengths = rng.choices(range(length_min, length_max + 1), k=count)
    offsets = array.array("i", itertools.accumulate(lengths, initial=0))
    return pa.py_buffer(offsets), offsets[-1]


class _Shape:
    """The offsets of a batch of payload rows; batches share a shape and differ in their text."""

    def __init__(self, rng: random.Random, row_count: int):
        self.row_count = row_count
        self.list_offsets, self.struct_count = random_offsets(rng, row_count, 1, 11)
        self.source_offsets, self.source_bytes = random_offsets(rng, self.struct_count, 8, 20)
        self.text_offsets, self.text_bytes = random_offsets(rng, self.struct_count, 40, 695)
        self.tags_offsets, self.tag_count = random_offsets(rng, self.struct_count, 0, 8)
        self.scores = pa.array([round(rng.random() * 100, 3) for _ in range(self.struct_count)])


class PayloadMaker:
    """Gives batches of List<Struct<utf8, utf8, double, List<utf8>>>, about 2.7 KB a row."""

    SHAPES = 4

    def __init__(self, rng: random.Random, text: Text, batch_rows: int):
        self.batch_rows = batch_rows
        self._rng = rng
        self._text = text
        self._shapes = [_Shape(rng, batch_rows) for _ in range(self.SHAPES)]
        tag_words = pa.array(
            [f"{rng.choice('abcdefgh')}-{rng.randrange(10**6):06d}" for _ in range(600)]
        )
        tag_count = max(shape.tag_count for shape in self._shapes) * 2
        indices = pa.array(array.array("i", rng.choices(range(600), k=tag_count)))
        self._tags = tag_words.take(indices)

    def batch(self) -> pa.Array:
        """Gives the next batch of `batch_rows` rows."""
        shape = self._rng.choice(self._shapes)
        source = self._text.strings(shape.source_offsets, shape.struct_count, shape.source_bytes)
        text = self._text.strings(shape.text_offsets, shape.struct_count, shape.text_bytes)
        tag_values = self._tags.slice(self._rng.randrange(shape.tag_count), shape.tag_count)
        tags = pa.ListArray.from_buffers(
            pa.list_(pa.string()),
            shape.struct_count,
            [None, shape.tags_offsets],
            children=[tag_values],
        )
        rotation = self._rng.randrange(shape.struct_count)
        scores = pa.concat_arrays([shape.scores.slice(rotation), shape.scores.slice(0, rotation)])
        structs = pa.StructArray.from_arrays(
            [source, text, scores, tags], fields=list(PAYLOAD_TYPE.value_type)
        )
        return pa.ListArray.from_buffers(
            PAYLOAD_TYPE, shape.row_count, [None, shape.list_offsets], children=[structs]
        )


def random_integers(seed: int, count: int, limit: int) -> pa.Array:
    """Gives `count` int64 values, uniform in [0, limit)."""
    return pc.cast(
        pc.floor(pc.multiply(pc.random(count, initializer=seed), float(limit))), pa.int64()
    )


def permutation(seed: int, count: int) -> pa.Array:
    """Gives the numbers 0 .. count - 1 in random order, as int64."""
    return pc.cast(pc.sort_indices(pc.random(count, initializer=seed)), pa.int64())
