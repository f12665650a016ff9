"""What an agent's reading costs: the tokens that it gets and gives for each 1,000 tokens of source.

    python tests/bench/reading_cost.py demo [--form lines]
    python tests/bench/reading_cost.py DATASET [--documents 300]     a folder with corpus.jsonl and openie.jsonl
    python tests/bench/reading_cost.py FOLDER [--glob '**/*.md']     documents, with what the extractors find in them

A scripted client takes the chunks with the guide once, and gives back the same triples in either form: `records`, with
every name and whole quotes, or `lines`, as the guide says. A quote is cut to its first and last words. Tokens are
characters / 4 of the text of the answers and of the arguments as JSON.
"""

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from served import Asked, served, text_of

from mcp_graphrag.demo import copy_corpus, recorded_reading
from mcp_graphrag.edit.inputs import FileInput
from mcp_graphrag.english.sentences import sentence_spans
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.settings import make_settings

WHOLE = ("--chunk-target", "2000", "--max-chunk-tokens", "4000")  # a document is one chunk, as it was for its triples
KNOWN = re.compile(r"(#\d+) (.*?)(?: \([^()]*\))?")
EDGE = 3  # words of a quote before and behind the ellipsis
Triples = Sequence[Mapping[str, str]]
Read = Callable[[str, str], Triples]  # from the uri of a document and the text of a chunk


@dataclass
class Cost:
    """Tokens of the source, of what the client got and gave; triples given, stored, and dropped by reason."""

    source: float = 0
    got: float = 0
    given: float = 0
    chunks: int = 0
    triples: int = 0
    stored: int = 0
    dropped: Counter[str] = field(default_factory=Counter[str])


def records(chunks: Sequence[tuple[int, Triples]], _names: Mapping[str, str]) -> dict[str, Any]:
    """The findings as records."""
    told = ("subject", "predicate", "object", "quote", "negated", "valid_from", "valid_to")
    return {
        "chunks": [
            {
                "citation": number,
                "entities": [
                    {"name": name, "type": type_} if type_ else {"name": name}
                    for name, type_ in {
                        each[end]: each.get(f"{end}_type", "") for each in triples for end in ("subject", "object")
                    }.items()
                ],
                "triples": [{key: each[key] for key in told if each.get(key)} for each in triples],
            }
            for number, triples in chunks
        ]
    }


def lines(chunks: Sequence[tuple[int, Triples]], names: Mapping[str, str]) -> dict[str, Any]:
    """The findings as lines; `names` are the numbers of the known ones."""
    written: list[str] = []
    typed: set[str] = set()
    for number, triples in chunks:
        if triples:
            written.append(f"chunk {number}")
        subject = quote = ""
        for each in triples:
            period = f"{each.get('valid_from', '')}..{each.get('valid_to', '')}".removesuffix("..")
            ends = [
                f"{names.get(each[end], each[end])} |"
                + ("" if each[end] in names or each[end] in typed else f" {each.get(f'{end}_type', '')}")
                for end in ("subject", "object")
            ]
            typed |= {each["subject"], each["object"]}
            predicate = f"not {each['predicate']}" if each.get("negated") else each["predicate"]
            said = "" if each["quote"] == quote else shortened(each["quote"])
            fields = [" |" if each["subject"] == subject else ends[0], predicate, ends[1], said, period]
            written.append(" | ".join(fields).rstrip(" |"))
            subject, quote = each["subject"], each["quote"]
    empty = [number for number, triples in chunks if not triples]
    return {"findings": "\n".join([*written, f"nothing {ranges(empty)}" if empty else ""]).strip()}


def shortened(quote: str) -> str:
    """The first and last words of a quote."""
    words = quote.replace("|", "\\|").split()
    return " ".join([*words[:EDGE], "…", *words[-EDGE:]] if len(words) > 2 * EDGE + 1 else words)


def ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers as ranges."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def walk(
    ask: Asked, read: Read, form: Callable[[Sequence[tuple[int, Triples]], Mapping[str, str]], dict[str, Any]]
) -> Cost:
    """Read until no chunk awaits."""
    cost = Cost()

    def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = ask.result(tool, arguments)
        assert not result.is_error, text_of(result)
        cost.got += len(text_of(result)) / 4
        cost.given += len(json.dumps(arguments, ensure_ascii=False)) / 4
        return result.structured_content or {}

    arguments: dict[str, Any] = {"guide": True}
    while (answer := call("get_chunks_to_extract", arguments))["documents"]:
        arguments, documents = {}, answer["documents"]
        known = (KNOWN.fullmatch(each) for each in answer.get("known_names", ()))
        names = {each[2]: each[1] for each in known if each}
        taken = [(each["uri"], chunk) for each in documents for chunk in each["chunks"]]
        found = [(chunk["chunk"], read(uri, chunk["text"])) for uri, chunk in taken]
        cost.chunks += len(taken)
        cost.source += sum(len(chunk["text"]) for _, chunk in taken) / 4
        cost.triples += sum(len(triples) for _, triples in found)
        stored = call("store_extraction", form(found, names))
        cost.stored += stored["triples"]
        cost.dropped.update(stored.get("dropped_by_reason", {}))
    return cost


def of_demo(folder: Path) -> Read:
    """The recorded reading of the demo's documents, which are written into a folder."""
    copy_corpus(folder)
    reading = recorded_reading()
    return lambda uri, text: [
        each for each in reading if each["document"] == uri.rpartition("/")[2] and each["quote"] in text
    ]


def of_dataset(openie: Path) -> Read:
    """The triples of a model, each with the sentence that has most of its ends as quote."""
    known = {each["id"]: each["triples"] for each in map(json.loads, openie.read_text("utf-8").splitlines())}

    def read(uri: str, text: str) -> Triples:
        sentences = [text[start:end] for start, end in sentence_spans(text)]

        def quote(*ends: str) -> str:
            return max(sentences, key=lambda sentence: sum(end.casefold() in sentence.casefold() for end in ends))

        triples = known[uri.removeprefix("doc:")]
        return [
            {"subject": one, "predicate": what, "object": other, "quote": quote(one, other)}
            for one, what, other in triples
        ]

    return read


def of_folder(folder: Path, glob: str, db: Path) -> Read:
    """What the extractors find in documents."""
    found: dict[str, list[dict[str, str]]] = {}
    with Graph(make_settings(db=db, embedder="wordllama")) as graph:
        graph.ingest_files(FileInput([folder], globs=[glob]))
        for each in graph.query_triples(TripleQuery(limit=100_000, infer=False)).triples:
            ends = {"subject": each.subject, "subject_type": each.subject_type}
            ends |= {"object": each.object, "object_type": each.object_type, "predicate": each.predicate}
            for evidence in each.evidence[:1]:
                found.setdefault(evidence.citation.partition("#")[0], []).append({**ends, "quote": evidence.quote})
    return lambda uri, text: [each for each in found.get(uri, ()) if each["quote"] and each["quote"] in text]


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source")
    parser.add_argument("--form", choices=("lines", "records"), default="lines")
    parser.add_argument("--documents", type=int, default=300)
    parser.add_argument("--glob", default="**/*.md")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        source, dataset = Path(given.source).absolute(), Path(given.source, "openie.jsonl")
        if given.source == "demo":
            source = folder / "documents"
            source.mkdir()
            read = of_demo(source)
        elif dataset.exists():
            read = of_dataset(dataset)
        else:
            read = of_folder(source, given.glob, folder / "read.duckdb")
        flags = WHOLE if dataset.exists() else ("--root", str(source))
        with served(folder / "graph.duckdb", "--toolsets", "all", *flags) as ask:
            if dataset.exists():
                for line in Path(source, "corpus.jsonl").read_text("utf-8").splitlines()[: given.documents]:
                    each = json.loads(line)
                    ask("ingest", text=each["text"], title=each["title"], uri=f"doc:{each['id']}", extract="none")
            else:
                glob = [] if given.source == "demo" else [given.glob]
                ask("ingest", paths=[str(source)], glob=glob, extract="none")
            cost = walk(ask, read, {"lines": lines, "records": records}[given.form])
    per = 1000 / cost.source
    sys.stdout.write(
        f"{cost.source:,.0f} tokens of source in {cost.chunks} chunks\n"
        f"triples: {cost.triples} given, {cost.stored} stored\n"
        f"per 1,000: got {cost.got * per:,.0f}, given {cost.given * per:,.0f}\n"
        f"dropped: {dict(cost.dropped.most_common())}\n"
    )


if __name__ == "__main__":
    main()
