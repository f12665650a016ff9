"""The first screen of the demo: what was read, what the graph knows, three answers with their sources."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_graphrag.english.sentences import split_sentences

WIDTH = 100
MAX_LINES = 24
MAX_NAMES = 6
CLAIM = "The upper dale is collected by Pell & Daughters."


def demo_screen(answers: Mapping[str, Any]) -> list[str]:
    """At most 24 lines of at most 100 characters from the structured answers, by tool."""
    read, graph = answers["ingest"], answers["brief, without a model"]["holds"]
    hits: Sequence[Mapping[str, Any]] = answers["search, without a model"]["hits"]
    hit: Mapping[str, Any] = hits[0] if hits else {}
    lines = [
        f"Read: {graph['documents']} documents of a fictional dairy, {graph['chunks']} chunks; no key, no network.",
        f"Without a model: {read['entities']} entities, {read['triples']} triples; everything is searchable.",
        "? Who may lift a hold on a product?",
        f"= {_sentence(hit)} ({_document(hit.get('citation', ''))})",
        *_claim(answers["check_claim, without a model"], shown=0),
        "",
        f"With what an agent read (recorded): {answers['store_extraction']['triples']} triples more.",
        *_impact(answers["trace_impact"]),
        *_claim(answers["check_claim"], shown=2),
    ]
    return [line for each in lines for line in _wrapped(each)][:MAX_LINES]


def _impact(found: Mapping[str, Any]) -> list[str]:
    """What an impact names, with the first quote for it."""
    names = ", ".join(each["entity"] for each in found["affected"][:MAX_NAMES])
    sources = [each for each in found.get("evidence", []) if each.get("quote")]
    quoted = [f'  "{" ".join(each["quote"].split())}" ({_document(each["source"])})' for each in sources[:1]]
    return ["? What stops if the steam boiler B1 fails?", f"= {found['total']} things: {names}", *quoted]


def _claim(found: Mapping[str, Any], *, shown: int) -> list[str]:
    """The claim with its verdict, when it held, and the newest passages to read beside it."""
    ends = {each.get("valid_to", "")[:10] for claim in found["claims"] for each in claim.get("other_times", [])}
    then = f" today; it held until {min(ends)}" if ends - {""} else ""
    to_read = [f'  {each["dated"]}: "{each["text"]}" ({_document(each["citation"])})' for each in found["passages"]]
    verdict = f"= {found['verdict']}{then}; {len(to_read)} passages to read{', the newest:' if shown else ''}"
    return [f"? Is it true that {CLAIM[0].lower()}{CLAIM[1:-1]}?", verdict, *to_read[:shown]]


def _sentence(hit: Mapping[str, Any]) -> str:
    """The sentence of a hit that says most of the question."""
    words = {"lift", "hold"}
    sentences = split_sentences(" ".join(hit.get("text", "").split()))
    return max(sentences, key=lambda each: sum(word in each for word in words), default="")


def _document(citation: str) -> str:
    return citation.partition("#")[0].rpartition("/")[2]


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent="    ", max_lines=2, placeholder=" …") or [""]
