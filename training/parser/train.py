"""Trains the model of mcp_graphrag.english.parser on labelled sentences, by JAX on the CPU.

Run: train.py LABELLED OUT.npz [MINUTES]. LABELLED holds what label_text.py wrote; OUT.npz has float32 weights, which
export_weights.py makes small.
"""

import json
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from mcp_graphrag.english.parser.word_features import UNKNOWN, feature_rows, normalized, table_rows

WORDS = 9000
EMBEDDING, WIDTH, HEADS, ARC, LABEL = 96, 128, 4, 96, 96
MAX_DISTANCE = 24
LENGTHS = (12, 18, 24, 32, 44, 64)
BATCH_TOKENS = 2560
MAX_TAGS = 72
MAX_RATE = 3e-3
MIN_LABEL_COUNT = 60
# Layers in order: a convolution with its dilation, or attention.
LAYERS = ("conv1", "conv2", "attention", "conv1")

Params = dict[str, Any]


def init(key: Any, rows: int, tags: int, labels: int) -> Params:
    keys = iter(jax.random.split(key, 64))

    def matrix(inputs: int, outputs: int, scale: float = 1.0) -> Any:
        return jax.random.normal(next(keys), (inputs, outputs)) * scale / np.sqrt(inputs)

    params: Params = {
        "embedding": jax.random.normal(next(keys), (rows, EMBEDDING)) * 0.3,
        "input": matrix(EMBEDDING, WIDTH),
        "input_bias": jnp.zeros(WIDTH),
    }
    for index, kind in enumerate(LAYERS):
        if kind == "attention":
            params[f"{index}.qkv"] = matrix(WIDTH, 3 * WIDTH)
            params[f"{index}.out"] = matrix(WIDTH, WIDTH, 0.5)
            params[f"{index}.distance"] = jnp.zeros((HEADS, 2 * MAX_DISTANCE + 1))
        else:
            params[f"{index}.conv"] = matrix(3 * WIDTH, WIDTH)
            params[f"{index}.bias"] = jnp.zeros(WIDTH)
    return params | {
        "tag": matrix(WIDTH, tags),
        "tag_bias": jnp.zeros(tags),
        "arc_dep": matrix(WIDTH, ARC),
        "arc_dep_bias": jnp.zeros(ARC),
        "arc_head": matrix(WIDTH, ARC),
        "arc_head_bias": jnp.zeros(ARC),
        "arc_distance": matrix(ARC, 2 * MAX_DISTANCE + 1, 0.1),
        "root": matrix(WIDTH, 1),
        "label_dep": matrix(WIDTH, LABEL),
        "label_head": matrix(WIDTH, LABEL),
        "label_distance": jnp.zeros((2 * MAX_DISTANCE + 1, LABEL)),
        "label_out": matrix(LABEL, labels),
        "label_bias": jnp.zeros(labels),
    }


def rms(x: Any) -> Any:
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6)


def shift(x: Any, by: int) -> Any:
    """x[:, i + by], zeros beyond the ends."""
    if by > 0:
        return jnp.pad(x[:, by:], ((0, 0), (0, by), (0, 0)))
    return jnp.pad(x[:, :by], ((0, 0), (-by, 0), (0, 0)))


def distances(length: int) -> Any:
    """Of token i (row) from token j: j - i, clipped, from 0."""
    steps = np.arange(length)[None, :] - np.arange(length)[:, None]
    return np.clip(steps, -MAX_DISTANCE, MAX_DISTANCE) + MAX_DISTANCE


def encode(params: Params, rows: Any, mask: Any) -> Any:
    x = params["embedding"][rows].sum(axis=2) @ params["input"] + params["input_bias"]
    x = x * mask[..., None]
    batch, length = mask.shape
    for index, kind in enumerate(LAYERS):
        normal = rms(x) * mask[..., None]
        if kind == "attention":
            qkv = (normal @ params[f"{index}.qkv"]).reshape(batch, length, 3, HEADS, WIDTH // HEADS)
            scores = jnp.einsum("bihd,bjhd->bhij", qkv[:, :, 0], qkv[:, :, 1]) / np.sqrt(WIDTH // HEADS)
            scores += params[f"{index}.distance"][:, distances(length)][None]
            scores = jnp.where(mask[:, None, None, :] > 0, scores, -1e9)
            mixed = jnp.einsum("bhij,bjhd->bihd", jax.nn.softmax(scores, axis=-1), qkv[:, :, 2])
            y = mixed.reshape(batch, length, WIDTH) @ params[f"{index}.out"]
        else:
            step = int(kind[-1])
            window = jnp.concatenate([shift(normal, -step), normal, shift(normal, step)], axis=-1)
            y = jax.nn.relu(window @ params[f"{index}.conv"] + params[f"{index}.bias"])
        x = (x + y) * mask[..., None]
    return rms(x) * mask[..., None]


def arc_scores(params: Params, x: Any, mask: Any) -> Any:
    """Scores of token j as the head of token i; those of i itself say that i is the root."""
    length = x.shape[1]
    dep = x @ params["arc_dep"] + params["arc_dep_bias"]
    head = x @ params["arc_head"] + params["arc_head_bias"]
    scores = jnp.einsum("bid,bjd->bij", dep, head) / np.sqrt(ARC)
    near = dep @ params["arc_distance"]
    scores += jnp.einsum("bik,ijk->bij", near, np.eye(2 * MAX_DISTANCE + 1, dtype=np.float32)[distances(length)])
    diagonal = np.eye(length, dtype=np.float32)
    scores = scores * (1 - diagonal) + (x @ params["root"]) * diagonal
    return jnp.where(mask[:, None, :] > 0, scores, -1e9)


def label_scores(params: Params, x: Any, heads: Any) -> Any:
    # Products with one-hot rows: the gradient of a gather is slow on the CPU.
    of_head = jnp.einsum("bij,bjd->bid", jax.nn.one_hot(heads, heads.shape[1]), x @ params["label_head"])
    steps = jnp.clip(heads - jnp.arange(heads.shape[1])[None], -MAX_DISTANCE, MAX_DISTANCE) + MAX_DISTANCE
    of_distance = jax.nn.one_hot(steps, 2 * MAX_DISTANCE + 1) @ params["label_distance"]
    hidden = jax.nn.relu(x @ params["label_dep"] + of_head + of_distance)
    return hidden @ params["label_out"] + params["label_bias"]


def losses(params: Params, batch: dict[str, Any], punct: int) -> tuple[Any, Any]:
    mask = batch["mask"]
    x = encode(params, batch["rows"], mask)
    tags = jax.nn.log_softmax(x @ params["tag"] + params["tag_bias"])
    arcs = jax.nn.log_softmax(arc_scores(params, x, mask))
    labels = jax.nn.log_softmax(label_scores(params, x, batch["heads"]))
    weight = mask * jnp.where(batch["labels"] == punct, 0.3, 1.0)

    def of(log: Any, gold: Any, weights: Any) -> Any:
        return -((log * jax.nn.one_hot(gold, log.shape[-1])).sum(axis=-1) * weights).sum() / weights.sum()

    parts = jnp.stack(
        [of(tags, batch["tags"], mask), of(arcs, batch["heads"], weight), of(labels, batch["labels"], weight)]
    )
    return parts[0] * 0.7 + parts[1] + parts[2] * 0.8, parts


class Data:
    """Readings as arrays of numbers; a word type is a pair of text and whether it is a known name."""

    def __init__(self, folder: Path, held_out_share: float) -> None:
        counts: Counter[str] = Counter()
        tag_counts: Counter[str] = Counter()
        label_counts: Counter[str] = Counter()
        raw: list[list[dict[str, list[Any]]]] = []
        for path in sorted(folder.glob("*.jsonl")):
            for line in path.open(encoding="utf-8"):
                readings = json.loads(line)
                for reading in readings:
                    for key in ("words", "tags", "labels"):
                        reading[key] = [sys.intern(value) for value in reading[key]]
                first = readings[0]
                if not 3 <= len(first["words"]) <= LENGTHS[-1] or first["labels"].count("ROOT") != 1:
                    continue
                raw.append(readings)
                counts.update(normalized(w) for w, n in zip(first["words"], first["names"], strict=True) if not n)
                tag_counts.update(first["tags"])
                label_counts.update(first["labels"])
        self.words = [word for word, _ in counts.most_common(WORDS)]
        self.tags = [tag for tag, _ in tag_counts.most_common(MAX_TAGS)]
        self.labels = [label for label, count in label_counts.most_common() if count >= MIN_LABEL_COUNT]
        vocabulary = {word: index for index, word in enumerate(self.words)}
        tag_index = {tag: index for index, tag in enumerate(self.tags)}
        label_index = {label: index for index, label in enumerate(self.labels)}
        types: dict[tuple[str, int], int] = {}
        self.examples: list[list[tuple[np.ndarray, ...]]] = []
        for readings in raw:
            made = []
            for reading in readings:
                ids = [
                    types.setdefault(key, len(types)) for key in zip(reading["words"], reading["names"], strict=True)
                ]
                made.append(
                    (
                        np.array(ids, np.int32),
                        np.array(
                            [tag_index.get(tag, tag_index.get("X/FW", 0)) for tag in reading["tags"]],
                            np.int16,
                        ),
                        np.array(reading["heads"], np.int16),
                        np.array([label_index.get(label, label_index["dep"]) for label in reading["labels"]], np.int16),
                    )
                )
            self.examples.append(made)
        name_types = [index for (_, is_name), index in types.items() if is_name]
        invented = invented_names(self.words)
        self.other_names = np.array(
            random.Random(1).choices(name_types, k=20_000) + [types.setdefault((n, 1), len(types)) for n in invented]
        )
        self.is_name = np.array([is_name for _, is_name in types])
        self.rows = np.array(
            [feature_rows(text, vocabulary, is_name=bool(is_name)) for text, is_name in types], np.int32
        )
        random.Random(3).shuffle(self.examples)
        held = int(len(self.examples) * held_out_share)
        self.held_out, self.examples = self.examples[:held], self.examples[held:]
        print(len(self.examples), "sentences", len(types), "types", len(self.tags), len(self.labels), flush=True)

    def batches(
        self, examples: list[list[tuple[np.ndarray, ...]]], seed: int, *, train: bool
    ) -> Iterator[dict[str, Any]]:
        chance = np.random.default_rng(seed)
        pick = random.Random(seed)
        groups: dict[int, list[tuple[np.ndarray, ...]]] = {length: [] for length in LENGTHS}
        order = list(range(len(examples)))
        if train:
            pick.shuffle(order)
        ready: list[dict[str, Any]] = []
        for index in order:
            readings = examples[index]
            # Two of three times the reading with names as tokens, as they are when documents are read.
            reading = readings[-1] if not train or pick.random() < 0.67 else readings[0]
            length = next((length for length in LENGTHS if len(reading[0]) <= length), 0)
            if not length:
                continue
            groups[length].append(reading)
            if len(groups[length]) == BATCH_TOKENS // length:
                ready.append(self._padded(groups[length], length, chance, train=train))
                groups[length] = []
                if len(ready) == 40 or not train:
                    pick.shuffle(ready)
                    yield from ready
                    ready = []
        yield from ready

    def _padded(self, group: list[Any], length: int, chance: Any, *, train: bool) -> dict[str, Any]:
        shape = (len(group), length)
        ids = np.zeros(shape, np.int32)
        mask = np.zeros(shape, np.float32)
        tags, heads, labels = (np.zeros(shape, np.int32) for _ in range(3))
        for row, reading in enumerate(group):
            size = len(reading[0])
            mask[row, :size] = 1
            for array, values in zip((ids, tags, heads, labels), reading, strict=True):
                array[row, :size] = values
        if train:
            swap = (self.is_name[ids] == 1) & (chance.random(shape) < 0.3)
            ids = np.where(swap, chance.choice(self.other_names, shape), ids)
        rows = self.rows[ids]
        if train:
            dropped = chance.random(shape) < 0.05
            rows[..., 0] = np.where(dropped & (self.is_name[ids] == 0), UNKNOWN, rows[..., 0])
        return {"rows": rows, "mask": mask, "tags": tags, "heads": heads, "labels": labels}


def invented_names(words: list[str]) -> list[str]:
    """Names such as software has: checkout-api, OrderStore, billing_db, auth.tokens, INC-2041."""
    pick = random.Random(5)
    plain = [word for word in words[:6000] if word.isalpha() and 3 <= len(word) <= 10]
    names: list[str] = []
    for _ in range(16_000):
        parts = [pick.choice(plain) for _ in range(pick.choice((1, 1, 2, 2, 2, 3)))]
        style = pick.choice(("-", "-", "-", "_", ".", "/", "camel", "title", "upper", "lower", "ticket", "name"))
        if style in "-_./":
            names.append(style.join(parts))
        elif style == "camel":
            names.append("".join(part.title() for part in parts))
        elif style == "upper":
            names.append(parts[0][:4].upper())
        elif style == "ticket":
            names.append(f"{parts[0][:4].upper()}-{pick.randrange(1, 5000)}")
        elif style == "lower":
            names.append(" ".join(parts))
        else:
            names.append(" ".join(part.title() for part in parts))
    return names


def main() -> None:
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    minutes = float(sys.argv[3]) if len(sys.argv) > 3 else 30
    started = time.monotonic()
    data = Data(folder, held_out_share=0.01)
    punct = data.labels.index("punct")
    params = init(jax.random.PRNGKey(0), table_rows(len(data.words)), len(data.tags), len(data.labels))
    tokens = sum(len(readings[-1][0]) for readings in data.examples)
    optimizer = optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.scale_by_adam(b2=0.98),
        optax.add_decayed_weights(0.01),
    )
    state = optimizer.init(params)
    print(f"{tokens} tokens, loaded in {time.monotonic() - started:.0f} s", flush=True)

    @partial(jax.jit, donate_argnums=(0, 1))
    def step(params: Params, state: Any, batch: dict[str, Any], rate: Any) -> tuple[Params, Any, Any]:
        (_, parts), grads = jax.value_and_grad(losses, has_aux=True)(params, batch, punct)
        updates, state = optimizer.update(grads, state, params)
        updates = jax.tree.map(lambda update: -rate * update, updates)
        return optax.apply_updates(params, updates), state, parts

    @jax.jit
    def accuracy(params: Params, batch: dict[str, Any]) -> Any:
        x = encode(params, batch["rows"], batch["mask"])
        tag = (x @ params["tag"] + params["tag_bias"]).argmax(-1) == batch["tags"]
        heads = arc_scores(params, x, batch["mask"]).argmax(-1)
        label = label_scores(params, x, heads).argmax(-1) == batch["labels"]
        arc = heads == batch["heads"]
        counted = batch["mask"] * (batch["labels"] != punct)
        return jnp.stack(
            [
                (tag * batch["mask"]).sum(),
                batch["mask"].sum(),
                (arc * counted).sum(),
                (arc * label * counted).sum(),
                counted.sum(),
            ]
        )

    def report(done: int, parts: Any) -> None:
        sums = sum(np.array(accuracy(params, batch)) for batch in data.batches(data.held_out, 0, train=False))
        print(
            f"{done} {time.monotonic() - started:.0f} s loss {np.round(parts, 3)} tags {sums[0] / sums[1]:.4f} "
            f"UAS {sums[2] / sums[4]:.4f} LAS {sums[3] / sums[4]:.4f}",
            flush=True,
        )

    def save() -> None:
        arrays = {key: np.asarray(value) for key, value in params.items()}
        lists = {"words": data.words, "tags": data.tags, "labels": data.labels, "layers": list(LAYERS)}
        temporary = out.with_name("part-" + out.name)
        np.savez(temporary, **arrays, **{key: np.array("\n".join(value)) for key, value in lists.items()})
        temporary.replace(out)

    done, epoch, share = 0, 0, 0.0
    began = time.monotonic()
    while share < 1:
        for batch in data.batches(data.examples, epoch, train=True):
            # The rate falls with the time spent, so that training ends well whatever else the machine does.
            share = min((time.monotonic() - began) / (60 * minutes), 1.0)
            rate = MAX_RATE * min(1.0, (done + 1) / 200) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * share)))
            params, state, parts = step(params, state, batch, rate)
            done += 1
            if done % 100 == 0:
                print(done, epoch, f"{time.monotonic() - started:.0f} s", np.round(np.array(parts), 3), flush=True)
            if done % 1000 == 0 or share == 1:
                report(done, np.array(parts))
                save()
            if share == 1:
                break
        epoch += 1


if __name__ == "__main__":
    main()
